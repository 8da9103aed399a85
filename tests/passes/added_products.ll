; All versions of a kernel's code round a * b + c equally often: once if the machine has an FMA for the type, twice on
; other machines. LLVM alone would round constants once on every machine. On 64-bit Arm, LLVM makes vectors of a loop of
; one work-item and adds the products in order. So LLVM alone would round twice in such a loop.
; RUN: SINTER_CPU=x86-64-v3 %opt -passes=sinter-added-products %s | FileCheck %s --check-prefixes=ONCE,TWICE-HALF --implicit-check-not=fmuladd
; RUN: SINTER_CPU=aarch64:neoverse-n1 %opt -passes=sinter-added-products %s | FileCheck %s --check-prefixes=ONCE,ONCE-HALF --implicit-check-not=fmuladd
; RUN: SINTER_CPU=x86-64-v2 %opt -passes=sinter-added-products %s | FileCheck %s --check-prefixes=TWICE,TWICE-HALF --implicit-check-not=fmuladd
; RUN: SINTER_CPU=aarch64:neoverse-n1 %opt -passes='sinter-lower-cpu<lanes=1>,sinter-optimise' %s \
; RUN:   | FileCheck %s --check-prefix=LOOP --implicit-check-not=reduce --implicit-check-not=fmuladd
; RUN: SINTER_CPU=x86-64-v2 %opt -passes='sinter-lower-cpu<lanes=1>,sinter-optimise' %s \
; RUN:   | FileCheck %s --check-prefix=CONSTANT --implicit-check-not=fmuladd

; ONCE: [[SUM:%.*]] = call float @llvm.fma.f32(float %far, float %far, float %sum)
; TWICE: [[PRODUCT:%.*]] = fmul float %far, %far
; TWICE: fadd float [[PRODUCT]], %sum
; ONCE: call nnan <2 x double> @llvm.fma.v2f64(
; TWICE: fmul nnan <2 x double>
; TWICE: fadd nnan <2 x double>
; ONCE-HALF: call half @llvm.fma.f16(
; TWICE-HALF: fmul half
; TWICE-HALF: fadd half
; LOOP: call float @llvm.fma.f32(float %far

; (1 + 2^-23)^2 - 1 is 2^-22 + 2^-46. If the product is rounded, the summand 2^-46 is lost.
; CONSTANT: store float 0x3E90000000000000, ptr %constant_cell

declare i64 @__sinter_global_id(i32)
declare float @llvm.fmuladd.f32(float, float, float)
declare <2 x double> @llvm.fmuladd.v2f64(<2 x double>, <2 x double>, <2 x double>)
declare half @llvm.fmuladd.f16(half, half, half)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %row_place = mul i64 %id, 333
  %row = getelementptr float, ptr %data, i64 %row_place
  %pairs_at = getelementptr i8, ptr %block, i64 8
  %pairs = load ptr, ptr %pairs_at
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 1.0, %entry ], [ %more, %loop ]
  %cell = getelementptr inbounds float, ptr %row, i64 %i
  %value = load float, ptr %cell
  %far = fsub float %value, 3.0
  %more = call float @llvm.fmuladd.f32(float %far, float %far, float %sum)
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 333
  br i1 %done, label %end, label %loop
end:
  %pair_cell = getelementptr <2 x double>, ptr %pairs, i64 %id
  %pair = load <2 x double>, ptr %pair_cell
  %pair_sum = call nnan <2 x double> @llvm.fmuladd.v2f64(<2 x double> %pair, <2 x double> %pair, <2 x double> %pair)
  store <2 x double> %pair_sum, ptr %pair_cell
  %half_cell = getelementptr half, ptr %pairs, i64 %id
  %half = load half, ptr %half_cell
  %half_sum = call half @llvm.fmuladd.f16(half %half, half %half, half %half)
  store half %half_sum, ptr %half_cell
  store float %more, ptr %row
  %constant_cell = getelementptr float, ptr %row, i64 1
  %constant = call float @llvm.fmuladd.f32(float 0x3FF0000020000000, float 0x3FF0000020000000, float -1.0)
  store float %constant, ptr %constant_cell
  ret void
}
