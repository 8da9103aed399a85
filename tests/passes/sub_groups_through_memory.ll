; If work-items run one by one, sub-groups exchange values through memory. Each work-item stores its value, stops at a
; barrier of the sub-group, and then reads its neighbour's value. The entry runs one sub-group through all these
; regions, then the next sub-group.
; RUN: %opt -passes='sinter-lower-cpu<lanes=1;sub-group=8>' %s | FileCheck %s

; CHECK-NOT: call {{.*}}__sinter_
; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK: [[VALUE:%.*]] = zext i32 %x to i64
; CHECK: store i64 [[VALUE]], ptr
; CHECK: ret i32 1
; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK: load i64, ptr
; CHECK: ret i32 2
; CHECK-LABEL: define internal i32 @kernel.work_item.region2(
; CHECK: ret i32 0
; CHECK-LABEL: define internal void @"sinter:kernel"(
; CHECK: sub_group:
; CHECK: br i1 {{.*}}, label %group_done, label %phase
; CHECK: switch i32 {{.*}}, label %behind{{[0-9]*}} [
; CHECK-NEXT: i32 1, label %choose
; CHECK-NEXT: ]

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare void @__sinter_barrier(i32, i32) #1
declare i32 @__sinter_sub_group_local_id()
declare i32 @__sinter_sub_group_shuffle_32(i32, i32) #0

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %place = getelementptr i32, ptr %data, i64 %id
  %x = load i32, ptr %place
  %lane = call i32 @__sinter_sub_group_local_id()
  %other = xor i32 %lane, 1
  %swapped = call i32 @__sinter_sub_group_shuffle_32(i32 %x, i32 %other) #0
  store i32 %swapped, ptr %place
  call void @__sinter_barrier(i32 2, i32 2) #1
  store i32 %x, ptr %data
  ret void
}
attributes #0 = { convergent nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
