; The gamma function of floats and its logarithm are inlined in doubles, with functions that exist for vectors. The
; gamma functions of doubles stay calls.
; RUN: %opt -passes=sinter-float-gammas %s | FileCheck %s
; RUN: SINTER_CPU=x86-64-v3 %opt -passes='sinter-float-gammas,sinter-work-item-function,sinter-vectorize<lanes=8>' %s \
; RUN:   | FileCheck %s --check-prefix=WIDE

; CHECK-LABEL: @kernel(
; CHECK-NOT: call float
; CHECK: call double @__sinter_math_tgamma_f64(
; CHECK: call double @__sinter_math_lgamma_f64(

; WIDE: define {{.*}} @kernel.work_item.wide(
; WIDE-DAG: call <4 x double> @_ZGVdN4v_exp(
; WIDE-DAG: call <4 x double> @_ZGVdN4v_log(
; WIDE-NOT: call {{.*}}sin(

declare i64 @__sinter_global_id(i32)
declare float @__sinter_math_tgamma_f32(float)
declare float @__sinter_math_lgamma_f32(float)
declare double @__sinter_math_tgamma_f64(double)
declare double @__sinter_math_lgamma_f64(double)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %cell
  %a = call float @__sinter_math_tgamma_f32(float %x)
  %b = call float @__sinter_math_lgamma_f32(float %x)
  %sum = fadd float %a, %b
  %long = fpext float %sum to double
  %c = call double @__sinter_math_tgamma_f64(double %long)
  %d = call double @__sinter_math_lgamma_f64(double %c)
  %e = fptrunc double %d to float
  store float %e, ptr %cell
  ret void
}
