; Any mistake in the metadata leads to one message that names the function, and not to a crash or a wrong kernel.
; RUN: %opt -passes=sinter-fuse-kernels %s | FileCheck %s --check-prefix=GOOD
; RUN: sed 's/^!0 = .*/!0 = !{}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!0 = .*/!0 = !{!"a", i64 1}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!0 = .*/!0 = !{!"a", null}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!0 = .*/!0 = !{!"a", !"c"}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 \
; RUN:   | FileCheck %s --check-prefix=NONE
; RUN: sed 's/^!0 = .*/!0 = !{!"a", !"only_declared"}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 \
; RUN:   | FileCheck %s --check-prefix=DECLARED
; RUN: sed 's/^!0 = .*/!0 = !{!"a", !"two_arguments"}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 \
; RUN:   | FileCheck %s --check-prefix=TWO
; RUN: sed 's/^!1 = .*/!1 = !{i64 1, !8}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!1 = .*/!1 = !{i64 1, !8, !9, !{i64 1}}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!1 = .*/!1 = !{!"1", !8, !9, !9}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!1 = .*/!1 = !{i64 0, !8, !9, !9}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!1 = .*/!1 = !{i64 4, !8, !9, !9}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!1 = .*/!1 = !{i64 4294967297, !8, !9, !9}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!8 = .*/!8 = !{i64 1, i64 0, i64 64}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!1 = .*/!1 = !{i64 1, !8, !{i64 1, i64 1, i64 0}, !9}/' %s \
; RUN:   | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!2 = .*/!2 = !{!1}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!2 = .*/!2 = !{!1, !1, !1}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!2 = .*/!2 = !{!1, null}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!3 = .*/!3 = !{!"1"}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!4 = .*/!4 = !{!{!{i64 2, i64 0}}}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!4 = .*/!4 = !{!{!{i64 1}}}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!4 = .*/!4 = !{i64 0}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!5 = .*/!5 = !{!"public"}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!5 = .*/!5 = !{!"private", !"private"}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!6 = .*/!6 = !{!""}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!6 = .*/!6 = !{i64 0}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!6 = .*/!6 = !{}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!7 = .*/!7 = !{!{i64 2, i64 0, !"x"}}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!7 = .*/!7 = !{!{i64 0, i64 0}}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!7 = .*/!7 = !{!{i64 0, i64 0, i64 5}}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/^!10 = .*/!10 = !{i64 0, i64 0, i64 0}/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 | FileCheck %s
; RUN: sed 's/!sycl.kernel.fused/!sycl.kernel.fuzed/' %s | not %opt -passes=sinter-fuse-kernels 2>&1 \
; RUN:   | FileCheck %s --check-prefix=ABSENT

; GOOD: define void @fused(
; CHECK: LLVM ERROR: malformed fusion metadata on function 'fused'
; NONE: LLVM ERROR: kernel fusion: there is no kernel 'c'
; DECLARED: LLVM ERROR: kernel fusion: there is no kernel 'only_declared'
; TWO: LLVM ERROR: kernel fusion: there is no kernel 'two_arguments'
; ABSENT: LLVM ERROR: no function with !sycl.kernel.fused

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @only_declared(ptr)
define void @two_arguments(ptr %block, i64 %more) {
  ret void
}
define void @a(ptr %block) {
  ret void
}
define void @b(ptr %block) {
  ret void
}

declare !sycl.kernel.fused !0 !sycl.kernel.nd-range !1 !sycl.kernel.nd-ranges !2 !sinter.kernel.barriers !3 !sycl.kernel.param !4 !sycl.kernel.promote !5 !sycl.kernel.promote.localsize !6 !sycl.kernel.promote.elemsize !6 !sycl.kernel.constants !7 !sinter.kernel.local !10 void @fused(ptr)

!0 = !{!"a", !"b"}
!1 = !{i64 1, !8, !9, !9}
!2 = !{!1, !1}
!3 = !{i64 1}
!4 = !{!{!{i64 0, i64 0}, !{i64 1, i64 8}}}
!5 = !{!"private"}
!6 = !{i64 1}
!7 = !{!{i64 0, i64 8, !"abcd"}}
!8 = !{i64 1, i64 1, i64 64}
!9 = !{i64 0, i64 0, i64 0}
!10 = !{i64 0, i64 0}
