; for (int i = id; i < n; i += range): the step has 64 bits, so LLVM keeps a counter of 64 bits and uses its low half.
; With a counter of 32 bits, the pass knows that the counter does not wrap in usual launches, and that neighbouring
; work-items access consecutive memory.
; RUN: %opt -passes='sinter-lower-cpu<lanes=4>' %s | FileCheck %s
; The code uses all 64 bits of the counter, so the counter is not changed.
; RUN: sed -e 's/;WHOLE//' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=WHOLE

; CHECK: define {{.*}} @kernel.work_item.{{[0-9]+}}.wide(
; CHECK: phi i32
; CHECK-NOT: gather
; CHECK: call <4 x float> @llvm.masked.load.v4f32.p0(
; CHECK-NOT: scatter
; CHECK: call void @llvm.masked.store.v4f32.p0(
; CHECK: define internal void @"sinter:kernel.usual"(

; WHOLE: define {{.*}} @kernel.work_item.wide(
; WHOLE: gather

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_global_range(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %id = call i64 @__sinter_global_id(i32 2)
  %all = call i64 @__sinter_global_range(i32 2)
  %data = load ptr, ptr %block
  %at.n = getelementptr i8, ptr %block, i64 8
  %n = load i32, ptr %at.n
  br label %head

head:
  %i = phi i64 [ %id, %entry ], [ %next, %body ]
  %low = trunc i64 %i to i32
  %more = icmp slt i32 %low, %n
  br i1 %more, label %body, label %end

body:
  %up = shl i64 %i, 32
  %index = ashr exact i64 %up, 32
  %place = getelementptr inbounds float, ptr %data, i64 %index
  %x = load float, ptr %place
  %y = fadd float %x, 1.0
  store float %y, ptr %place
  ;WHOLE %whole = getelementptr i64, ptr %place, i64 1
  ;WHOLE store i64 %i, ptr %whole
  %next = add i64 %index, %all
  br label %head

end:
  ret void
}
