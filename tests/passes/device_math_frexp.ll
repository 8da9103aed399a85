; frexp becomes a call of libm, because LLVM 22 crashes over the intrinsic when it combines vectors. The exponent is
; returned through private memory: one variable per call, allocated at the start of the function. For half, the
; intrinsic stays.
; RUN: %opt -passes=sinter-device-math %s | FileCheck %s --implicit-check-not=llvm.frexp.f64 --implicit-check-not=llvm.frexp.f32

; CHECK-LABEL: define i32 @use(
; CHECK-NEXT: entry:
; CHECK-NEXT: %[[SECOND:.*]] = alloca i32
; CHECK-NEXT: %[[FIRST:.*]] = alloca i32
; CHECK: call double @frexp(double %x, ptr %[[FIRST]])
; CHECK: call float @frexpf(float %f, ptr %[[SECOND]])
; CHECK: call { half, i32 } @llvm.frexp.f16.i32(half %h)
declare { double, i32 } @llvm.frexp.f64.i32(double)
declare { float, i32 } @llvm.frexp.f32.i32(float)
declare { half, i32 } @llvm.frexp.f16.i32(half)

define i32 @use(double %x, float %f, half %h) {
entry:
  %a = call { double, i32 } @llvm.frexp.f64.i32(double %x)
  %b = call { float, i32 } @llvm.frexp.f32.i32(float %f)
  %c = call { half, i32 } @llvm.frexp.f16.i32(half %h)
  %i = extractvalue { double, i32 } %a, 1
  %j = extractvalue { float, i32 } %b, 1
  %k = extractvalue { half, i32 } %c, 1
  %ij = add i32 %i, %j
  %ijk = add i32 %ij, %k
  ret i32 %ijk
}
