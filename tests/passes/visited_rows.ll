; A reduction visits the elements of a flat range, and divides each element's number by a captured width. If all lanes
; of a visit are in one row, the row's number is equal in all lanes, and no division is needed. The marks of visits are
; removed in any case.
; RUN: %opt -passes='sinter-work-item-function,sinter-visited-rows<lanes=4>' %s | FileCheck %s
; LLVM may write an index as the low 32 bits of an id. If the numbers of all elements fit in 32 bits, the index is the
; id itself.
; RUN: sed 's/^  %wide = .*/  %high = shl i64 %id, 32\n  %upper = add i64 %high, 4294967296\n  %wide = ashr exact i64 %upper, 32/' %s | %opt -passes='sinter-work-item-function,sinter-visited-rows<lanes=4>' | FileCheck %s --check-prefixes=CHECK,NARROW
; Even without rows, such an index is worth a second version of the code.
; RUN: sed 's/%row = sdiv/%row = add/; s/%place = srem/%place = sub/; s/^  %wide = .*/  %part = trunc i64 %id to i32\n  %sum32 = add i32 %part, %width\n  %wide = sext i32 %sum32 to i64/' %s | %opt -passes='sinter-work-item-function,sinter-visited-rows<lanes=4>' | FileCheck %s --check-prefix=INDEX
; Without rows and without such an index, only the marks are removed.
; RUN: sed 's/%row = sdiv/%row = add/; s/%place = srem/%place = sub/' %s | %opt -passes='sinter-work-item-function,sinter-visited-rows<lanes=4>' | FileCheck %s --check-prefix=NONE

; CHECK-LABEL: define internal i32 @kernel.work_item
; The length of rows is computed once, at the start of the kernel. If the length is less than 16, the code treats the
; range as one without rows.
; CHECK: icmp sge i64 {{%.*}}, 16
; CHECK: [[LENGTH:%.*]] = freeze i64
; The row of lane 0, computed without the lane number, is the same for all lanes. The last lane must be in
; the same row.
; CHECK: visit:
; CHECK: [[FIRST:%.*]] = add i64 %first, 0
; CHECK: [[ROW:%.*]] = udiv i32
; CHECK: [[LONG:%.*]] = icmp ule i64 %15, [[WIDTH:%.*]]
; CHECK: br i1 {{%.*}}, label %visit.split.row, label %visit.split
; CHECK: visit.split:
; If some lanes are in the next row, the code compares their positions with the row's length. In launches without such
; rows, the code still divides.
; CHECK: [[PLACE:%.*]] = sub i64 %element,
; CHECK: icmp uge i64 [[PLACE]], [[WIDTH]]
; CHECK: br i1
; CHECK: sdiv i32 %narrow, %width
; CHECK: [[THERE:%.*]] = icmp uge i64 [[PLACE:%.*]], [[WIDTH]]
; CHECK: [[BEHIND:%.*]] = sub i64 [[PLACE]], [[WIDTH]]
; CHECK: select i1 [[THERE]], i64 [[BEHIND]], i64 [[PLACE]]
; CHECK: br i1
; CHECK: srem i32 %narrow, %width
; The version of the code for visits in one row has no divisions.
; CHECK: visit.split.row:
; CHECK-NEXT: sub nuw nsw i64 %element
; CHECK-NOT: div
; CHECK-NOT: rem
; NARROW: [[NEXT:%.*]] = add i64 %element, 1
; NARROW-NEXT: shl i64 [[NEXT]], 2
; CHECK: store i32
; CHECK-NOT: call {{.*}}__sinter_element

; INDEX-LABEL: define internal i32 @kernel.work_item
; This is the condition that elements and sums fit in 32 bits.
; INDEX: icmp sle i64 {{%.*}}, 2147483647
; INDEX: visit:
; INDEX: br i1 {{%.*}}, label %visit.split.row, label %visit.split
; INDEX: visit.split:
; INDEX-NOT: nsw
; INDEX: visit.split.row:
; INDEX: trunc nsw i64 %element to i32
; INDEX: add nsw i32 %width

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
  %wide = add i64 %id, 0
  %address = getelementptr i32, ptr %data, i64 %wide
  store i32 %sum, ptr %address
  call void @__sinter_element_end(i64 0, i64 0, i64 %element, i64 1, i64 1, i64 1000)
  %next = add i64 %first, %step
  %more = icmp ult i64 %next, 1000
  br i1 %more, label %visit, label %end
end:
  ret void
}
!0 = !{}
