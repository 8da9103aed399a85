; If several members, or one member twice, get the same pointer, this pointer is loaded once, from its first position in
; the list. So LLVM sees that the pointers are equal. Other pointers, numbers at the same offsets in other members, and
; unknown offsets are not changed.
; RUN: %opt -passes=sinter-merge-arguments %s | FileCheck %s
; RUN: sed 's/^!1 = .*/!1 = !{!{}, !{!{i64 1, i64 64}}}/' %s | %opt -passes=sinter-merge-arguments \
; RUN:   | FileCheck %s --check-prefix=NOTHING

; CHECK-LABEL: define void @fused(
; CHECK-NEXT: entry:
; CHECK-NEXT: [[BLOCK_AT:%.*]] = getelementptr inbounds ptr, ptr %blocks, i64 1
; CHECK-NEXT: [[BLOCK:%.*]] = load ptr, ptr [[BLOCK_AT]], align 8, !invariant.load
; CHECK-NEXT: [[AT:%.*]] = getelementptr inbounds i8, ptr [[BLOCK]], i64 8
; CHECK-NEXT: [[ARGUMENT:%.*]] = load ptr, ptr [[AT]], align 8, !invariant.load
; CHECK-NOT: %a = load
; CHECK-NOT: %b = load
; CHECK-NOT: %b_again = load
; CHECK: %other = load ptr, ptr %other_at
; CHECK: %number = load i64, ptr %b_at
; CHECK: %inner = load ptr, ptr %variable
; CHECK: call void @use(ptr [[ARGUMENT]], ptr [[ARGUMENT]], ptr [[ARGUMENT]], ptr %other, i64 %number, ptr %inner)

; NOTHING-NOT: %argument
; NOTHING: call void @use(ptr %a, ptr %b, ptr %b_again, ptr %other, i64 %number, ptr %inner)

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @use(ptr, ptr, ptr, ptr, i64, ptr)

define void @fused(ptr %blocks) !sycl.kernel.fused !0 !sycl.kernel.param !1 {
entry:
  %block0 = load ptr, ptr %blocks, !invariant.load !2
  %block1_at = getelementptr ptr, ptr %blocks, i64 1
  %block1 = load ptr, ptr %block1_at, !invariant.load !2
  %a_at = getelementptr i8, ptr %block0, i64 16
  %a = load ptr, ptr %a_at
  %b_at = getelementptr i8, ptr %block1, i64 8
  %b = load ptr, ptr %b_at
  %b_again_at = getelementptr ptr, ptr %b_at, i64 3
  %b_again = load ptr, ptr %b_again_at
  %other_at = getelementptr i8, ptr %block0, i64 8
  %other = load ptr, ptr %other_at
  %number = load i64, ptr %b_at
  %variable = getelementptr i8, ptr %block0, i64 %number
  %inner = load ptr, ptr %variable
  call void @use(ptr %a, ptr %b, ptr %b_again, ptr %other, i64 %number, ptr %inner)
  ret void
}

!0 = !{!"first", !"second"}
!1 = !{!{!{i64 1, i64 8}, !{i64 0, i64 16}, !{i64 1, i64 32}}}
!2 = !{}
