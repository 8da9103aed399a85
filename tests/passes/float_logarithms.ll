; Natural and decimal logarithms of floats are inlined and vectorized like other code, because libmvec's logarithms
; are not precise enough. Logarithms of doubles, and logarithms to base 2, stay calls.
; RUN: SINTER_CPU=x86-64-v3 %opt -passes=sinter-float-logarithms %s | FileCheck %s
; RUN: SINTER_CPU=x86-64-v3 %opt -passes='sinter-float-logarithms,sinter-work-item-function,sinter-vectorize<lanes=4>' %s \
; RUN:   | FileCheck %s --check-prefix=WIDE

; CHECK-LABEL: @kernel(
; CHECK-NOT: call float @llvm.log.f32
; CHECK-NOT: call float @__sinter_math_log10_f32
; CHECK: ashr i32 {{%.*}}, 23
; CHECK: select i1 {{%.*}}, float 0xFFF0000000000000, float
; CHECK-NOT: call float @__sinter_math_log10_f32
; CHECK: ashr i32 {{%.*}}, 23
; CHECK: call float @llvm.log2.f32(
; CHECK: call double @llvm.log.f64(

; WIDE: define {{.*}} @kernel.work_item.wide(
; WIDE-NOT: logf
; WIDE: ashr <4 x i32>
; WIDE-NOT: {{log(10)?f}}
; WIDE: ashr <4 x i32>
; WIDE: call <4 x float> @_ZGVbN4v_log2f(
; WIDE: call {{.*}} @_ZGV{{.*}}v_log(

declare i64 @__sinter_global_id(i32)
declare float @llvm.log.f32(float)
declare float @llvm.log2.f32(float)
declare float @__sinter_math_log10_f32(float) memory(none) willreturn nounwind
declare double @llvm.log.f64(double)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %cell
  %a = call float @llvm.log.f32(float %x)
  %b = call float @__sinter_math_log10_f32(float %a)
  %c = call float @llvm.log2.f32(float %b)
  %d = fpext float %c to double
  %e = call double @llvm.log.f64(double %d)
  %f = fptrunc double %e to float
  store float %f, ptr %cell
  ret void
}
