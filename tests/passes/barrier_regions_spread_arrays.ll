; A private array lives across a barrier, and all work-items index it by the same counters. If vectors are made, all
; work-items' elements with the same index are consecutive: for n work-items, element k of work-item i is at
; (k * n + i) * 4. If n is a multiple of 128, each row of n elements is followed by space for 16 more, because the
; elements would otherwise share few sets of a cache.
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions<lanes=4>' %s | FileCheck %s
; If work-items run one by one, each work-item's array is contiguous.
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions' %s | FileCheck %s --check-prefix=ALONE

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK: [[LOW:%.*]] = and i64 %25, 127
; CHECK: [[EVEN:%.*]] = icmp eq i64 [[LOW]], 0
; CHECK: [[MORE:%.*]] = select i1 [[EVEN]], i64 16, i64 0
; CHECK: [[N:%.*]] = add nuw i64 %25, [[MORE]]
; CHECK: [[ITEM:%.*]] = mul nuw i64 %24, 4
; CHECK: [[BYTES:%.*]] = mul i64 %k, 4
; CHECK: mul i64 [[BYTES]], [[N]]
; The array takes an eighth more than 32 * 4 bytes, rounded up to whole cache lines.
; CHECK: "sinter-context-bytes"="192"

; ALONE-LABEL: define internal i32 @kernel.work_item.region0(
; ALONE: mul nuw i64 %24, 128
; ALONE: "sinter-context-bytes"="128"

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %kept = alloca [32 x i32]
  %data = load ptr, ptr %block
  %n.at = getelementptr i8, ptr %block, i64 8
  %n = load i64, ptr %n.at
  %x = load i32, ptr %data
  br label %write
write:
  %k = phi i64 [ 0, %entry ], [ %k1, %write ]
  %there = getelementptr i32, ptr %kept, i64 %k
  store i32 %x, ptr %there
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %write, label %meet
meet:
  call void @__sinter_barrier(i32 2, i32 2)
  br label %read
read:
  %j = phi i64 [ 0, %meet ], [ %j1, %read ]
  %sum = phi i32 [ 0, %meet ], [ %sum1, %read ]
  %place = getelementptr i32, ptr %kept, i64 %j
  %y = load i32, ptr %place
  %sum1 = add i32 %sum, %y
  %j1 = add i64 %j, 1
  %again = icmp ult i64 %j1, %n
  br i1 %again, label %read, label %done
done:
  store i32 %sum1, ptr %data
  ret void
}
