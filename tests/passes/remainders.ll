; fmod becomes a division and a multiplication. If a quotient has too many digits, the code branches to another
; computation. All lanes compute the division and the multiplication, even if they take the branch. On machines without
; FMA, which round products before they add, fmod stays a call of libm.
; RUN: %opt -passes=sinter-remainders -mattr=+avx512f,+fma -mtriple=x86_64-pc-linux-gnu %s | FileCheck %s

; CHECK-LABEL: @kernel(
; CHECK: [[OVER:%.*]] = call float @llvm.fabs.f32(float %x)
; CHECK: [[UNDER:%.*]] = call float @llvm.fabs.f32(float %y)
; CHECK: [[QUOTIENT:%.*]] = fdiv float [[OVER]], [[UNDER]]
; CHECK: fcmp olt float [[QUOTIENT]], 0x4150000000000000
; CHECK: [[WHOLE:%.*]] = call float @llvm.trunc.f32(float [[QUOTIENT]])
; CHECK: [[LESS:%.*]] = fneg float [[WHOLE]]
; CHECK: [[REST:%.*]] = call float @llvm.fma.f32(float [[LESS]], float [[UNDER]], float [[OVER]])
; CHECK: fadd float [[REST]], [[UNDER]]
; CHECK: br i1 %{{.*}}, label %[[SELDOM:[0-9]+]], label %[[BEHIND:[0-9]+]], !prof
; CHECK: [[SELDOM]]:
; CHECK: %a = call float @__sinter_math_fmod_f32(float %x, float %y)
; CHECK: [[BEHIND]]:
; CHECK: phi float
; CHECK: fdiv double
; CHECK: frem double

declare i64 @__sinter_global_id(i32)
declare float @__sinter_math_fmod_f32(float, float)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %cell
  %next = getelementptr float, ptr %cell, i64 1
  %y = load float, ptr %next
  %a = call float @__sinter_math_fmod_f32(float %x, float %y)
  %b = fpext float %a to double
  %c = frem double %b, 3.0
  %d = fptrunc double %c to float
  store float %d, ptr %cell
  ret void
}
