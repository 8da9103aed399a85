; The last lane of a sub-group stores the sum of all lanes. The code has one store, and no scatter. Permutations
; with known lane numbers become shuffles with constant masks.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<sub-group=8>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: shufflevector <8 x i32> {{.*}}, <8 x i32> poison, <8 x i32> <i32 7, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6>
; CHECK-NOT: call void @llvm.masked.scatter
; CHECK: [[VALUE:%.*]] = extractelement <8 x i32> {{.*}}, i64 7
; CHECK: [[PLACE:%.*]] = extractelement <8 x ptr> {{.*}}, i64 7
; CHECK: store i32 [[VALUE]], ptr [[PLACE]], align 4
; CHECK: ret i32 0

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare i32 @__sinter_sub_group_local_id() memory(none)
declare i32 @__sinter_sub_group_shuffle_32(i32, i32) convergent memory(none)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_local_id(i32 2)
  %from = getelementptr i32, ptr %data, i64 %id
  %x = load i32, ptr %from
  %lane = call i32 @__sinter_sub_group_local_id()
  %before = add i32 %lane, -1
  %y = call i32 @__sinter_sub_group_shuffle_32(i32 %x, i32 %before)
  %sum = add i32 %x, %y
  %last = icmp eq i32 %lane, 7
  br i1 %last, label %store, label %done

store:
  %number = lshr i64 %id, 3
  %even = and i64 %number, 62
  %place = getelementptr i32, ptr %data, i64 %even
  %square = mul i64 %id, %id
  %far = getelementptr i32, ptr %place, i64 %square
  store i32 %sum, ptr %far
  br label %done

done:
  ret void
}
