; RUN: llc < %s -mtriple=x86_64-unknown-unknown -mcpu=x86-64-v4 | FileCheck %s
; RUN: llc < %s -mtriple=x86_64-unknown-unknown -mcpu=knl | FileCheck %s --check-prefix=KNL

; A masked store of a trunc with one lane that is known to be on has to write one element, not one of the trunc's source.

declare void @llvm.masked.store.v8i8.p0(<8 x i8>, ptr, <8 x i1>)
declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, <8 x i1>)

; CHECK-LABEL: v8i32_v8i8_first:
; CHECK-NOT: vmovss
; CHECK-NOT: vmovd %xmm0, (%rdi)
; CHECK: retq
define void @v8i32_v8i8_first(<8 x i32> %v, ptr %p) {
  %t = trunc <8 x i32> %v to <8 x i8>
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %t, ptr align 1 %p, <8 x i1> <i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  ret void
}

; CHECK-LABEL: v8i32_v8i8_third:
; CHECK-NOT: {{vextractps|vpextrd}} $3, %xmm0, 3(%rdi)
; CHECK: retq
define void @v8i32_v8i8_third(<8 x i32> %v, ptr %p) {
  %t = trunc <8 x i32> %v to <8 x i8>
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %t, ptr align 1 %p, <8 x i1> <i1 false, i1 false, i1 false, i1 true, i1 false, i1 false, i1 false, i1 false>)
  ret void
}

; CHECK-LABEL: v8i64_v8i32_first:
; CHECK-NOT: {{vmovlps|vmovq}} %xmm0, (%rdi)
; CHECK: retq
; KNL-LABEL: v8i64_v8i32_first:
; KNL-NOT: {{vmovlps|vmovq}} %xmm0, (%rdi)
; KNL: retq
define void @v8i64_v8i32_first(<8 x i64> %v, ptr %p) {
  %t = trunc <8 x i64> %v to <8 x i32>
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %t, ptr align 1 %p, <8 x i1> <i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  ret void
}
