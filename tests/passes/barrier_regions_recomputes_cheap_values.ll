; Addresses that depend only on ids and arguments are computed again behind the barrier and need no memory in the
; context. A division costs more than a load, so its result is kept.
; RUN: %opt -passes=sinter-work-item-function,sinter-barrier-regions %s | FileCheck %s

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK: [[KEPT:%.*]] = getelementptr i8, ptr %23,
; CHECK: %row = udiv i64 %3, 10
; CHECK: store i32 1, ptr %cell
; CHECK: store i64 %row, ptr [[KEPT]]
; CHECK-NEXT: ret i32 1

; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK: [[ROW:%.*]] = load i64, ptr
; CHECK-NOT: udiv
; CHECK: [[DATA:%.*]] = load ptr, ptr %0, align 8, !invariant.load
; CHECK: [[INDEX:%.*]] = add i64 %3, 1
; CHECK: [[CELL:%.*]] = getelementptr i64, ptr [[DATA]], i64 [[INDEX]]
; CHECK: store i64 [[ROW]], ptr [[CELL]]
; CHECK: ret i32 0
; CHECK: "sinter-context-bytes"="64"

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %index = add i64 %id, 1
  %cell = getelementptr i64, ptr %data, i64 %index
  %row = udiv i64 %id, 10
  store i32 1, ptr %cell
  call void @__sinter_barrier(i32 2, i32 2)
  store i64 %row, ptr %cell
  ret void
}
