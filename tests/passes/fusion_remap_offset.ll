; Ids contain the launch's offset. The code subtracts this offset before it computes the linear id, and adds the offset
; to the remapped id.
; RUN: %opt -passes=sinter-fuse-kernels %s | FileCheck %s

; CHECK-LABEL: define void @fused(ptr %0)
; CHECK: [[WITH:%.*]] = call i64 @__sinter_global_id(i32 2)
; CHECK-NEXT: [[ID:%.*]] = sub nuw i64 [[WITH]], 7
; CHECK-NEXT: [[INSIDE:%.*]] = icmp ult i64 [[ID]], 12
; CHECK: [[WITH:%.*]] = call i64 @__sinter_global_id(i32 2)
; CHECK-NEXT: [[ID:%.*]] = sub nuw i64 [[WITH]], 7
; CHECK-NEXT: [[QUOTIENT:%.*]] = udiv i64 [[ID]], 4
; CHECK-NEXT: [[G1:%.*]] = urem i64 [[QUOTIENT]], 3
; CHECK: [[COLUMN:%.*]] = urem i64 {{.*}}, 4
; CHECK-NEXT: [[G2:%.*]] = add nuw i64 [[COLUMN]], 7
; CHECK-NEXT: call void @use(i64 [[G1]], i64 [[G2]], i64 7)

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_global_offset(i32)
declare void @use(i64, i64, i64)

define void @line(ptr %block) {
  ret void
}
define void @plane(ptr %block) {
  %g1 = call i64 @__sinter_global_id(i32 1)
  %g2 = call i64 @__sinter_global_id(i32 2)
  %offset = call i64 @__sinter_global_offset(i32 2)
  call void @use(i64 %g1, i64 %g2, i64 %offset)
  ret void
}

declare !sycl.kernel.fused !0 !sycl.kernel.nd-range !1 !sycl.kernel.nd-ranges !2 void @fused(ptr)

!0 = !{!"line", !"plane"}
!1 = !{i64 1, !{i64 1, i64 1, i64 20}, !4, !5}
!2 = !{!1, !{i64 2, !{i64 1, i64 3, i64 4}, !4, !5}}
!4 = !{i64 0, i64 0, i64 0}
!5 = !{i64 0, i64 0, i64 7}
