; A masked store with one known active lane becomes a plain store, wherever the stored value comes from: LLVM 22 stores
; too many bytes if the value was truncated (docs/llvm_defects.md). Stores without active lanes are removed. Stores
; with several active lanes, or with an unknown mask, stay.
; RUN: %opt -passes='sinter-known-lanes,verify' %s | FileCheck %s
; RUN: %opt -passes='sinter-known-lanes' %s \
; RUN:   | llc -mtriple=x86_64-linux-gnu -mcpu=znver4 -o - | FileCheck --check-prefix=CODE %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @llvm.masked.store.v8i8.p0(<8 x i8>, ptr, <8 x i1>)
declare void @llvm.masked.store.v4f64.p0(<4 x double>, ptr, <4 x i1>)

; CHECK-LABEL: define void @first(
; CHECK: [[VALUE:%.*]] = extractelement <8 x i8> %cut, {{i..}} 0
; CHECK-NEXT: store i8 [[VALUE]], ptr %p, align 4, !tbaa [[TBAA:!.*]], !alias.scope [[SCOPE:!.*]]
; CHECK-NEXT: ret void
; CODE-LABEL: first:
; CODE-NOT: vmovss {{.*}}(%rdi)
; CODE: {{movb|vpextrb}} {{.*}}, (%rdi)
define void @first(<8 x i32> %v, ptr %p) {
  %cut = trunc <8 x i32> %v to <8 x i8>
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %cut, ptr align 4 %p, <8 x i1> <i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>), !tbaa !0, !alias.scope !3
  ret void
}

; Undefined mask bits count as off.
; CHECK-LABEL: define void @third(
; CHECK: [[VALUE:%.*]] = extractelement <8 x i8> %cut, {{i..}} 3
; CHECK-NEXT: [[PLACE:%.*]] = getelementptr i8, ptr %p, i64 3
; CHECK-NEXT: store i8 [[VALUE]], ptr [[PLACE]], align 1
; CODE-LABEL: third:
; CODE-NOT: vextractps {{.*}}(%rdi)
; CODE: {{movb|vpextrb}} {{.*}}, 3(%rdi)
define void @third(<8 x i32> %v, ptr %p) {
  %cut = trunc <8 x i32> %v to <8 x i8>
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %cut, ptr align 4 %p, <8 x i1> <i1 false, i1 undef, i1 poison, i1 true, i1 false, i1 false, i1 false, i1 false>)
  ret void
}

; A mask computed from constants counts as constant, even if no pass has folded it yet.
; CHECK-LABEL: define void @computed(
; CHECK-NOT: masked.store
; CHECK: getelementptr i8, ptr %p, i64 5
; CHECK: store i8
; CHECK: ret void
define void @computed(<8 x i32> %v, ptr %p) {
  %cut = trunc <8 x i32> %v to <8 x i8>
  %lane = bitcast i8 32 to <8 x i1>
  %not = xor <8 x i1> %lane, splat (i1 true)
  %mask = icmp eq <8 x i1> %not, zeroinitializer
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %cut, ptr align 1 %p, <8 x i1> %mask)
  ret void
}

; CHECK-LABEL: define void @wide_elements(
; CHECK: getelementptr i8, ptr %p, i64 16
; CHECK: store double {{.*}}, align 16
define void @wide_elements(<4 x double> %v, ptr %p) {
  call void @llvm.masked.store.v4f64.p0(<4 x double> %v, ptr align 32 %p, <4 x i1> <i1 false, i1 false, i1 true, i1 false>)
  ret void
}

; CHECK-LABEL: define void @none(
; CHECK-NEXT: ret void
define void @none(<4 x double> %v, ptr %p) {
  call void @llvm.masked.store.v4f64.p0(<4 x double> %v, ptr align 8 %p, <4 x i1> zeroinitializer)
  ret void
}

; CHECK-LABEL: define void @two(
; CHECK: call void @llvm.masked.store.v4f64.p0(
define void @two(<4 x double> %v, ptr %p) {
  call void @llvm.masked.store.v4f64.p0(<4 x double> %v, ptr align 8 %p, <4 x i1> <i1 true, i1 false, i1 true, i1 false>)
  ret void
}

; CHECK-LABEL: define void @unknown(
; CHECK: call void @llvm.masked.store.v4f64.p0(
define void @unknown(<4 x double> %v, ptr %p, i1 %on) {
  %mask = insertelement <4 x i1> zeroinitializer, i1 %on, i32 0
  call void @llvm.masked.store.v4f64.p0(<4 x double> %v, ptr align 8 %p, <4 x i1> %mask)
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"char", !2}
!2 = !{!"tbaa"}
!3 = !{!4}
!4 = distinct !{!4, !5}
!5 = distinct !{!5}

; Vectors of pointers get the alignment of one pointer, other vectors keep their alignment.
; CHECK-LABEL: define void @pointers(
; CHECK: call <4 x ptr> @llvm.masked.load.v4p0.p0(ptr align 8 %p,
; CHECK: call void @llvm.masked.store.v4p0.p0(<4 x ptr> %v, ptr align 8 %p,
; CHECK: call void @llvm.masked.store.v4f64.p0(<4 x double> %d, ptr align 32 %p,
declare <4 x ptr> @llvm.masked.load.v4p0.p0(ptr, <4 x i1>, <4 x ptr>)
declare void @llvm.masked.store.v4p0.p0(<4 x ptr>, ptr, <4 x i1>)
define void @pointers(ptr %p, <4 x i1> %mask, <4 x double> %d) {
  %v = call <4 x ptr> @llvm.masked.load.v4p0.p0(ptr align 32 %p, <4 x i1> %mask, <4 x ptr> poison)
  call void @llvm.masked.store.v4p0.p0(<4 x ptr> %v, ptr align 32 %p, <4 x i1> %mask)
  call void @llvm.masked.store.v4f64.p0(<4 x double> %d, ptr align 32 %p, <4 x i1> %mask)
  ret void
}
