; The barrier between two guarded members must stay a single barrier that all work-items reach, even when LLVM
; simplifies the code around it. Both guards have the same condition, so LLVM could copy the barrier to both sides.
; Then the work-items of a group would wait at different barriers.
; RUN: %opt -passes='sinter-fuse-kernels,function(instcombine,simplifycfg)' %s | FileCheck %s

; CHECK-LABEL: define void @fused(ptr %0)
; CHECK: call void @work(i64 1)
; CHECK: call void @work(i64 2)
; CHECK-COUNT-1: call void @__sinter_barrier(i32 2, i32 2) #[[CONVERGENT:[0-9]+]]
; CHECK-NOT: __sinter_barrier
; CHECK: call void @work(i64 3)
; CHECK-NOT: __sinter_barrier
; CHECK: declare void @__sinter_barrier(i32, i32) #[[CONVERGENT]]
; CHECK: attributes #[[CONVERGENT]] = { convergent }

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @work(i64)

define void @large(ptr %block) {
  call void @work(i64 1)
  ret void
}
define void @small(ptr %block) {
  call void @work(i64 2)
  ret void
}
define void @small_too(ptr %block) {
  call void @work(i64 3)
  ret void
}

declare !sycl.kernel.fused !0 !sycl.kernel.nd-range !1 !sycl.kernel.nd-ranges !2 !sinter.kernel.barriers !3 void @fused(ptr)

!0 = !{!"large", !"small", !"small_too"}
!1 = !{i64 1, !{i64 1, i64 1, i64 17}, !{i64 1, i64 1, i64 17}, !5}
!2 = !{!1, !6, !6}
!3 = !{i64 2}
!5 = !{i64 0, i64 0, i64 0}
!6 = !{i64 1, !{i64 1, i64 1, i64 7}, !5, !5}
