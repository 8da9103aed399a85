; A vector covers two rows of 8 work-items. Memory that is contiguous within each row is loaded and stored row by row,
; and values that a row shares are loaded once per row. If vectors don't cover whole rows, the code gathers and
; scatters.
; RUN: %opt -passes='sinter-work-item-function<sub-group=16>,sinter-flatten-groups<local=1x8x8>,sinter-vectorize<sub-group=16>' %s | FileCheck %s
; RUN: %opt -passes='sinter-work-item-function<sub-group=16>,sinter-flatten-groups<local=1x5x7>,sinter-vectorize<sub-group=16>' %s \
; RUN:   | FileCheck %s --check-prefix=ODD

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: load i32, ptr
; CHECK: load i32, ptr
; CHECK: load <8 x i32>, ptr
; CHECK: load <8 x i32>, ptr
; CHECK: shufflevector <8 x i32> {{.*}} <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
; CHECK: store <8 x i32>
; CHECK: store <8 x i32>
; CHECK-NOT: masked.gather
; CHECK: ret i32

; ODD: define {{.*}} @kernel.work_item.wide(
; ODD: call <16 x i32> @llvm.masked.gather
; ODD: call <16 x i32> @llvm.masked.gather
; ODD: call void @llvm.masked.scatter
; ODD: ret i32

declare i64 @__sinter_local_id(i32)
declare i32 @__sinter_sub_group_local_id()

define void @kernel(ptr %block) "sinter-kernel"="nd_range<2>" {
  %data = load ptr, ptr %block
  %pitch.place = getelementptr i64, ptr %block, i64 1
  %pitch = load i64, ptr %pitch.place
  %column.place = getelementptr ptr, ptr %block, i64 2
  %column = load ptr, ptr %column.place
  %id1 = call i64 @__sinter_local_id(i32 1)
  %id2 = call i64 @__sinter_local_id(i32 2)
  %lane = call i32 @__sinter_sub_group_local_id()
  %of.row = getelementptr i32, ptr %column, i64 %id1
  %x = load i32, ptr %of.row
  %before = mul i64 %id1, %pitch
  %at = add i64 %before, %id2
  %place = getelementptr i32, ptr %data, i64 %at
  %y = load i32, ptr %place
  %sum = add i32 %x, %y
  %all = add i32 %sum, %lane
  store i32 %all, ptr %place
  ret void
}
