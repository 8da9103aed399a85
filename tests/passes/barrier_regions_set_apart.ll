; Values that are kept across a barrier have memory of their own. Only the stores and loads of these values access this
; memory. So these stores and loads are marked as independent of all other accesses.
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions,function(instsimplify)' %s | FileCheck %s

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK: [[X:%.*]] = load float, ptr {{.*}}, !noalias [[OTHERS:![0-9]+]]
; CHECK: store float [[X]], ptr {{.*}}, !alias.scope [[OTHERS]]
; CHECK: ret i32 1
; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK: [[Y:%.*]] = load float, ptr {{.*}}, !alias.scope [[OTHERS1:![0-9]+]]
; CHECK: store float [[Y]], ptr {{.*}}, !noalias [[OTHERS1]]
; CHECK: ret i32 0

declare i64 @__sinter_local_id(i32)
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_local_id(i32 2)
  %from = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %from
  call void @__sinter_barrier(i32 2, i32 2)
  %later = getelementptr i8, ptr %from, i64 4
  store float %x, ptr %later
  ret void
}
