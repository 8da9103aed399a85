; Products of small elements use the machine's instructions for sums of products of words, if the machine has such
; instructions: pairs of bfloat16, and groups of four bytes. For signed bytes, 128 is added to each byte of one operand,
; after the broadcast that reads it from memory. 128 times the other operand is subtracted once for each column. On
; other machines, the code splits words into elements.
; RUN: SINTER_CPU=znver4 %opt -passes='sinter-matrices<sub-group=16>,verify' %s | FileCheck %s --implicit-check-not='call{{.*}}__sinter_matrix'
; RUN: SINTER_CPU=znver4 %opt -passes='sinter-lower-cpu<lanes=0;sub-group=16>,sinter-machine-calls,verify' %s \
; RUN:   | FileCheck %s --check-prefix=WIDE --implicit-check-not='call{{.*}}__sinter_b'
; RUN: SINTER_CPU=x86-64-v3 %opt -passes='sinter-matrices<sub-group=16>,verify' %s | FileCheck %s --check-prefix=OTHER

; 2 x 2 times 2 x 16 of bf16: each row of a is one word. 1 x 4 times 4 x 16 of s8 in the packed layout.
; CHECK-LABEL: @kernel(
; CHECK-COUNT-2: call float @__sinter_bfloat_dot(float {{.*}}, i32 {{.*}}, i32 {{.*}})
; CHECK-NOT: __sinter_bfloat_dot
; CHECK: [[SURPLUS:%.*]] = call i32 @__sinter_byte_dot(i32 0, i32 -2139062144, i32 [[RIGHT:%.*]])
; CHECK: [[MOVED:%.*]] = xor i32 {{%.*}}, -2139062144
; CHECK: [[SUM:%.*]] = call i32 @__sinter_byte_dot(i32 {{%.*}}, i32 [[MOVED]], i32 [[RIGHT]])
; CHECK: sub i32 [[SUM]], [[SURPLUS]]

; WIDE-COUNT-2: call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(
; WIDE: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> {{.*}}-2139062144
; WIDE-NOT: xor i32
; WIDE: xor <16 x i32> {{%.*}}, splat (i32 -2139062144)
; WIDE: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(

; OTHER-NOT: call {{.*}}__sinter_b
; OTHER-COUNT-4: call float @llvm.fmuladd.f32(
; OTHER: mul nsw i32

declare void @__sinter_matrix_load(ptr, i32, ptr, i64, i32) convergent nounwind memory(argmem: readwrite)
declare void @__sinter_matrix_store(ptr, i32, ptr, i64, i32) convergent nounwind memory(argmem: readwrite)
declare void @__sinter_matrix_multiply(ptr, i32, ptr, i32, ptr, i32, ptr, i32) convergent nounwind memory(argmem: readwrite)

; bf16 is element 1, s8 is element 5, s32 is element 7. a is use 0, b is use 1, accumulators are use 2 with layout 3,
; and the packed layout is 2.
define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %a = alloca [16 x i16]
  %b = alloca [16 x i16]
  %c = alloca [16 x float]
  %from = load ptr, ptr %block
  call void @__sinter_matrix_load(ptr %a, i32 8396801, ptr %from, i64 100, i32 0)
  call void @__sinter_matrix_load(ptr %b, i32 67117313, ptr %from, i64 200, i32 0)
  call void @__sinter_matrix_load(ptr %c, i32 67120642, ptr %from, i64 300, i32 0)
  call void @__sinter_matrix_multiply(ptr %c, i32 67120642, ptr %a, i32 8396801, ptr %b, i32 67117313, ptr %c, i32 67120642)
  call void @__sinter_matrix_store(ptr %c, i32 67120642, ptr %from, i64 300, i32 0)
  call void @__sinter_matrix_load(ptr %a, i32 16781317, ptr %from, i64 100, i32 0)
  call void @__sinter_matrix_load(ptr %b, i32 67127557, ptr %from, i64 200, i32 2)
  call void @__sinter_matrix_load(ptr %c, i32 67116551, ptr %from, i64 300, i32 0)
  call void @__sinter_matrix_multiply(ptr %c, i32 67116551, ptr %a, i32 16781317, ptr %b, i32 67127557, ptr %c, i32 67116551)
  call void @__sinter_matrix_store(ptr %c, i32 67116551, ptr %from, i64 300, i32 0)
  ret void
}
