; Arguments of a fused kernel refer to separate allocations. Each load or store through an argument says which
; allocation it accesses, and that it accesses no other allocation. Then LLVM need not load again the value that the
; first member has stored. Accesses through any other pointer get no such promise.
; RUN: %opt -passes=sinter-disjoint-memory %s | FileCheck %s
; RUN: %opt -passes='sinter-disjoint-memory,function(gvn)' %s | FileCheck %s --check-prefix=FORWARDED
; RUN: %opt -passes='sinter-merge-arguments,function(gvn)' %s | FileCheck %s --check-prefix=WITHOUT

; CHECK: store float %x, ptr {{%.*}}, !alias.scope [[A:![0-9]+]], !noalias [[NOT_A:![0-9]+]]
; CHECK: store float 0.{{.*}}, ptr {{%.*}}, !alias.scope [[B:![0-9]+]], !noalias [[NOT_B:![0-9]+]]
; CHECK: %again = load float, ptr {{%.*}}, !alias.scope [[A]], !noalias [[NOT_A]]
; CHECK: %other = load float, ptr %elsewhere, align 4{{$}}

; FORWARDED: call void @use(float %x,
; WITHOUT: call void @use(float %again,

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @use(float, float)

define void @fused(ptr %blocks, float %x, ptr %elsewhere) !sycl.kernel.fused !0 !sycl.kernel.param !1 {
  %block = load ptr, ptr %blocks, !invariant.load !2
  %a = load ptr, ptr %block, !invariant.load !2
  %b.at = getelementptr i8, ptr %block, i64 8
  %b = load ptr, ptr %b.at, !invariant.load !2
  %a.there = getelementptr float, ptr %a, i64 3
  store float %x, ptr %a.there
  store float 0.0, ptr %b
  %again = load float, ptr %a.there
  %other = load float, ptr %elsewhere
  call void @use(float %again, float %other)
  ret void
}

!0 = !{!"first"}
!1 = !{!{!{i64 0, i64 0}}, !{!{i64 0, i64 8}}}
!2 = !{}
