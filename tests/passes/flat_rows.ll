; A kernel over one dimension divides its id by an argument. If the argument is the width of rows, the kernel gets a
; version of its code (form) that runs row by row. Within a row, the remainder is the id minus the first id of the
; row, and the quotient is the same in the whole row.
; RUN: %opt -passes='sinter-lower-cpu<lanes=4>' %s | FileCheck %s
; If ids may have more than 32 bits, the low half of an id is not the id, so there are no rows.
; RUN: %opt -passes='sinter-lower-cpu<lanes=4;wide>' %s | FileCheck %s --check-prefix=NONE
; If the kernel uses nothing of its groups but ids, groups become parts of rows.
; RUN: sed 's/range<1>/nd_range<1>/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=GROUPS
; A divisor is not used as the width of rows if it is not known before the kernel runs, or if rows would be too short.
; Local ids are not divided into rows either.
; RUN: sed 's/%width = load i32, ptr %block/%width = load i32, ptr %data/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE
; RUN: sed 's/%width = load i32, ptr %block/%width = add i32 0, 15/; s/mul nsw i32 %height, %width/add i32 0, 15/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE
; RUN: sed 's/range<1>/nd_range<1>/; s/__sinter_global_id/__sinter_local_id/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE

; NONE-NOT: row_length

; CHECK: define internal i64 @kernel.work_item.{{[0-9]+}}.row_length(ptr %0, i64 %1, i64 %2)
; The condition for rows: the launch has no offset, and the width is between 16 and 2^31.
; CHECK: [[WIDTH:%.*]] = sext i32 {{%.*}} to i64
; CHECK: icmp eq i64 %2, 0
; CHECK: icmp sge i64 [[WIDTH]], 16
; CHECK: icmp slt i64 [[WIDTH]], 2147483648
; CHECK: [[LENGTH:%.*]] = select i1 {{%.*}}, i64 [[WIDTH]], i64 1
; In addition, the launch must consist of whole rows.
; CHECK: urem i64 {{%.*}}, [[LENGTH]]
; CHECK: ret i64

; CHECK: define {{.*}} @kernel.work_item.{{[0-9]+}}.wide(
; CHECK: %place{{[0-9]*}} = sub {{.*}}i32
; CHECK-NOT: {{[us]}}rem <
; CHECK-NOT: gather
; CHECK: store <{{[0-9]+}} x i32>
; CHECK: ret i32

; CHECK: define internal void @"sinter:kernel.rows"(
; CHECK: call i64 @kernel.work_item.{{[0-9]+}}.row_length(
; CHECK: [[ROW:%.*]] = udiv i64 %2, %row_length
; CHECK: %row_id = phi i64 [ [[ROW]], %start ]
; CHECK: define internal void @"sinter:kernel.flat"(
; CHECK: define internal void @"sinter:kernel"(
; CHECK: [[CHOICE:%.*]] = call i64 @kernel.work_item.{{[0-9]+}}.row_length(
; CHECK: icmp ne i64 [[CHOICE]], 0

; GROUPS: define internal void @"sinter:kernel.rows"(
; GROUPS: mul nuw i64 %2, %local_range

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data.at = getelementptr i8, ptr %block, i64 8
  %data = load ptr, ptr %data.at
  %width = load i32, ptr %block
  %height.at = getelementptr i8, ptr %block, i64 4
  %height = load i32, ptr %height.at
  %id = call i64 @__sinter_global_id(i32 2)
  %k = trunc i64 %id to i32
  %plane = mul nsw i32 %height, %width
  %z = sdiv i32 %k, %plane
  %left = srem i32 %k, %plane
  %y = sdiv i32 %left, %width
  %x = srem i32 %left, %width
  %zy = mul i32 %z, %y
  %sum = add i32 %zy, %x
  %to = getelementptr i32, ptr %data, i64 %id
  store i32 %sum, ptr %to
  ret void
}
