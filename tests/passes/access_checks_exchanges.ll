; Exchanges with work-items outside of the sub-group are checked: the first work-item reports sources behind the
; sub-group, the last work-item sources before it. The report has the number of
; the source and the size of the sub-group. Ballots have no source.
; RUN: %opt -passes=sinter-check-accesses,verify %s | FileCheck %s

; Fields: file, name, line, flags (128: an exchange), leaf, bytes of the object.
; CHECK: [[PLACE:@[a-z.0-9]+]] = private constant {{.*}} { ptr null, ptr null, i32 0, i32 128, i64 -1, i64 0 }

; CHECK-LABEL: define void @kernel(
; CHECK: [[LANE:%.*]] = call i32 @__sinter_sub_group_local_id()
; CHECK: [[SIZE:%.*]] = call i32 @__sinter_sub_group_size()
; CHECK: [[FIRST:%.*]] = icmp eq i32 [[LANE]], 0
; CHECK: [[BEHIND:%.*]] = icmp sge i32 %source, [[SIZE]]
; CHECK: and i1 [[FIRST]], [[BEHIND]]
; CHECK: [[END:%.*]] = sub i32 [[SIZE]], 1
; CHECK: [[LAST:%.*]] = icmp eq i32 [[LANE]], [[END]]
; CHECK: [[BEFORE:%.*]] = icmp slt i32 %source, 0
; CHECK: and i1 [[LAST]], [[BEFORE]]
; CHECK: [[HIGH:%.*]] = shl i64 {{.*}}, 32
; CHECK: [[BOTH:%.*]] = or i64 [[HIGH]], {{.*}}
; CHECK: call void @__sinter_check_access(ptr [[PLACE]], ptr null, ptr null, i64 [[BOTH]])
; CHECK: %other = call i32 @__sinter_sub_group_shuffle_32(i32 1, i32 %source)
; CHECK: call void @__sinter_check_resume(
; CHECK-NOT: check_access
; CHECK: call i64 @__sinter_sub_group_ballot(i1 true)
; CHECK: ret void

declare i64 @__sinter_local_id(i32)
declare i32 @__sinter_sub_group_shuffle_32(i32, i32)
declare i64 @__sinter_sub_group_ballot(i1)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %id = call i64 @__sinter_local_id(i32 2)
  %number = trunc i64 %id to i32
  %source = xor i32 %number, 16
  %other = call i32 @__sinter_sub_group_shuffle_32(i32 1, i32 %source)
  %all = call i64 @__sinter_sub_group_ballot(i1 true)
  ret void
}
