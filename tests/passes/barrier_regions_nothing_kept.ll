; If all values behind the barrier can be computed again, nothing is kept in the context.
; RUN: %opt -passes=sinter-work-item-function,sinter-barrier-regions %s \
; RUN:   | FileCheck %s --implicit-check-not='i8, ptr %23'

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK: ret i32 1
; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK: load float, ptr {{.*}}, !llvm.access.group
; CHECK: ret i32 0
; CHECK: "sinter-context-bytes"="0"

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare ptr @__sinter_local_base()
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_local_id(i32 2)
  %tile = call ptr @__sinter_local_base()
  %cell = getelementptr float, ptr %tile, i64 %id
  store float 1.0, ptr %cell
  call void @__sinter_barrier(i32 2, i32 2)
  %x = load float, ptr %cell
  store float %x, ptr %data
  ret void
}
