; In range kernels, each work-item is a sub-group of its own. Such a work-item votes alone, exchanges values with
; itself, and waits for no other work-item.
; RUN: %opt -passes='sinter-lower-cpu' %s | FileCheck %s

; CHECK-NOT: call {{.*}}__sinter_
; CHECK-LABEL: define internal {{.*}} @kernel.work_item(
; CHECK: [[VOTE:%.*]] = zext i1 %c to i64
; CHECK: store i64 [[VOTE]], ptr
; CHECK: store i32 %x, ptr
; CHECK: store i32 1, ptr

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @__sinter_barrier(i32, i32) #0
declare i32 @__sinter_sub_group_local_id()
declare i32 @__sinter_sub_group_local_range()
declare i32 @__sinter_sub_group_shuffle_32(i32, i32) #0
declare i64 @__sinter_sub_group_ballot(i1) #0

define void @kernel(ptr %block) "sinter-kernel"="single_task" {
  %data = load ptr, ptr %block
  %x = load i32, ptr %data
  %c = icmp eq i32 %x, 7
  %vote = call i64 @__sinter_sub_group_ballot(i1 %c) #0
  store i64 %vote, ptr %data
  call void @__sinter_barrier(i32 1, i32 1) #0
  %lane = call i32 @__sinter_sub_group_local_id()
  %heard = call i32 @__sinter_sub_group_shuffle_32(i32 %x, i32 %lane) #0
  %p = getelementptr i8, ptr %data, i64 8
  store i32 %heard, ptr %p
  call void @__sinter_barrier(i32 2, i32 2) #0
  %range = call i32 @__sinter_sub_group_local_range()
  %q = getelementptr i8, ptr %data, i64 12
  store i32 %range, ptr %q
  ret void
}

attributes #0 = { convergent }
