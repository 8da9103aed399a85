; Tests the plan for exchanges between lanes of a sub-group, and for lanes in several rows of a group.
; RUN: %opt -disable-output -passes='sinter-work-item-function<sub-group=16>,sinter-flatten-groups<local=1x8x8>,sinter-print-lanes<lanes=16>' %s \
; RUN:   | FileCheck %s --implicit-check-not=wrong:

; CHECK: %lane: strided by 1{{.*}}; exchange
; CHECK: %x: varying; runs of one place for 8
; CHECK: %y: varying; runs of 8
; CHECK: %next: varying; exchange
; CHECK: store: runs of 8

declare i64 @__sinter_local_id(i32)
declare i32 @__sinter_sub_group_local_id()
declare i32 @__sinter_sub_group_shuffle_32(i32, i32) #0

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
  %other = add i32 %lane, 1
  %next = call i32 @__sinter_sub_group_shuffle_32(i32 %y, i32 %other)
  %sum = add i32 %x, %next
  store i32 %sum, ptr %place
  ret void
}

attributes #0 = { convergent nounwind }
