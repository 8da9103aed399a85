; Device math functions become functions of libm. Functions of double keep their plain names. Functions of float get an
; f at the end of the name, and lgamma_r gets the f in the middle. Attributes say that the functions have no side
; effects and don't set errno. These attributes are kept.
; RUN: %opt -passes=sinter-device-math %s | FileCheck %s --implicit-check-not=__sinter_math

; CHECK: declare double @cbrt(double) #[[PURE:[0-9]+]]
; CHECK: declare float @cbrtf(float) #[[PURE]]
; CHECK: declare double @lgamma_r(double, ptr)
; CHECK: declare float @lgammaf_r(float, ptr)
; CHECK: call double @cbrt(double %x)
; CHECK: call float @cbrtf(float %f)
; CHECK: call double @lgamma_r(double %a, ptr %sign)
; CHECK: call float @lgammaf_r(float %b, ptr %sign)
; CHECK: attributes #[[PURE]] = { nounwind willreturn memory(none) }

declare double @__sinter_math_cbrt_f64(double) nounwind willreturn memory(none)
declare float @__sinter_math_cbrt_f32(float) nounwind willreturn memory(none)
declare double @__sinter_math_lgamma_r_f64(double, ptr)
declare float @__sinter_math_lgamma_r_f32(float, ptr)

define double @use(double %x, float %f, ptr %sign) {
  %a = call double @__sinter_math_cbrt_f64(double %x)
  %b = call float @__sinter_math_cbrt_f32(float %f)
  %c = call double @__sinter_math_lgamma_r_f64(double %a, ptr %sign)
  %d = call float @__sinter_math_lgamma_r_f32(float %b, ptr %sign)
  %e = fpext float %d to double
  %sum = fadd double %c, %e
  ret double %sum
}
