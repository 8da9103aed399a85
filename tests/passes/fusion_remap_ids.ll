; If a member's range has other dimensions or widths than the fused range, the member gets the ids that it would have
; without fusion. These ids are computed from the linear id, which fusion does not change: g0 = id / (n1 * n2), g1 = id
; / n2 % n1, g2 = id % n2. If a member queries the range, it gets its own range.
; RUN: %opt -passes=sinter-fuse-kernels %s | FileCheck %s --check-prefixes=CHECK,ONE
; RUN: sed 's/; two: //; /; one$/d' %s | %opt -passes=sinter-fuse-kernels | FileCheck %s --check-prefixes=CHECK,TWO
; RUN: sed 's/; three: //; /; one$/d' %s | %opt -passes=sinter-fuse-kernels | FileCheck %s --check-prefixes=CHECK,THREE

; CHECK-LABEL: define void @fused(ptr %0)

; With the fused range {60}, the id is the linear id.
; ONE: [[ID:%.*]] = call i64 @__sinter_global_id(i32 2)
; ONE-NEXT: [[G0:%.*]] = udiv i64 [[ID]], 20
; ONE-NEXT: [[ID:%.*]] = call i64 @__sinter_global_id(i32 2)
; ONE-NEXT: [[QUOTIENT:%.*]] = udiv i64 [[ID]], 5
; ONE-NEXT: [[G1:%.*]] = urem i64 [[QUOTIENT]], 4
; ONE-NEXT: [[ID:%.*]] = call i64 @__sinter_global_id(i32 2)
; ONE-NEXT: [[G2:%.*]] = urem i64 [[ID]], 5
; ONE-NEXT: call void @use(i64 [[G0]], i64 [[G1]], i64 [[G2]])
; ONE-NEXT: call void @use(i64 3, i64 4, i64 5)

; With the fused range {6, 10}:
; TWO: [[ROW:%.*]] = call i64 @__sinter_global_id(i32 1)
; TWO-NEXT: [[COLUMN:%.*]] = call i64 @__sinter_global_id(i32 2)
; TWO-NEXT: [[START:%.*]] = mul nuw i64 [[ROW]], 10
; TWO-NEXT: [[ID:%.*]] = add nuw i64 [[START]], [[COLUMN]]
; TWO-NEXT: [[G0:%.*]] = udiv i64 [[ID]], 20
; TWO: udiv i64 {{.*}}, 5
; TWO-NEXT: [[G1:%.*]] = urem i64 {{.*}}, 4
; TWO: [[G2:%.*]] = urem i64 {{.*}}, 5
; TWO-NEXT: call void @use(i64 [[G0]], i64 [[G1]], i64 [[G2]])
; TWO-NEXT: call void @use(i64 3, i64 4, i64 5)

; With the fused range {3, 4, 5}, the member whose range is also {3, 4, 5} keeps its queries of ids.
; THREE: [[G0:%.*]] = call i64 @__sinter_global_id(i32 0)
; THREE-NEXT: [[G1:%.*]] = call i64 @__sinter_global_id(i32 1)
; THREE-NEXT: [[G2:%.*]] = call i64 @__sinter_global_id(i32 2)
; THREE-NEXT: call void @use(i64 [[G0]], i64 [[G1]], i64 [[G2]])
; THREE-NEXT: call void @use(i64 3, i64 4, i64 5)

; The member with range {60}: the ids of unused dimensions are 0.
; ONE: [[LINE:%.*]] = call i64 @__sinter_global_id(i32 2)
; ONE-NEXT: call void @one(i64 [[LINE]])
; TWO: mul nuw i64 {{.*}}, 10
; TWO-NEXT: [[ID:%.*]] = add nuw
; TWO-NEXT: [[LINE:%.*]] = urem i64 [[ID]], 60
; TWO-NEXT: call void @one(i64 [[LINE]])
; THREE: [[G0:%.*]] = call i64 @__sinter_global_id(i32 0)
; THREE-NEXT: [[G1:%.*]] = call i64 @__sinter_global_id(i32 1)
; THREE-NEXT: [[A:%.*]] = mul nuw i64 [[G0]], 4
; THREE-NEXT: [[B:%.*]] = add nuw i64 [[A]], [[G1]]
; THREE-NEXT: [[G2:%.*]] = call i64 @__sinter_global_id(i32 2)
; THREE-NEXT: [[C:%.*]] = mul nuw i64 [[B]], 5
; THREE-NEXT: [[ID:%.*]] = add nuw i64 [[C]], [[G2]]
; THREE-NEXT: [[LINE:%.*]] = urem i64 [[ID]], 60
; THREE-NEXT: call void @one(i64 [[LINE]])
; CHECK-NEXT: call void @one(i64 60)
; CHECK-NOT: @__sinter_global_range(i32
; CHECK: ret void

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_global_range(i32)
declare void @use(i64, i64, i64)
declare void @one(i64)

define void @volume(ptr %block) {
  %g0 = call i64 @__sinter_global_id(i32 0)
  %g1 = call i64 @__sinter_global_id(i32 1)
  %g2 = call i64 @__sinter_global_id(i32 2)
  call void @use(i64 %g0, i64 %g1, i64 %g2)
  %n0 = call i64 @__sinter_global_range(i32 0)
  %n1 = call i64 @__sinter_global_range(i32 1)
  %n2 = call i64 @__sinter_global_range(i32 2)
  call void @use(i64 %n0, i64 %n1, i64 %n2)
  ret void
}
define void @line(ptr %block) {
  %i = call i64 @__sinter_global_id(i32 2)
  call void @one(i64 %i)
  %n = call i64 @__sinter_global_range(i32 2)
  call void @one(i64 %n)
  ret void
}

declare !sycl.kernel.fused !0 !sycl.kernel.nd-range !1 !sycl.kernel.nd-ranges !2 void @fused(ptr)

!0 = !{!"volume", !"line"}
!1 = !{i64 1, !{i64 1, i64 1, i64 60}, !5, !5} ; one
; two: !1 = !{i64 2, !{i64 1, i64 6, i64 10}, !5, !5}
; three: !1 = !{i64 3, !{i64 3, i64 4, i64 5}, !5, !5}
!2 = !{!{i64 3, !{i64 3, i64 4, i64 5}, !5, !5}, !{i64 1, !{i64 1, i64 1, i64 60}, !5, !5}}
!5 = !{i64 0, i64 0, i64 0}
