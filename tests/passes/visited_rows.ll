; A reduction visits the elements of a flat range and divides their number by a captured width: where all lanes of a visit
; are in one row, the row is the same for them, and nothing is divided. The marks of visits go in any case.
; RUN: %opt -passes='sinter-work-item-function,sinter-visited-rows<lanes=4>' %s | FileCheck %s
; Without a division nothing changes but the marks.
; RUN: sed 's/%row = sdiv/%row = add/; s/%place = srem/%place = sub/' %s | %opt -passes='sinter-work-item-function,sinter-visited-rows<lanes=4>' | FileCheck %s --check-prefix=NONE

; CHECK-LABEL: define internal i32 @kernel.work_item
; How long rows are is asked once, in front of everything: at least 16, or there are none.
; CHECK: icmp sge i64 {{%.*}}, 16
; CHECK: [[LENGTH:%.*]] = freeze i64
; The row of lane 0, without the lane's own number: the same for all. The last lane's place has to be in it.
; CHECK: visit:
; CHECK: [[FIRST:%.*]] = add i64 %first, 0
; CHECK: [[ROW:%.*]] = udiv i32
; CHECK: br i1 {{%.*}}, label %visit.split.row, label %visit.split
; CHECK: visit.split:
; CHECK: sdiv i32 %narrow, %width
; The form for one row divides nothing.
; CHECK: visit.split.row:
; CHECK-NEXT: sub nuw nsw i64 %element
; CHECK-NOT: div
; CHECK-NOT: rem
; CHECK: store i32
; CHECK-NOT: call {{.*}}__sinter_element

; NONE-LABEL: define internal i32 @kernel.work_item
; NONE-NOT: {{[su]}}div
; NONE-NOT: call {{.*}}__sinter_element

declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_local_range(i32)
declare void @__sinter_element_begin(i64, i64, i64, i64, i64, i64)
declare void @__sinter_element_end(i64, i64, i64, i64, i64, i64)
declare i64 @__sinter_element_id(i64, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %data = load ptr, ptr %block, !invariant.load !0
  %width.at = getelementptr i8, ptr %block, i64 8
  %width = load i32, ptr %width.at, !invariant.load !0
  %local = call i64 @__sinter_local_id(i32 2)
  %step = call i64 @__sinter_local_range(i32 2)
  br label %visit
visit:
  %first = phi i64 [ 0, %entry ], [ %next, %visit ]
  %element = add i64 %first, %local
  call void @__sinter_element_begin(i64 0, i64 0, i64 %element, i64 1, i64 1, i64 1000)
  %id = call i64 @__sinter_element_id(i64 %element, i32 2)
  %narrow = trunc i64 %id to i32
  %row = sdiv i32 %narrow, %width
  %place = srem i32 %narrow, %width
  %sum = add i32 %row, %place
  %address = getelementptr i32, ptr %data, i64 %id
  store i32 %sum, ptr %address
  call void @__sinter_element_end(i64 0, i64 0, i64 %element, i64 1, i64 1, i64 1000)
  %next = add i64 %first, %step
  %more = icmp ult i64 %next, 1000
  br i1 %more, label %visit, label %end
end:
  ret void
}
!0 = !{}
