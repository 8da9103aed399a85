; Work-items of a group add up rows that follow each other. The loop's bound is computed in its header. The code in
; front of the remaining iterations uses the bound that the iterations in step have computed. At that place, the header
; has not computed its bound yet, so its bound would be read from memory that nothing has written.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; This also holds for a bound that is not the first argument, so that the header computes its address, too.
; RUN: sed 's/^  %count = load i32, ptr %block/  %at.count = getelementptr i8, ptr %block, i64 24\n  %count = load i32, ptr %at.count/' %s \
; RUN:   | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s

; CHECK: define internal i32 @kernel.work_item.region1.wide(
; CHECK: [[SUMS:%.*]] = load <8 x i64>, ptr
; CHECK-NOT: load <8 x i64>
; CHECK: define internal i32 @kernel.work_item.region2.wide(

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_range(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" "sinter-work-group-size"="64" {
start:
  %id = call i64 @__sinter_global_id(i32 2)
  %step = call i64 @__sinter_local_range(i32 2)
  br label %head

head:
  %i = phi i64 [ %id, %start ], [ %next, %body ]
  %sum = phi i64 [ 1, %start ], [ %more, %body ]
  %count = load i32, ptr %block
  %end = zext i32 %count to i64
  %inside = icmp slt i64 %i, %end
  br i1 %inside, label %body, label %done

body:
  %at.data = getelementptr i8, ptr %block, i64 8
  %data = load ptr, ptr %at.data
  %from = getelementptr i32, ptr %data, i64 %i
  %x = load i32, ptr %from
  %wide = sext i32 %x to i64
  %product = mul i64 %sum, 3
  %more = add i64 %product, %wide
  %next = add nsw i64 %i, %step
  br label %head

done:
  %at.out = getelementptr i8, ptr %block, i64 16
  %out = load ptr, ptr %at.out
  %at.own = getelementptr i64, ptr %out, i64 %id
  store i64 %sum, ptr %at.own
  ret void
}
