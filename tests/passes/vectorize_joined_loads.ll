; Each lane loads four neighbouring words of 16 bits. These four loads are joined into one load of 64 bits. Here, each
; group of four lanes loads from consecutive addresses, because loop counters and masked counters keep the distances
; between lanes. The loads are not joined if a word is written in between, or if one word is missing. All groups of
; lanes are equally far from each other in memory, so the code computes only one address. In the last variant, a group
; has two lanes.
; RUN: %opt -passes='sinter-work-item-function<sub-group=16>,sinter-vectorize<sub-group=16>' %s | FileCheck %s
; RUN: SINTER_PASSES=-joined-loads %opt -passes='sinter-work-item-function<sub-group=16>,sinter-vectorize<sub-group=16>' %s \
; RUN:   | FileCheck %s --check-prefix=APART
; RUN: sed -e 's/;WRITE//' %s | %opt -passes='sinter-work-item-function<sub-group=16>,sinter-vectorize<sub-group=16>' \
; RUN:   | FileCheck %s --check-prefix=APART
; RUN: sed -e 's/i64 8 ;D/i64 10/' %s | %opt -passes='sinter-work-item-function<sub-group=16>,sinter-vectorize<sub-group=16>' \
; RUN:   | FileCheck %s --check-prefix=PAIR
; RUN: sed -e 's/%lane, 2/%lane, 1/; s/%shifted, 24/%shifted, 8/' %s | %opt -passes='sinter-work-item-function<sub-group=16>,sinter-vectorize<sub-group=16>' \
; RUN:   | FileCheck %s --check-prefix=TWO

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK-NOT: extractelement <16 x ptr>
; CHECK-COUNT-4: load <4 x i64>, ptr
; TWO: define {{.*}} @kernel.work_item.wide(
; TWO-NOT: extractelement <16 x ptr>
; TWO-COUNT-8: load <2 x i64>, ptr
; APART: define {{.*}} @kernel.work_item.wide(
; APART-NOT: load <4 x i64>
; PAIR: define {{.*}} @kernel.work_item.wide(
; PAIR-NOT: load <4 x i64>
; PAIR: <16 x i32> @llvm.masked.gather

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_id(i32)
declare i32 @__sinter_sub_group_shuffle_32(i32, i32) #0

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" #0 {
start:
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %at.out
  %at.count = getelementptr i8, ptr %block, i64 16
  %count = load i64, ptr %at.count
  %id = call i64 @__sinter_global_id(i32 2)
  %lane = call i64 @__sinter_local_id(i32 2)
  %quarter = lshr i64 %lane, 2
  %shifted = shl i64 %lane, 3
  %within = and i64 %shifted, 24
  br label %head

head:
  %i = phi i64 [ %quarter, %start ], [ %next, %body ]
  %sum = phi i32 [ 0, %start ], [ %more, %body ]
  %goes.on = icmp slt i64 %i, %count
  br i1 %goes.on, label %body, label %done

body:
  %at.block = getelementptr { i16, [16 x i16] }, ptr %data, i64 %i
  %at.numbers = getelementptr i8, ptr %at.block, i64 2
  %at.a = getelementptr i8, ptr %at.numbers, i64 %within
  %at.b = getelementptr i8, ptr %at.a, i64 2
  %at.c = getelementptr i8, ptr %at.a, i64 4
  %at.d = getelementptr i8, ptr %at.block, i64 8 ;D
  %at.d2 = getelementptr i8, ptr %at.d, i64 %within
  %a = load i16, ptr %at.a
  %c = load i16, ptr %at.c
  ;WRITE store i16 0, ptr %at.b
  %d = load i16, ptr %at.d2
  %b = load i16, ptr %at.b
  %a.wide = zext i16 %a to i32
  %b.wide = sext i16 %b to i32
  %c.wide = zext i16 %c to i32
  %d.wide = sext i16 %d to i32
  %ab = mul i32 %a.wide, %b.wide
  %cd = mul i32 %c.wide, %d.wide
  %abcd = add i32 %ab, %cd
  %more = xor i32 %sum, %abcd
  %next = add nuw nsw i64 %i, 4
  br label %head

done:
  %all = call i32 @__sinter_sub_group_shuffle_32(i32 %sum, i32 0) #0
  %cell = getelementptr i32, ptr %out, i64 %id
  store i32 %all, ptr %cell
  ret void
}

attributes #0 = { convergent }
