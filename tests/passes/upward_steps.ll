; A counter advances by a captured step. A negative step would make the counter wrap around, so the code uses max(step,
; 0) as the step, and reads the argument in front of the loop.
; RUN: %opt -passes='sinter-upward-steps' %s | FileCheck %s
; After this change of the step, the compiler knows that neighbouring work-items read neighbouring elements. So the
; loads are contiguous, and the work-items of a range read row by row.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s --check-prefix=LOWERED
; The step is not changed if the counter may wrap, if the loop has another exit, or if an iteration may never end.
; RUN: sed -e 's/add nsw i32 %i, %step/add i32 %i, %step/' %s | %opt -passes='sinter-upward-steps' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/icmp slt i32 %i/icmp ult i32 %i/' %s | %opt -passes='sinter-upward-steps' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/icmp slt i32 %i/icmp sgt i32 %i/' %s | %opt -passes='sinter-upward-steps' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/;LEAVES//' -e 's/, %body \]/, %again ]/' %s | %opt -passes='sinter-upward-steps' \
; RUN:   | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/;ENDS//' %s | %opt -passes='sinter-upward-steps' | FileCheck %s --check-prefix=STAYS
; The step is not changed if the bound may decrease faster than the counter.
; RUN: sed -e 's/;SINKS//' -e 's/slt i32 %i, %end/slt i32 %i, %sinking/' %s | %opt -passes='sinter-upward-steps' | FileCheck %s --check-prefix=STAYS

; CHECK: start:
; CHECK: [[STEP:%.*]] = load i32, ptr %at.step
; CHECK: [[UP:%.*]] = call i32 @llvm.smax.i32(i32 [[STEP]], i32 0)
; CHECK: head:
; CHECK: add nsw i32 %i, [[UP]]
; STAYS-NOT: llvm.smax
; LOWERED: define internal i32 @kernel.work_item.region0.wide(
; LOWERED: load <16 x float>
; LOWERED: define internal void @"sinter:kernel"(

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare void @waits() nounwind

define void @kernel(ptr dereferenceable(32) align 8 %block) "sinter-kernel"="range<1>" {
start:
  %data = load ptr, ptr %block
  %at.step = getelementptr i8, ptr %block, i64 8
  %at.end = getelementptr i8, ptr %block, i64 12
  %end = load i32, ptr %at.end
  %at.out = getelementptr i8, ptr %block, i64 16
  %out = load ptr, ptr %at.out
  %id = call i64 @__sinter_global_id(i32 2)
  %at.own = getelementptr float, ptr %out, i64 %id
  %first = trunc i64 %id to i32
  br label %head

head:
  %i = phi i32 [ %first, %start ], [ %next, %body ]
  %sum = phi float [ 0.0, %start ], [ %more, %body ]
  ;SINKS %sinking = mul i32 %i, %end
  %inside = icmp slt i32 %i, %end
  br i1 %inside, label %body, label %done

body:
  %place = sext i32 %i to i64
  %from = getelementptr float, ptr %data, i64 %place
  %x = load float, ptr %from
  %more = fadd float %sum, %x
  ;ENDS call void @waits()
  %step = load i32, ptr %at.step, !invariant.load !0
  %next = add nsw i32 %i, %step
  ;LEAVES %leaves = fcmp oeq float %x, 0.0
  ;LEAVES br i1 %leaves, label %again, label %done

;LEAVES again:
  br label %head

done:
  store float %sum, ptr %at.own
  ret void
}

!0 = !{}
