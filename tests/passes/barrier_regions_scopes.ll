; Barriers of sub-groups stay in the code until the vectorizer removes them. A group runs on one thread, so only
; barriers with device scope or a wider scope need a fence. If no barrier is left to cut at, the work-item
; function is not changed.
; RUN: %opt -passes=sinter-work-item-function,sinter-barrier-regions %s | FileCheck %s
; RUN: sed 's/i32 2, i32 3/i32 1, i32 1/' %s | %opt -passes=sinter-work-item-function,sinter-barrier-regions \
; RUN:   | FileCheck %s --check-prefix=NONE

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK-NOT: fence
; CHECK: store i32 1,
; CHECK-NEXT: call void @__sinter_barrier(i32 1, i32 1)
; CHECK-NEXT: store i32 2,
; CHECK-NEXT: fence acq_rel
; CHECK: ret i32 1
; CHECK-NOT: region2

; NONE-NOT: region
; NONE: define internal i32 @kernel.work_item(
; NONE-NOT: fence
; NONE: store i32 1,
; NONE-NEXT: call void @__sinter_barrier(i32 1, i32 1)
; NONE-NEXT: store i32 2,
; NONE-NEXT: call void @__sinter_barrier(i32 1, i32 1)
; NONE-NEXT: store i32 3,
; NONE-NEXT: ret i32 0

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  store i32 1, ptr %data
  call void @__sinter_barrier(i32 1, i32 1)
  store i32 2, ptr %data
  call void @__sinter_barrier(i32 2, i32 3)
  store i32 3, ptr %data
  ret void
}
