; In some regions, only the first work-items of a row have anything to do, and only these work-items run. If the
; condition is `if (id == 0)`, one work-item runs. If a vector has enough lanes for these work-items, one vector runs.
; All work-items run if the condition selects more work-items than a vector has lanes, or if it depends on an id other
; than the local id.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8>' %s | FileCheck %s

; CHECK-LABEL: define internal void @"sinter:kernel"(
; CHECK-NOT: llvm.umin
; CHECK: call i32 @kernel.work_item.region0.wide(
; CHECK: [[ONE:%.*]] = call i64 @llvm.umin.i64(i64 %local_range, i64 1)
; CHECK: icmp ult i64 0, [[ONE]]
; CHECK-NOT: wide
; CHECK: call i32 @kernel.work_item.region1(
; CHECK-NOT: call i32
; CHECK: [[FEW:%.*]] = call i64 @llvm.umin.i64(i64 %local_range, i64 8)
; CHECK: call i32 @kernel.work_item.region2.wide(
; CHECK-NOT: llvm.umin
; CHECK: call i32 @kernel.work_item.region3.wide(
; CHECK-NOT: llvm.umin
; CHECK: call i32 @kernel.work_item.region4.wide(
; CHECK-NOT: llvm.umin
; CHECK: call i32 @kernel.work_item.region4(

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_group_id(i32)
declare void @__sinter_barrier(i32, i32) convergent

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" convergent {
  %data = load ptr, ptr %block
  %i = call i64 @__sinter_local_id(i32 2)
  %global = call i64 @__sinter_global_id(i32 2)
  %group = call i64 @__sinter_group_id(i32 2)
  %mine = getelementptr i32, ptr %data, i64 %global
  store i32 1, ptr %mine
  call void @__sinter_barrier(i32 2, i32 2)
  %is_first = icmp eq i64 %i, 0
  br i1 %is_first, label %first, label %behind_first
first:
  store i32 2, ptr %mine
  br label %behind_first
behind_first:
  call void @__sinter_barrier(i32 2, i32 2)
  %is_early = icmp ult i64 %i, 8
  br i1 %is_early, label %early, label %behind_early
early:
  store i32 3, ptr %mine
  br label %behind_early
behind_early:
  call void @__sinter_barrier(i32 2, i32 2)
  %is_ninth = icmp ult i64 %i, 9
  br i1 %is_ninth, label %ninth, label %behind_ninth
ninth:
  store i32 4, ptr %mine
  br label %behind_ninth
behind_ninth:
  call void @__sinter_barrier(i32 2, i32 2)
  %is_group = icmp eq i64 %group, 0
  br i1 %is_group, label %grouped, label %end
grouped:
  store i32 5, ptr %mine
  br label %end
end:
  ret void
}
