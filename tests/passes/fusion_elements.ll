; If a member visits the elements of a range, it runs the other members, too. Members before it run at the beginning of
; a visit, members behind it at the end. These members get the element's coordinates as their id, and the visited
; extents as their range. The calls that mark visits are removed.
; RUN: %opt -passes=sinter-fuse-kernels %s | FileCheck %s

; CHECK-LABEL: define void @fused(ptr %0)
; CHECK: [[LOOP:.*]]:
; CHECK: [[I:%.*]] = phi i64
; CHECK-NOT: call {{.*}}@__sinter_
; CHECK: call void @work(i64 1, i64 [[I]], i64 0, i64 [[N:%.*]])
; CHECK-NEXT: call void @work(i64 2, i64 [[I]], i64 0, i64 [[N]])
; CHECK-NEXT: call void @work(i64 3, i64 [[I]], i64 7, i64 0)
; CHECK-NEXT: call void @work(i64 4, i64 [[I]], i64 0, i64 [[N]])
; CHECK-NOT: @__sinter_element
; CHECK: br i1
; CHECK: ret void

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @work(i64, i64, i64, i64)
declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_global_range(i32)
declare i64 @__sinter_global_offset(i32)
declare void @__sinter_element_begin(i64, i64, i64, i64, i64, i64)
declare void @__sinter_element_end(i64, i64, i64, i64, i64, i64)
declare i64 @__sinter_element_id(i64, i32)

define void @first(ptr %block) {
  %id = call i64 @__sinter_global_id(i32 2)
  %offset = call i64 @__sinter_global_offset(i32 2)
  %range = call i64 @__sinter_global_range(i32 2)
  call void @work(i64 1, i64 %id, i64 %offset, i64 %range)
  ret void
}
define void @second(ptr %block) {
  %id = call i64 @__sinter_global_id(i32 2)
  %row = call i64 @__sinter_global_id(i32 1)
  %range = call i64 @__sinter_global_range(i32 2)
  call void @work(i64 2, i64 %id, i64 %row, i64 %range)
  ret void
}
define void @visitor(ptr %block) {
entry:
  %n = load i64, ptr %block
  br label %visit
visit:
  %i = phi i64 [ 0, %entry ], [ %next, %visit ]
  call void @__sinter_element_begin(i64 0, i64 0, i64 %i, i64 1, i64 1, i64 %n)
  %id = call i64 @__sinter_element_id(i64 %i, i32 2)
  call void @work(i64 3, i64 %id, i64 7, i64 0)
  call void @__sinter_element_end(i64 0, i64 0, i64 %i, i64 1, i64 1, i64 %n)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %visit, label %end
end:
  ret void
}
define void @last(ptr %block) {
  %id = call i64 @__sinter_global_id(i32 2)
  %row = call i64 @__sinter_global_id(i32 1)
  %range = call i64 @__sinter_global_range(i32 2)
  call void @work(i64 4, i64 %id, i64 %row, i64 %range)
  ret void
}

declare !sycl.kernel.fused !0 !sycl.kernel.nd-range !1 !sycl.kernel.nd-ranges !2 !sinter.kernel.elements !7 void @fused(ptr)

!0 = !{!"first", !"second", !"visitor", !"last"}
!1 = !{i64 1, !3, !4, !5}
!2 = !{!6, !6, !6, !6}
!3 = !{i64 1, i64 1, i64 16}
!4 = !{i64 1, i64 1, i64 16}
!5 = !{i64 0, i64 0, i64 0}
!6 = !{i64 1, !8, !5, !5}
!7 = !{i64 2}
!8 = !{i64 1, i64 1, i64 40}
