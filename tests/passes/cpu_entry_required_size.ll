; If a kernel requires a work-group size, this size is a constant. Loops over a row end at the end of a vector, so no
; work-items are left for scalar code.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8>' %s | FileCheck %s
; RUN: %opt -passes='sinter-lower-cpu<lanes=8>,sinter-optimise' %s | FileCheck %s --check-prefix=OPTIMISED

; CHECK-LABEL: define internal void @"sinter:kernel"(
; CHECK: call i32 @kernel.work_item.wide({{.*}}, i64 1, i64 1, i64 16, i64 1, i64 1, i64 %group_range

; OPTIMISED-LABEL: define internal void @"sinter:kernel"(
; OPTIMISED: store <8 x i32>
; OPTIMISED-NOT: store i32
; OPTIMISED: ret void

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" "sinter-work-group-size"="16" {
  %data = load ptr, ptr %block
  %i = call i64 @__sinter_global_id(i32 2)
  %mine = getelementptr i32, ptr %data, i64 %i
  %value = trunc i64 %i to i32
  store i32 %value, ptr %mine
  ret void
}
