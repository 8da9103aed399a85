; Two kernels pass values through one promoted element per work-item. The pointer disappears from both kernels, and
; LLVM's SROA removes the memory. An accessor's offset, which comes before the element, is taken modulo the size of the
; new memory, too.
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s --check-prefix=LEFT
; RUN: %opt -passes='sinter-internalize,function(sroa,instcombine,dce)' %s | FileCheck %s --check-prefix=GONE

; CHECK-LABEL: define void @fused(
; CHECK-NOT: sinter-not-internalized
; CHECK: %promoted = alloca [4 x i8], align 16
; CHECK: [[SLOT:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 0
; CHECK-NEXT: store float %x, ptr [[SLOT]], align 4
; CHECK: [[SLOT:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 0
; CHECK-NEXT: %y = load float, ptr [[SLOT]], align 4
; CHECK-NOT: !alias.scope
; CHECK: ret void

; GONE-LABEL: define void @fused(
; GONE-NOT: alloca
; GONE: %i = call i64 @__sinter_global_id(i32 2)
; GONE: %x = load float, ptr %in
; GONE-NOT: {{load|store}} float
; GONE: store float %x, ptr %out
; GONE-NEXT: ret void

; LEFT-NOT: {{%temporary|ptr %argument|sinter-not-internalized}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)

define void @fused(ptr %blocks) !sycl.kernel.fused !0 !sycl.kernel.param !1 !sycl.kernel.promote !2 !sycl.kernel.promote.localsize !3 !sycl.kernel.promote.elemsize !4 {
entry:
  %block0 = load ptr, ptr %blocks, !invariant.load !{}
  %temporary0 = load ptr, ptr %block0
  %block1_at = getelementptr ptr, ptr %blocks, i64 1
  %block1 = load ptr, ptr %block1_at, !invariant.load !{}
  %at1 = getelementptr i8, ptr %block1, i64 8
  %temporary1 = load ptr, ptr %at1
  %in_pointer_at = getelementptr i8, ptr %block0, i64 16
  %in_pointer = load ptr, ptr %in_pointer_at
  %out_pointer_at = getelementptr i8, ptr %block1, i64 16
  %out_pointer = load ptr, ptr %out_pointer_at
  %i = call i64 @__sinter_global_id(i32 2)
  %in = getelementptr float, ptr %in_pointer, i64 %i
  %x = load float, ptr %in
  %from_offset = getelementptr float, ptr %temporary0, i64 12
  %a = getelementptr [1 x float], ptr %from_offset, i64 %i, i64 0
  store float %x, ptr %a, !alias.scope !5
  %short = trunc i64 %i to i32
  %index = sext i32 %short to i64
  %b_base = getelementptr i8, ptr %temporary1, i64 48
  %b = getelementptr float, ptr %b_base, i64 %index
  %y = load float, ptr %b, !invariant.load !{}
  %out = getelementptr float, ptr %out_pointer, i64 %i
  store float %y, ptr %out
  ret void
}

!0 = !{!"first", !"second"}
!1 = !{!{!{i64 0, i64 0}, !{i64 1, i64 8}}}
!2 = !{!"private"}
!3 = !{i64 1}
!4 = !{i64 4}
!5 = !{!6}
!6 = distinct !{!6, !7}
!7 = distinct !{!7}
