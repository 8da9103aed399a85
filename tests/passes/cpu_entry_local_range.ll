; Code for one local range: the loops over a group's work-items have constant bounds. If the length of vectors divides
; the length of rows, no scalar code for the end of a row is needed. Numbers that users compute from local ids have 32
; bits. Code for any local range also handles work-items at the end of a row that do not fill a vector.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8>' %s | FileCheck %s
; RUN: %opt -passes='sinter-lower-cpu<lanes=8>,sinter-optimise' %s | FileCheck %s --check-prefix=OPTIMISED
; RUN: sed '/^!sinter.groups/d' %s | %opt -passes='sinter-lower-cpu<lanes=8>' | FileCheck %s --check-prefix=ANY
; RUN: sed 's/^!0 = .*/!0 = !{!"\\01\\00\\00\\00\\00\\00\\00\\00\\01\\00\\00\\00\\00\\00\\00\\00\\03\\00\\00\\00\\00\\00\\00\\00", !""}/' %s \
; RUN:   | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=THREE

; CHECK-LABEL: define internal void @"sinter:kernel"(
; CHECK-NOT: call i32 @kernel.work_item(
; CHECK: call i32 @kernel.work_item.wide({{.*}}, i64 40, i64 1, i64 1, i64 %group_range
; CHECK-NOT: call i32 @kernel.work_item(

; OPTIMISED-LABEL: define internal void @"sinter:kernel"(
; OPTIMISED-NOT: udiv i64
; OPTIMISED: store <8 x i32>
; OPTIMISED-NOT: store i32
; OPTIMISED-LABEL: attributes #0

; ANY-LABEL: define internal void @"sinter:kernel"(
; ANY: call i32 @kernel.work_item.wide(
; ANY: call i32 @kernel.work_item(

; No vector is longer than a row.
; THREE: store <2 x i32>

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_local_range(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %i = call i64 @__sinter_global_id(i32 2)
  %local = call i64 @__sinter_local_id(i32 2)
  %size = call i64 @__sinter_local_range(i32 2)
  %half = udiv i64 %size, 2
  %part = udiv i64 %local, %half
  %mine = getelementptr i32, ptr %data, i64 %i
  %value = trunc i64 %part to i32
  store i32 %value, ptr %mine
  ret void
}

!sinter.groups = !{!0}
!0 = !{!"\01\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\28\00\00\00\00\00\00\00", !""}
