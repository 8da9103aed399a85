; RUN: opt -S -passes=scalarize-masked-mem-intrin -mtriple=x86_64-unknown-unknown -mcpu=x86-64-v2 < %s | FileCheck %s

; Each pointer of a vector after the first is aligned as a pointer, not as the vector.

declare void @llvm.masked.store.v4p0.p0(<4 x ptr>, ptr, <4 x i1>)
declare <4 x ptr> @llvm.masked.load.v4p0.p0(ptr, <4 x i1>, <4 x ptr>)

; CHECK-LABEL: @store(
; CHECK: store ptr
; CHECK: store ptr {{.*}}, align 8
define void @store(<4 x ptr> %v, ptr %p) {
  call void @llvm.masked.store.v4p0.p0(<4 x ptr> %v, ptr align 32 %p, <4 x i1> <i1 true, i1 true, i1 true, i1 false>)
  ret void
}

; CHECK-LABEL: @load(
; CHECK: load ptr
; CHECK: load ptr, {{.*}}, align 8
define <4 x ptr> @load(ptr %p) {
  %v = call <4 x ptr> @llvm.masked.load.v4p0.p0(ptr align 32 %p, <4 x i1> <i1 true, i1 true, i1 true, i1 false>, <4 x ptr> poison)
  ret <4 x ptr> %v
}
