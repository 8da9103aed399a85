; RUN: llc < %s -mtriple=aarch64-linux-gnu -mattr=+sve2 | FileCheck %s

; Integers are cut to 16 bits, then they become floats: the compiler ends with an error.

; CHECK-LABEL: short_to_float:
; CHECK: ret
define <4 x float> @short_to_float(<4 x i64> %x) vscale_range(2,2) {
  %cut = trunc <4 x i64> %x to <4 x i16>
  %result = uitofp <4 x i16> %cut to <4 x float>
  ret <4 x float> %result
}

; CHECK-LABEL: gathered:
; CHECK: ret
define <8 x i16> @gathered(ptr %from, <8 x i32> %places, <8 x i1> %mask) vscale_range(2,2) {
  %wide = zext <8 x i32> %places to <8 x i64>
  %at = getelementptr i8, ptr %from, <8 x i64> %wide
  %loaded = call <8 x i8> @llvm.masked.gather.v8i8.v8p0(<8 x ptr> align 1 %at, <8 x i1> %mask, <8 x i8> poison)
  %result = zext <8 x i8> %loaded to <8 x i16>
  ret <8 x i16> %result
}
