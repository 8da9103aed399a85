; The exponential function of floats is inlined and vectorized like other code. The exponential function of doubles
; stays a call. Machines with AVX-512 have an instruction that multiplies by powers of 2, even beyond the range of
; exponents. On other machines, the code adds to the exponent and handles denormal results separately.
; RUN: %opt -passes=sinter-float-exponentials %s | FileCheck %s
; RUN: %opt -passes='sinter-float-exponentials,sinter-work-item-function,sinter-vectorize<lanes=4>' %s \
; RUN:   | FileCheck %s --check-prefix=WIDE

; CHECK-LABEL: @kernel(
; CHECK-NOT: call float @llvm.exp.f32
; CHECK-NOT: call float @__sinter_math_exp_f32
; CHECK: call double @llvm.exp.f64(

; WIDE: define {{.*}} @kernel.work_item.wide(
; WIDE-NOT: expf
; WIDE: call {{.*}} @_ZGV{{.*}}v_exp(

declare i64 @__sinter_global_id(i32)
declare float @llvm.exp.f32(float)
declare double @llvm.exp.f64(double)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %cell
  %a = call float @llvm.exp.f32(float %x)
  %b = fpext float %a to double
  %c = call double @llvm.exp.f64(double %b)
  %d = fptrunc double %c to float
  store float %d, ptr %cell
  ret void
}
