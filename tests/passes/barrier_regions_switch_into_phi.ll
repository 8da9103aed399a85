; Two cases of a switch lead to one block. The block's phi needs a value that is computed again. The phi must get the
; same copy of this value for both edges from the switch, because otherwise the phi is invalid.
; RUN: %opt -passes=sinter-work-item-function,sinter-barrier-regions %s | FileCheck %s

; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK: [[TWICE:%.*]] = mul i64 %3, 2
; CHECK: phi i64 [ [[TWICE]], {{%.*}} ], [ [[TWICE]], {{%.*}} ], [ 7, %other ]

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %twice = mul i64 %id, 2
  store i64 %twice, ptr %data
  call void @__sinter_barrier(i32 2, i32 2)
  %x = load i32, ptr %data
  switch i32 %x, label %other [
    i32 1, label %join
    i32 2, label %join
  ]
other:
  br label %join
join:
  %value = phi i64 [ %twice, %0 ], [ %twice, %0 ], [ 7, %other ]
  store i64 %value, ptr %data
  ret void
}
