; A member with fewer work-items runs under a guard on the linear id, so that work-items behind its range skip it. The
; largest member has no guard, and all work-items reach the barrier before a guarded member.
; RUN: %opt -passes=sinter-fuse-kernels %s | FileCheck %s

; CHECK-LABEL: define void @fused(ptr %0)
; CHECK: call void @work(i64 1)
; CHECK-NEXT: call void @__sinter_barrier(i32 2, i32 2)
; CHECK-NEXT: [[ROW:%.*]] = call i64 @__sinter_global_id(i32 1)
; CHECK-NEXT: [[COLUMN:%.*]] = call i64 @__sinter_global_id(i32 2)
; CHECK-NEXT: [[START:%.*]] = mul nuw i64 [[ROW]], 8
; CHECK-NEXT: [[ID:%.*]] = add nuw i64 [[START]], [[COLUMN]]
; CHECK-NEXT: [[INSIDE:%.*]] = icmp ult i64 [[ID]], 24
; CHECK-NEXT: br i1 [[INSIDE]], label %[[MEMBER:.*]], label %[[BEHIND:.*]]
; CHECK: [[MEMBER]]:
; CHECK-NEXT: call void @work(i64 2)
; CHECK-NEXT: br label %[[BEHIND]]
; CHECK: [[BEHIND]]:
; CHECK-NEXT: call void @work(i64 3)
; CHECK-NEXT: ret void

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
define void @large_too(ptr %block) {
  call void @work(i64 3)
  ret void
}

declare !sycl.kernel.fused !0 !sycl.kernel.nd-range !1 !sycl.kernel.nd-ranges !2 !sinter.kernel.barriers !3 void @fused(ptr)

!0 = !{!"large", !"small", !"large_too"}
!1 = !{i64 2, !{i64 1, i64 4, i64 8}, !{i64 1, i64 1, i64 8}, !5}
!2 = !{!1, !{i64 2, !{i64 1, i64 3, i64 8}, !{i64 1, i64 1, i64 8}, !5}, !1}
!3 = !{i64 1}
!5 = !{i64 0, i64 0, i64 0}
