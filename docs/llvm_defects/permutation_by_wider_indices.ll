; RUN: llc < %s -mtriple=x86_64-unknown-unknown -mcpu=x86-64-v4 | FileCheck %s

; Eight elements chosen by the first eight of sixteen indices that are wider than the elements: the compiler ends with
; an error.

; CHECK-LABEL: first_half:
; CHECK: retq
define <8 x i16> @first_half(<16 x i16> %v, <16 x i32> %s0) {
  %s1 = and <16 x i32> %s0, splat (i32 15)
  %i0 = extractelement <16 x i32> %s1, i32 0
  %e0 = extractelement <16 x i16> %v, i32 %i0
  %r0 = insertelement <8 x i16> poison, i16 %e0, i32 0
  %i1 = extractelement <16 x i32> %s1, i32 1
  %e1 = extractelement <16 x i16> %v, i32 %i1
  %r1 = insertelement <8 x i16> %r0, i16 %e1, i32 1
  %i2 = extractelement <16 x i32> %s1, i32 2
  %e2 = extractelement <16 x i16> %v, i32 %i2
  %r2 = insertelement <8 x i16> %r1, i16 %e2, i32 2
  %i3 = extractelement <16 x i32> %s1, i32 3
  %e3 = extractelement <16 x i16> %v, i32 %i3
  %r3 = insertelement <8 x i16> %r2, i16 %e3, i32 3
  %i4 = extractelement <16 x i32> %s1, i32 4
  %e4 = extractelement <16 x i16> %v, i32 %i4
  %r4 = insertelement <8 x i16> %r3, i16 %e4, i32 4
  %i5 = extractelement <16 x i32> %s1, i32 5
  %e5 = extractelement <16 x i16> %v, i32 %i5
  %r5 = insertelement <8 x i16> %r4, i16 %e5, i32 5
  %i6 = extractelement <16 x i32> %s1, i32 6
  %e6 = extractelement <16 x i16> %v, i32 %i6
  %r6 = insertelement <8 x i16> %r5, i16 %e6, i32 6
  %i7 = extractelement <16 x i32> %s1, i32 7
  %e7 = extractelement <16 x i16> %v, i32 %i7
  %r7 = insertelement <8 x i16> %r6, i16 %e7, i32 7
  ret <8 x i16> %r7
}
