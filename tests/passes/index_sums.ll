; Lane 0 may not pass the guard, and an index is i * n + j in ints. The language guarantees that the sum does not wrap
; in lanes that use it. In 64 bits, the indices of these lanes are consecutive. Without nsw flags, the sum may wrap in
; any lane. If one operand is a loaded number, the vector of sums has 32 bits, not 64. The loads of arguments behind the
; guard are marked as invariant (invariant.load), so that LLVM reads the arguments once for a row.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s
; RUN: sed -e 's/add nsw i32 %row, %j/add i32 %row, %j/' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s --check-prefix=WRAPS
; RUN: sed -e 's/add nsw i32 %row, %j/add nsw i32 %row, %number/' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s --check-prefix=LOADED

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK-NOT: masked.gather
; CHECK-NOT: masked.scatter
; CHECK: load i32, ptr %at.n, align 4, !invariant.load
; CHECK: [[ROW:%.*]] = sext i32 %row to i64
; CHECK: add i64 [[ROW]], %3
; CHECK: call <4 x float> @llvm.masked.load.v4f32.p0(
; CHECK: call void @llvm.masked.store.v4f32.p0(
; WRAPS: define {{.*}} @kernel.work_item.wide(
; WRAPS: masked.gather.v4f32
; LOADED: define {{.*}} @kernel.work_item.wide(
; LOADED: add nsw <4 x i32>
; LOADED: sext <4 x i32>
; LOADED: masked.gather.v4f32

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<2>" {
entry:
  %data = load ptr, ptr %block
  %at.n = getelementptr i8, ptr %block, i64 8
  %n = load i32, ptr %at.n
  %numbers.at = getelementptr i8, ptr %block, i64 16
  %numbers = load ptr, ptr %numbers.at
  %id0 = call i64 @__sinter_global_id(i32 1)
  %id1 = call i64 @__sinter_global_id(i32 2)
  %i = trunc i64 %id0 to i32
  %j = trunc i64 %id1 to i32
  %own = getelementptr i32, ptr %numbers, i64 %id1
  %number = load i32, ptr %own
  %fits = icmp sgt i32 %number, 0
  br i1 %fits, label %inside, label %done

inside:
  %row = mul nsw i32 %i, %n
  %sum = add nsw i32 %row, %j
  %next = add nsw i32 %sum, 1
  %index = sext i32 %next to i64
  %at = getelementptr float, ptr %data, i64 %index
  %x = load float, ptr %at
  %y = fadd float %x, 1.0
  store float %y, ptr %at
  br label %done

done:
  ret void
}
