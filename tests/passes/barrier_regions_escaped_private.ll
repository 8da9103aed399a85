; A private variable whose address was stored before the barrier may be read behind the barrier through the stored
; address, so the variable is kept in the context.
; RUN: %opt -passes=sinter-work-item-function,sinter-barrier-regions %s \
; RUN:   | FileCheck %s --implicit-check-not='ptr %variable'

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK: mul nuw i64 %24, 4
; CHECK: mul nuw i64 %24, 16
; CHECK-LABEL: define internal i32 @kernel.work_item.region1(

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %variable = alloca i32
  %pointers = alloca [2 x ptr]
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  store i32 42, ptr %variable
  %bit = and i64 %id, 1
  %at = getelementptr ptr, ptr %pointers, i64 %bit
  store ptr %variable, ptr %at
  call void @__sinter_barrier(i32 2, i32 2)
  %found = load ptr, ptr %at
  %x = load i32, ptr %found
  store i32 %x, ptr %data
  ret void
}
