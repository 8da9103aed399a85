; for (int i = id; i < n; i += 65536u): the step has 64 bits, so LLVM keeps a counter of 64 bits. Work-items meet in
; such a loop, and run the remaining iterations separately. In such a loop, too, lanes access consecutive elements,
; because the counter starts above zero and grows without wrapping. Without vectors, no version of the code would let
; work-items meet.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; An unknown step is not negative, because with a negative step the counter would wrap.
; RUN: sed -e 's/;STEP//' -e 's/i64 %whole, 65536/i64 %whole, %step/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s

; CHECK: define {{.*}}region0{{.*}}.wide(
; CHECK-NOT: gather
; CHECK: define internal void @"sinter:kernel.usual"(

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_group_id(i32)
declare float @llvm.sqrt.f32(float)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %id = call i64 @__sinter_global_id(i32 2)
  %group = call i64 @__sinter_group_id(i32 2)
  %group.value = uitofp i64 %group to float
  %end = load i32, ptr %block
  %in.at = getelementptr i8, ptr %block, i64 16
  %in = load ptr, ptr %in.at
  %out.at = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %out.at
  ;STEP %step.at = getelementptr i8, ptr %block, i64 24
  ;STEP %step = load i64, ptr %step.at
  br label %head

head:
  %counter = phi i64 [ %id, %entry ], [ %next, %body ]
  %i = trunc i64 %counter to i32
  %goes_on = icmp sgt i32 %end, %i
  br i1 %goes_on, label %body, label %done

body:
  %high = shl i64 %counter, 32
  %whole = ashr exact i64 %high, 32
  %from = getelementptr inbounds float, ptr %in, i64 %whole
  %value = load float, ptr %from
  %root = call float @llvm.sqrt.f32(float %value)
  ; Because of %group.value, groups do not take contiguous parts (grid_pieces.ll).
  %sum = fadd float %root, %group.value
  %to = getelementptr inbounds float, ptr %out, i64 %whole
  store float %sum, ptr %to
  %next = add nsw i64 %whole, 65536
  br label %head

done:
  ret void
}
