; Members do not share local memory: the local memory of each member begins behind the local memory of all earlier
; members.
; RUN: %opt -passes=sinter-fuse-kernels %s | FileCheck %s

; CHECK-LABEL: define void @fused(ptr %0)
; CHECK: [[BASE0:%.*]] = call ptr @__sinter_local_base()
; CHECK-NEXT: store float 1.0{{.*}}, ptr [[BASE0]]
; CHECK-NEXT: [[BASE1:%.*]] = call ptr @__sinter_local_base()
; CHECK-NEXT: [[OWN1:%.*]] = getelementptr inbounds i8, ptr [[BASE1]], i64 64
; CHECK-NEXT: [[ELEMENT:%.*]] = getelementptr float, ptr [[OWN1]], i64 3
; CHECK-NEXT: store float 2.0{{.*}}, ptr [[ELEMENT]]
; CHECK-NEXT: [[BASE2:%.*]] = call ptr @__sinter_local_base()
; CHECK-NEXT: [[OWN2:%.*]] = getelementptr inbounds i8, ptr [[BASE2]], i64 192
; CHECK-NEXT: store float 1.0{{.*}}, ptr [[OWN2]]
; CHECK-NEXT: ret void

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare ptr @__sinter_local_base()

define void @first(ptr %block) {
  %base = call ptr @__sinter_local_base()
  store float 1.0, ptr %base
  ret void
}
define void @second(ptr %block) {
  %base = call ptr @__sinter_local_base()
  %element = getelementptr float, ptr %base, i64 3
  store float 2.0, ptr %element
  ret void
}

declare !sycl.kernel.fused !0 !sycl.kernel.nd-range !1 !sycl.kernel.nd-ranges !2 !sinter.kernel.local !3 void @fused(ptr)

!0 = !{!"first", !"second", !"first"}
!1 = !{i64 1, !{i64 1, i64 1, i64 64}, !{i64 1, i64 1, i64 16}, !{i64 0, i64 0, i64 0}}
!2 = !{!1, !1, !1}
!3 = !{i64 0, i64 64, i64 192}
