; The cube root of floats is inlined and vectorized like other code. The cube root of doubles stays a call.
; RUN: %opt -passes=sinter-float-cube-roots %s | FileCheck %s
; RUN: %opt -passes='sinter-float-cube-roots,sinter-work-item-function,sinter-vectorize<lanes=4>' %s \
; RUN:   | FileCheck %s --check-prefix=WIDE

; CHECK-LABEL: @kernel(
; CHECK-NOT: call float @__sinter_math_cbrt_f32
; CHECK: call double @__sinter_math_cbrt_f64(

; WIDE: define {{.*}} @kernel.work_item.wide(
; WIDE: fdiv <4 x double>

declare i64 @__sinter_global_id(i32)
declare float @__sinter_math_cbrt_f32(float)
declare double @__sinter_math_cbrt_f64(double)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %cell
  %a = call float @__sinter_math_cbrt_f32(float %x)
  %b = fpext float %a to double
  %c = call double @__sinter_math_cbrt_f64(double %b)
  %d = fptrunc double %c to float
  store float %d, ptr %cell
  ret void
}
