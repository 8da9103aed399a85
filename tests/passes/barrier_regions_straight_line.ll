; A barrier without loops or branches around it makes two regions. A value that is loaded before the barrier and used
; behind it is kept in the context, at offset[slot] * item_count + item * size[slot] (%23 is the context, %24 the
; item, %25 the item count). The first slot is i32, the second double.
; RUN: %opt -passes=sinter-work-item-function,sinter-barrier-regions %s \
; RUN:   | FileCheck %s --implicit-check-not='call void @__sinter'

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK: [[OFFSET0:%.*]] = mul nuw i64 %25, 0
; CHECK: [[ITEM0:%.*]] = mul nuw i64 %24, 4
; CHECK: [[SUM0:%.*]] = add nuw i64 [[OFFSET0]], [[ITEM0]]
; CHECK: [[SLOT0:%.*]] = getelementptr i8, ptr %23, i64 [[SUM0]]
; CHECK: [[OFFSET1:%.*]] = mul nuw i64 %25, 8
; CHECK: [[ITEM1:%.*]] = mul nuw i64 %24, 8
; CHECK: [[SUM1:%.*]] = add nuw i64 [[OFFSET1]], [[ITEM1]]
; CHECK: [[SLOT1:%.*]] = getelementptr i8, ptr %23, i64 [[SUM1]]
; CHECK: %x = load i32, ptr %data
; CHECK: %y = load double, ptr %more
; CHECK-DAG: store i32 %x, ptr [[SLOT0]]
; CHECK-DAG: store double %y, ptr [[SLOT1]]
; CHECK-NEXT: ret i32 1

; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK-DAG: [[X:%.*]] = load i32, ptr
; CHECK-DAG: [[Y:%.*]] = load double, ptr
; CHECK: store i32 [[X]],
; CHECK: store double [[Y]],
; CHECK: ret i32 0
; CHECK: "sinter-context-bytes"="64"

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %more_at = getelementptr i8, ptr %block, i64 8
  %more = load ptr, ptr %more_at
  %x = load i32, ptr %data
  %y = load double, ptr %more
  call void @__sinter_barrier(i32 2, i32 2)
  store i32 %x, ptr %data
  store double %y, ptr %more
  ret void
}
