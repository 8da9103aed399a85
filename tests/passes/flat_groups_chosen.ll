; Kernels of two dimensions with sub-groups, for any local range: if the sub-group size divides the length of rows, the
; code runs row by row. Other groups are handled as one row. Kernels of one dimension, and kernels without sub-groups,
; have only one of these two versions of the code.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0;sub-group=8>' %s | FileCheck %s
; RUN: sed 's/nd_range<2>/nd_range<1>/' %s | %opt -passes='sinter-lower-cpu<lanes=0;sub-group=8>' | FileCheck %s --check-prefix=ONE
; RUN: sed 's/call i32 @__sinter_sub_group_local_id()/add i32 0, 0/' %s | %opt -passes='sinter-lower-cpu<lanes=0;sub-group=8>' \
; RUN:   | FileCheck %s --check-prefix=ONE

; CHECK: define internal void @"sinter:kernel.rows"(
; CHECK: define internal void @"sinter:kernel.flat"(
; CHECK: define internal void @"sinter:kernel"(
; CHECK: [[PLACE:%.*]] = getelementptr inbounds i8, ptr %1, i64 40
; CHECK: [[ROW:%.*]] = load i64, ptr [[PLACE]]
; CHECK: [[LEFT:%.*]] = and i64 [[ROW]], 7
; CHECK: [[WHOLE:%.*]] = icmp eq i64 [[LEFT]], 0
; CHECK: br i1 [[WHOLE]]
; CHECK: call void @"sinter:kernel.rows"(
; CHECK: call void @"sinter:kernel.flat"(

; ONE-NOT: kernel.flat
; ONE: define internal void @"sinter:kernel"(
; ONE-NOT: kernel.flat

declare i64 @__sinter_local_id(i32)
declare i32 @__sinter_sub_group_local_id()

define void @kernel(ptr %block) "sinter-kernel"="nd_range<2>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_local_id(i32 2)
  %lane = call i32 @__sinter_sub_group_local_id()
  %here = getelementptr i32, ptr %data, i64 %id
  store i32 %lane, ptr %here
  ret void
}
