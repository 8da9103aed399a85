; Each work-item has three elements. An element's index is i * 3 + k (i: the work-item's id). Only k is left of this
; index, no matter by which operations the code computes the index.
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s
; RUN: %opt -passes='sinter-internalize,function(sroa,instcombine,dce)' %s | FileCheck %s --check-prefix=GONE

; CHECK: %promoted = alloca [12 x i8], align 16
; CHECK: [[SLOT:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 0
; CHECK-NEXT: store i32 5, ptr [[SLOT]]
; CHECK: [[SLOT:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 4
; CHECK-NEXT: store i32 6, ptr [[SLOT]]
; CHECK: [[SLOT:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 8
; CHECK-NEXT: store i32 7, ptr [[SLOT]]
; CHECK: [[SLOT:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 4
; CHECK-NEXT: %x = load i32, ptr [[SLOT]]

; GONE-NOT: alloca
; GONE: call void @use(i32 6)

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare void @use(i32)

define void @fused(ptr %blocks) !sycl.kernel.fused !0 !sycl.kernel.param !1 !sycl.kernel.promote !2 !sycl.kernel.promote.localsize !3 !sycl.kernel.promote.elemsize !4 {
entry:
  %block0 = load ptr, ptr %blocks, !invariant.load !{}
  %temporary0 = load ptr, ptr %block0
  %block1_at = getelementptr ptr, ptr %blocks, i64 1
  %block1 = load ptr, ptr %block1_at, !invariant.load !{}
  %temporary1 = load ptr, ptr %block1
  %i = call i64 @__sinter_global_id(i32 2)
  %row = mul i64 %i, 3
  %a = getelementptr i32, ptr %temporary0, i64 %row
  store i32 5, ptr %a
  %second = add i64 %row, 1
  %b = getelementptr i32, ptr %temporary0, i64 %second
  store i32 6, ptr %b
  %bytes = mul i64 %i, 12
  %third = or disjoint i64 %bytes, 8
  %c = getelementptr i8, ptr %temporary0, i64 %third
  store i32 7, ptr %c
  %after = add i64 %i, 1
  %four = shl i64 %after, 2
  %back = sub i64 %four, %i
  %minus = add i64 %back, -3
  %d = getelementptr i32, ptr %temporary1, i64 %minus
  %x = load i32, ptr %d
  call void @use(i32 %x)
  ret void
}

!0 = !{!"first", !"second"}
!1 = !{!{!{i64 0, i64 0}, !{i64 1, i64 0}}}
!2 = !{!"private"}
!3 = !{i64 3}
!4 = !{i64 4}
