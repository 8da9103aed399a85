; If the machine has instructions that extract exponent and significand, natural logarithms of floats use them, in
; vectors and in scalar code. The instructions handle denormal numbers, zeros and infinities. Decimal logarithms have
; the same code as on other machines.
; RUN: SINTER_CPU=x86-64-v4 %opt -passes='sinter-float-logarithms,verify' %s | FileCheck %s
; RUN: SINTER_CPU=x86-64-v4 %opt -passes='sinter-float-logarithms,sinter-work-item-function,sinter-vectorize<lanes=16>,sinter-machine-calls,verify' %s \
; RUN:   | FileCheck %s --check-prefix=WIDE
; RUN: SINTER_CPU=x86-64-v4 %opt -passes='sinter-float-logarithms,sinter-work-item-function,sinter-machine-calls,verify' %s \
; RUN:   | FileCheck %s --check-prefix=ONE
; RUN: SINTER_CPU=x86-64-v3 %opt -passes='sinter-float-logarithms,verify' %s | FileCheck %s --check-prefix=OTHER

; CHECK-LABEL: @kernel(
; CHECK: [[MANTISSA:%.*]] = call float @__sinter_float_mantissa(float [[X:%.*]])
; CHECK: call float @__sinter_float_exponent(float {{.*}})
; CHECK: call float @__sinter_float_exponent(float {{.*}})
; CHECK: ashr i32 {{%.*}}, 23
; CHECK-NOT: call float @__sinter_float
; CHECK: ret void

; WIDE: define {{.*}} @kernel.work_item.wide(
; WIDE: call <16 x float> @llvm.x86.avx512.mask.getmant.ps.512(<16 x float> {{%.*}}, i32 11, <16 x float> zeroinitializer, i16 -1, i32 4)
; WIDE-COUNT-2: call <16 x float> @llvm.x86.avx512.mask.getexp.ps.512(<16 x float> {{%.*}}, <16 x float> zeroinitializer, i16 -1, i32 4)
; WIDE-NOT: @__sinter_float

; ONE: call <4 x float> @llvm.x86.avx512.mask.getmant.ps.128(<4 x float> {{%.*}}, i32 11, <4 x float> zeroinitializer, i8 -1)
; ONE-COUNT-2: call <4 x float> @llvm.x86.avx512.mask.getexp.ps.128(<4 x float> {{%.*}}, <4 x float> zeroinitializer, i8 -1)
; ONE-NOT: @__sinter_float

; OTHER-NOT: @__sinter_float

declare i64 @__sinter_global_id(i32)
declare float @llvm.log.f32(float)
declare float @__sinter_math_log10_f32(float) memory(none) willreturn nounwind

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %cell
  %a = call float @llvm.log.f32(float %x)
  %b = call float @__sinter_math_log10_f32(float %a)
  store float %b, ptr %cell
  ret void
}
