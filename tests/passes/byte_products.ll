; Sums of products of single bytes become machine instructions that multiply and add whole words. In lanes of 32 bits,
; each product would take two shifts and a slow multiplication. vpdpbusd multiplies unsigned by signed bytes. If both
; words are signed, or both are unsigned, 128 is added to each byte of one word, and the surplus is subtracted
; afterwards. The products stay if they don't cover four bytes at equal positions of both words, or if they have other
; uses.
; RUN: SINTER_CPU=znver4 %opt -passes='sinter-byte-products,verify' %s | FileCheck %s
; RUN: SINTER_CPU=x86-64-v3 %opt -passes='sinter-byte-products,verify' %s | FileCheck %s --check-prefix=PAIRS --implicit-check-not=vpdpbusd
; RUN: SINTER_CPU=aarch64:neoverse-n1 %opt -passes='sinter-byte-products,verify' %s | FileCheck %s --check-prefix=ARM --implicit-check-not=x86
; RUN: SINTER_PASSES=-byte-products SINTER_CPU=znver4 %opt -passes='sinter-byte-products,verify' %s | FileCheck %s --check-prefix=OFF --implicit-check-not=vpdpbusd

; OFF: define

; CHECK-LABEL: define <8 x i32> @with_signs(
; CHECK: [[MOVED:%.*]] = xor <8 x i32> {{%[ab]}}, splat (i32 -2139062144)
; CHECK: [[SUM:%.*]] = call <8 x i32> @llvm.x86.avx512.vpdpbusd.256(<8 x i32> %sum, <32 x i8> {{.*}}, <32 x i8> {{.*}})
; CHECK: [[TOO_MUCH:%.*]] = call <8 x i32> @llvm.x86.avx512.vpdpbusd.256(<8 x i32> zeroinitializer, <32 x i8> {{.*-2139062144.*}}, <32 x i8> {{.*}})
; CHECK: sub <8 x i32> [[SUM]], [[TOO_MUCH]]
; CHECK-NOT: mul
; PAIRS-LABEL: define <8 x i32> @with_signs(
; PAIRS-COUNT-2: call <8 x i32> @llvm.x86.avx2.pmadd.wd(
; PAIRS-NOT: mul
; ARM-LABEL: define <8 x i32> @with_signs(
; ARM-COUNT-2: call <4 x i32> @llvm.aarch64.neon.sdot.v4i32.v16i8(
; ARM-NOT: mul
define <8 x i32> @with_signs(<8 x i32> %a, <8 x i32> %b, <8 x i32> %sum) {
  %a0.high = shl <8 x i32> %a, splat (i32 24)
  %a0 = ashr exact <8 x i32> %a0.high, splat (i32 24)
  %a1.high = shl <8 x i32> %a, splat (i32 16)
  %a1 = ashr <8 x i32> %a1.high, splat (i32 24)
  %a2.low = lshr <8 x i32> %a, splat (i32 16)
  %a2.byte = trunc <8 x i32> %a2.low to <8 x i8>
  %a2 = sext <8 x i8> %a2.byte to <8 x i32>
  %a3 = ashr <8 x i32> %a, splat (i32 24)
  %b0.high = shl <8 x i32> %b, splat (i32 24)
  %b0 = ashr exact <8 x i32> %b0.high, splat (i32 24)
  %b1.high = shl <8 x i32> %b, splat (i32 16)
  %b1 = ashr <8 x i32> %b1.high, splat (i32 24)
  %b2.high = shl <8 x i32> %b, splat (i32 8)
  %b2 = ashr <8 x i32> %b2.high, splat (i32 24)
  %b3 = ashr <8 x i32> %b, splat (i32 24)
  %p0 = mul nsw <8 x i32> %a0, %b0
  %p1 = mul nsw <8 x i32> %b1, %a1
  %p2 = mul nsw <8 x i32> %a2, %b2
  %p3 = mul nsw <8 x i32> %a3, %b3
  %s0 = add nsw <8 x i32> %p0, %sum
  %s1 = add nsw <8 x i32> %s0, %p1
  %s2 = add nsw <8 x i32> %s1, %p2
  %s3 = add nsw <8 x i32> %s2, %p3
  ret <8 x i32> %s3
}

; Parts of four bits need only one instruction, because their values are equal as signed and as unsigned bytes.
; CHECK-LABEL: define <16 x i32> @half_bytes(
; CHECK: [[HALVES:%.*]] = and <16 x i32> {{.*}}, splat (i32 252645135)
; CHECK: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(
; CHECK-NOT: vpdpbusd
; CHECK: ret
; PAIRS-LABEL: define <16 x i32> @half_bytes(
; PAIRS-COUNT-4: call <8 x i32> @llvm.x86.avx2.pmadd.wd(
; ARM-LABEL: define <16 x i32> @half_bytes(
; ARM-COUNT-4: call <4 x i32> @llvm.aarch64.neon.sdot.v4i32.v16i8(
define <16 x i32> @half_bytes(<16 x i32> %a, <16 x i32> %b) {
  %a.up = lshr <16 x i32> %a, splat (i32 4)
  %a0 = and <16 x i32> %a.up, splat (i32 15)
  %a1.low = lshr <16 x i32> %a, splat (i32 12)
  %a1 = and <16 x i32> %a1.low, splat (i32 15)
  %a2.low = lshr <16 x i32> %a, splat (i32 20)
  %a2 = and <16 x i32> %a2.low, splat (i32 15)
  %a3 = lshr <16 x i32> %a, splat (i32 28)
  %b0.high = shl <16 x i32> %b, splat (i32 24)
  %b0 = ashr exact <16 x i32> %b0.high, splat (i32 24)
  %b1.high = shl <16 x i32> %b, splat (i32 16)
  %b1 = ashr <16 x i32> %b1.high, splat (i32 24)
  %b2.high = shl <16 x i32> %b, splat (i32 8)
  %b2 = ashr <16 x i32> %b2.high, splat (i32 24)
  %b3 = ashr <16 x i32> %b, splat (i32 24)
  %p0 = mul nsw <16 x i32> %a0, %b0
  %p1 = mul nsw <16 x i32> %a1, %b1
  %p2 = mul nsw <16 x i32> %a2, %b2
  %p3 = mul nsw <16 x i32> %a3, %b3
  %s0 = add nsw <16 x i32> %p0, %p1
  %s1 = add nsw <16 x i32> %p2, %p3
  %s2 = add nsw <16 x i32> %s0, %s1
  ret <16 x i32> %s2
}

; Both factors are unsigned, or one is signed. The bytes come from a word of 64 bits, or from two words of 16 bits.
; CHECK-LABEL: define <4 x i32> @without_signs(
; CHECK: xor <4 x i32> {{.*}}, splat (i32 -2139062144)
; CHECK-COUNT-2: call <4 x i32> @llvm.x86.avx512.vpdpbusd.128(
; CHECK-NOT: mul
; PAIRS-LABEL: define <4 x i32> @without_signs(
; PAIRS-COUNT-2: call <4 x i32> @llvm.x86.sse2.pmadd.wd(
; ARM-LABEL: define <4 x i32> @without_signs(
; ARM: call <4 x i32> @llvm.aarch64.neon.udot.v4i32.v16i8(
define <4 x i32> @without_signs(<4 x i64> %a, <4 x i16> %low, <4 x i16> %high) {
  %a.half = lshr <4 x i64> %a, splat (i64 32)
  %a.word = trunc nuw <4 x i64> %a.half to <4 x i32>
  %a0 = and <4 x i32> %a.word, splat (i32 255)
  %a1.low = lshr <4 x i32> %a.word, splat (i32 8)
  %a1 = and <4 x i32> %a1.low, splat (i32 255)
  %a2.low = lshr <4 x i32> %a.word, splat (i32 16)
  %a2 = and <4 x i32> %a2.low, splat (i32 255)
  %a3 = lshr <4 x i32> %a.word, splat (i32 24)
  %low.wide = zext <4 x i16> %low to <4 x i32>
  %high.wide = zext <4 x i16> %high to <4 x i32>
  %b0 = and <4 x i32> %low.wide, splat (i32 255)
  %b1 = lshr <4 x i32> %low.wide, splat (i32 8)
  %b2 = and <4 x i32> %high.wide, splat (i32 255)
  %b3 = lshr <4 x i32> %high.wide, splat (i32 8)
  %p0 = mul <4 x i32> %a0, %b0
  %p1 = mul <4 x i32> %a1, %b1
  %p2 = mul <4 x i32> %a2, %b2
  %p3 = mul <4 x i32> %a3, %b3
  %s0 = add <4 x i32> %p0, %p1
  %s1 = add <4 x i32> %s0, %p2
  %s2 = add <4 x i32> %s1, %p3
  ret <4 x i32> %s2
}

; A word of eight bytes counts as two words in separate lanes, whose sums are added at the end. One factor is signed.
; CHECK-LABEL: define <8 x i32> @long_words(
; CHECK: bitcast <8 x i64> %a to <16 x i32>
; CHECK: [[SUMS:%.*]] = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer,
; CHECK-NOT: vpdpbusd
; CHECK-DAG: shufflevector <16 x i32> [[SUMS]], <16 x i32> poison, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
; CHECK-DAG: shufflevector <16 x i32> [[SUMS]], <16 x i32> poison, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
; CHECK-NOT: mul
; CHECK: ret
; PAIRS-LABEL: define <8 x i32> @long_words(
; PAIRS-COUNT-4: call <8 x i32> @llvm.x86.avx2.pmadd.wd(
; ARM-LABEL: define <8 x i32> @long_words(
; ARM-COUNT-8: call <4 x i32> @llvm.aarch64.neon.sdot.v4i32.v16i8(
define <8 x i32> @long_words(<8 x i64> %a, <8 x i64> %b) {
  %a0.byte = trunc <8 x i64> %a to <8 x i8>
  %a0 = zext <8 x i8> %a0.byte to <8 x i32>
  %a1.low = lshr <8 x i64> %a, splat (i64 8)
  %a1.byte = trunc <8 x i64> %a1.low to <8 x i8>
  %a1 = zext <8 x i8> %a1.byte to <8 x i32>
  %a2.low = lshr <8 x i64> %a, splat (i64 16)
  %a2.byte = trunc <8 x i64> %a2.low to <8 x i8>
  %a2 = zext <8 x i8> %a2.byte to <8 x i32>
  %a3.low = lshr <8 x i64> %a, splat (i64 24)
  %a3.byte = trunc <8 x i64> %a3.low to <8 x i8>
  %a3 = zext <8 x i8> %a3.byte to <8 x i32>
  %a4.low = lshr <8 x i64> %a, splat (i64 32)
  %a4.byte = trunc <8 x i64> %a4.low to <8 x i8>
  %a4 = zext <8 x i8> %a4.byte to <8 x i32>
  %a5.low = lshr <8 x i64> %a, splat (i64 40)
  %a5.byte = trunc <8 x i64> %a5.low to <8 x i8>
  %a5 = zext <8 x i8> %a5.byte to <8 x i32>
  %a6.low = lshr <8 x i64> %a, splat (i64 48)
  %a6.byte = trunc <8 x i64> %a6.low to <8 x i8>
  %a6 = zext <8 x i8> %a6.byte to <8 x i32>
  %a7.low = lshr <8 x i64> %a, splat (i64 56)
  %a7.byte = trunc <8 x i64> %a7.low to <8 x i8>
  %a7 = zext <8 x i8> %a7.byte to <8 x i32>
  %b0.byte = trunc <8 x i64> %b to <8 x i8>
  %b0 = sext <8 x i8> %b0.byte to <8 x i32>
  %p0 = mul nsw <8 x i32> %a0, %b0
  %b1.low = lshr <8 x i64> %b, splat (i64 8)
  %b1.byte = trunc <8 x i64> %b1.low to <8 x i8>
  %b1 = sext <8 x i8> %b1.byte to <8 x i32>
  %p1 = mul nsw <8 x i32> %a1, %b1
  %s1 = add nsw <8 x i32> %p0, %p1
  %b2.low = lshr <8 x i64> %b, splat (i64 16)
  %b2.byte = trunc <8 x i64> %b2.low to <8 x i8>
  %b2 = sext <8 x i8> %b2.byte to <8 x i32>
  %p2 = mul nsw <8 x i32> %a2, %b2
  %s2 = add nsw <8 x i32> %s1, %p2
  %b3.low = lshr <8 x i64> %b, splat (i64 24)
  %b3.byte = trunc <8 x i64> %b3.low to <8 x i8>
  %b3 = sext <8 x i8> %b3.byte to <8 x i32>
  %p3 = mul nsw <8 x i32> %a3, %b3
  %s3 = add nsw <8 x i32> %s2, %p3
  %b4.low = lshr <8 x i64> %b, splat (i64 32)
  %b4.byte = trunc <8 x i64> %b4.low to <8 x i8>
  %b4 = sext <8 x i8> %b4.byte to <8 x i32>
  %p4 = mul nsw <8 x i32> %a4, %b4
  %s4 = add nsw <8 x i32> %s3, %p4
  %b5.low = lshr <8 x i64> %b, splat (i64 40)
  %b5.byte = trunc <8 x i64> %b5.low to <8 x i8>
  %b5 = sext <8 x i8> %b5.byte to <8 x i32>
  %p5 = mul nsw <8 x i32> %a5, %b5
  %s5 = add nsw <8 x i32> %s4, %p5
  %b6.low = lshr <8 x i64> %b, splat (i64 48)
  %b6.byte = trunc <8 x i64> %b6.low to <8 x i8>
  %b6 = sext <8 x i8> %b6.byte to <8 x i32>
  %p6 = mul nsw <8 x i32> %a6, %b6
  %s6 = add nsw <8 x i32> %s5, %p6
  %b7.low = lshr <8 x i64> %b, splat (i64 56)
  %b7.byte = trunc <8 x i64> %b7.low to <8 x i8>
  %b7 = sext <8 x i8> %b7.byte to <8 x i32>
  %p7 = mul nsw <8 x i32> %a7, %b7
  %s7 = add nsw <8 x i32> %s6, %p7
  ret <8 x i32> %s7
}

; Not changed: one word has its bytes in another order, there are only three bytes, a sum is used twice, or one byte has
; another signedness than the others.
; CHECK-LABEL: define <4 x i32> @others(
; CHECK-NOT: vpdpbusd
; CHECK: ret
; PAIRS-LABEL: define <4 x i32> @others(
; PAIRS-NOT: pmadd
; PAIRS: ret
; ARM-LABEL: define <4 x i32> @others(
; ARM-NOT: dot
; ARM: ret
define <4 x i32> @others(<4 x i32> %a, <4 x i32> %b, ptr %out) {
  %a0 = and <4 x i32> %a, splat (i32 255)
  %a1.low = lshr <4 x i32> %a, splat (i32 8)
  %a1 = and <4 x i32> %a1.low, splat (i32 255)
  %a2.low = lshr <4 x i32> %a, splat (i32 16)
  %a2 = and <4 x i32> %a2.low, splat (i32 255)
  %a3 = lshr <4 x i32> %a, splat (i32 24)
  %a3.signed = ashr <4 x i32> %a, splat (i32 24)
  %b0 = and <4 x i32> %b, splat (i32 255)
  %b1.low = lshr <4 x i32> %b, splat (i32 8)
  %b1 = and <4 x i32> %b1.low, splat (i32 255)
  %b2.low = lshr <4 x i32> %b, splat (i32 16)
  %b2 = and <4 x i32> %b2.low, splat (i32 255)
  %b3 = lshr <4 x i32> %b, splat (i32 24)
  %p0 = mul <4 x i32> %a0, %b3
  %p1 = mul <4 x i32> %a1, %b2
  %p2 = mul <4 x i32> %a2, %b1
  %p3 = mul <4 x i32> %a3, %b0
  %s0 = add <4 x i32> %p0, %p1
  %s1 = add <4 x i32> %s0, %p2
  %s2 = add <4 x i32> %s1, %p3
  store <4 x i32> %s2, ptr %out
  %q0 = mul <4 x i32> %a0, %b0
  %q1 = mul <4 x i32> %a1, %b1
  %q2 = mul <4 x i32> %a2, %b2
  %t0 = add <4 x i32> %q0, %q1
  %t1 = add <4 x i32> %t0, %q2
  %r3 = mul <4 x i32> %a3.signed, %b3
  %t2 = add <4 x i32> %t1, %r3
  ret <4 x i32> %t2
}
