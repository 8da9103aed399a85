; A guard stands before a loop down columns. If all work-items of a group pass the guard, they meet at a barrier in the
; loop, as if there were no guard. Without this, each vector would go down its columns alone, although all groups except
; the last one pass the guard.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; The loop is not changed if the guard's condition differs within the group.
; RUN: sed -e 's/icmp uge i64 %id, %n/icmp eq i64 %id, %n/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' \
; RUN:   | FileCheck %s --check-prefix=APART

; CHECK: define internal i32 @kernel.work_item.region0(
; The code tests the group's first id and the id behind its last one.
; CHECK: [[FIRST:%.*]] = mul {{.*}}i64 %9, %15
; CHECK: [[BEHIND:%.*]] = add {{.*}}i64 {{.*}}%15
; CHECK: icmp {{uge|ule|ult|ugt}} i64
; CHECK: define internal i32 @kernel.work_item.region1(
; CHECK: define internal void @"sinter:kernel"(

; APART-NOT: region1(

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 16
  %out = load ptr, ptr %at.out
  %at.n = getelementptr i8, ptr %block, i64 8
  %n = load i64, ptr %at.n
  %id = call i64 @__sinter_global_id(i32 2)
  %beyond = icmp uge i64 %id, %n
  br i1 %beyond, label %done, label %loop

loop:
  %i = phi i64 [ 0, %start ], [ %next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %more, %loop ]
  %row = mul i64 %i, 4096
  %place = add i64 %row, %id
  %from = getelementptr float, ptr %data, i64 %place
  %x = load float, ptr %from
  %more = fadd float %sum, %x
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, 4096
  br i1 %again, label %loop, label %store

store:
  %to = getelementptr float, ptr %out, i64 %id
  store float %more, ptr %to
  br label %done

done:
  ret void
}
