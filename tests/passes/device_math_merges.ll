; If the module already declares a libm function, calls of the libm function and of the device function use the same
; declaration, even if the libm function's address is taken. A function whose name only begins like a device math
; function stays unchanged if it has a body.
; RUN: %opt -passes=sinter-device-math %s | FileCheck %s

; CHECK: @table = constant [1 x ptr] [ptr @hypotf]
; CHECK: declare float @hypotf(float, float)
; CHECK-NOT: declare float
; CHECK: define float @__sinter_math_own_f32(float %x)
; CHECK: call float @hypotf(float %x, float %x)
; CHECK: call float @hypotf(float %a, float %x)

@table = constant [1 x ptr] [ptr @__sinter_math_hypot_f32]

declare float @__sinter_math_hypot_f32(float, float)
declare float @hypotf(float, float)

define float @__sinter_math_own_f32(float %x) {
  %a = call float @__sinter_math_hypot_f32(float %x, float %x)
  %b = call float @hypotf(float %a, float %x)
  ret float %b
}
