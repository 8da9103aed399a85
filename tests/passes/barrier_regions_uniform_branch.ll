; A branch whose condition is equal for all work-items of the group has two sides, and one side contains a barrier.
; Region 0 stops at the barrier on this side, and runs to the end of the kernel on the other side. Region 1 has the code
; behind the barrier on the first side, and the code after the branch.
; RUN: %opt -passes=sinter-work-item-function,sinter-barrier-regions %s | FileCheck %s

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK: br i1 %flag, label %then, label %else
; CHECK: then:
; CHECK: store i32 1, ptr
; CHECK: ret i32 1
; CHECK: else:
; CHECK: store i32 3, ptr
; CHECK: join:
; CHECK-NOT: phi
; CHECK: store i32 4, ptr
; CHECK-NEXT: ret i32 0

; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK-NOT: br i1
; CHECK-NOT: store i32 1,
; CHECK: store i32 2,
; CHECK-NOT: store i32 3,
; CHECK: store i32 4,
; CHECK-NEXT: ret i32 0

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %flag_at = getelementptr i8, ptr %block, i64 8
  %flag = load i1, ptr %flag_at
  br i1 %flag, label %then, label %else
then:
  store i32 1, ptr %data
  call void @__sinter_barrier(i32 2, i32 2)
  store i32 2, ptr %data
  br label %join
else:
  store i32 3, ptr %data
  br label %join
join:
  store i32 4, ptr %data
  ret void
}
