; A linear id is divided by a captured width. If the width is that of the range, the results are the ids from which the
; linear id was computed.
; RUN: %opt -passes='sinter-lower-cpu<lanes=4>' %s | FileCheck %s
; A number that is computed while the kernel runs is not a captured width, and ids multiplied by another number are not
; linear ids.
; RUN: sed 's/%n = load i64, ptr %block/%n = load i64, ptr %data/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE
; RUN: sed 's/global_range(i32 2)/global_range(i32 1)/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE
; Group id times local range plus local id is the global id, so the local range is not a width here.
; RUN: sed 's/global_id(i32 1)/group_id(i32 2)/; s/global_id(i32 2)/local_id(i32 2)/; s/global_range(i32 2)/local_range(i32 2)/; s/"range<2>"/"nd_range<1>"/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE

; CHECK: define internal i1 @kernel.work_item.{{[0-9]+}}.is_usual(ptr %0, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9)
; CHECK: [[WIDTH:%.*]] = freeze i64
; CHECK: icmp eq i64 [[WIDTH]], %3
; The condition: the launch has no offset, and the number of its work-items fits 32 bits.
; CHECK: icmp eq i64 %4, 0
; CHECK: icmp eq i64 %5, 0
; CHECK: icmp eq i64 %6, 0
; CHECK: icmp ult i64 {{%.*}}, 2147483648
; CHECK: ret i1
; CHECK: define {{.*}} @kernel.work_item.{{[0-9]+}}.wide(
; CHECK-NOT: udiv
; CHECK-NOT: urem
; CHECK: define internal void @"sinter:kernel.usual"(

; NONE-NOT: is_usual

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_global_range(i32)
declare i64 @__sinter_group_id(i32)
declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_local_range(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<2>" {
  %data.at = getelementptr i8, ptr %block, i64 8
  %data = load ptr, ptr %data.at
  %n = load i64, ptr %block
  %id0 = call i64 @__sinter_global_id(i32 1)
  %id1 = call i64 @__sinter_global_id(i32 2)
  %width = call i64 @__sinter_global_range(i32 2)
  %rows = mul i64 %id0, %width
  %linear = add i64 %rows, %id1
  %i = udiv i64 %linear, %n
  %j = urem i64 %linear, %n
  %column = mul i64 %j, 3
  %row = mul i64 %i, %i
  %index = add i64 %row, %column
  %from = getelementptr float, ptr %data, i64 %index
  %value = load float, ptr %from
  %to = getelementptr float, ptr %data, i64 %linear
  store float %value, ptr %to
  ret void
}
