; Elements are copied as a block from, to and within the promoted memory. Functions that get the pointer are inlined
; before the pointer is replaced. Lifetime markers and assumptions about the old memory are removed.
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s --check-prefix=LEFT

; CHECK-LABEL: define void @fused(
; CHECK: %promoted = alloca [32 x i8], align 16
; CHECK: [[TO:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 0
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr {{.*}}[[TO]], ptr {{.*}}%source, i64 16, i1 false)
; CHECK-NOT: llvm.assume
; CHECK-DAG: [[NEW_FROM:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 0
; CHECK-DAG: [[NEW_TO:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 16
; CHECK: call void @llvm.memmove.p0.p0.i64(ptr {{.*}}[[NEW_TO]], ptr {{.*}}[[NEW_FROM]], i64 16, i1 false)
; CHECK: [[INNER:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 20
; CHECK-NEXT: store float 3.0{{.*}}, ptr [[INNER]]
; CHECK: [[ATOM:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 24
; CHECK-NEXT: atomicrmw add ptr [[ATOM]], i32 1 monotonic
; CHECK: ret void
; CHECK-NOT: call void @{{outer|inner}}

; LEFT-NOT: {{%temporary|ptr %argument|sinter-not-internalized}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.assume(i1)

define internal void @inner(ptr %element) noinline {
  %field = getelementptr i8, ptr %element, i64 4
  store float 3.0, ptr %field
  ret void
}
define internal void @outer(ptr %data) noinline {
  %element = getelementptr [16 x i8], ptr %data, i64 1
  call void @inner(ptr %element)
  ret void
}

define void @fused(ptr %blocks) !sycl.kernel.fused !0 !sycl.kernel.param !1 !sycl.kernel.promote !2 !sycl.kernel.promote.localsize !3 !sycl.kernel.promote.elemsize !4 {
entry:
  %block0 = load ptr, ptr %blocks, !invariant.load !{}
  %temporary0 = load ptr, ptr %block0
  %block1_at = getelementptr ptr, ptr %blocks, i64 1
  %block1 = load ptr, ptr %block1_at, !invariant.load !{}
  %at1 = getelementptr i8, ptr %block1, i64 8
  %temporary1 = load ptr, ptr %at1
  %source_at = getelementptr i8, ptr %block0, i64 8
  %source = load ptr, ptr %source_at
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %temporary0, ptr align 4 %source, i64 16, i1 false)
  call void @llvm.assume(i1 true) [ "align"(ptr %temporary1, i64 128) ]
  %second = getelementptr i8, ptr %temporary1, i64 16
  call void @llvm.memmove.p0.p0.i64(ptr %second, ptr %temporary1, i64 16, i1 false)
  call void @outer(ptr %temporary1)
  %count = getelementptr i8, ptr %temporary1, i64 24
  %old = atomicrmw add ptr %count, i32 1 monotonic
  ret void
}

!0 = !{!"first", !"second"}
!1 = !{!{!{i64 0, i64 0}, !{i64 1, i64 8}}}
!2 = !{!"private"}
!3 = !{i64 2}
!4 = !{i64 16}
