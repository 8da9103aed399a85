; A kernel that always traps at its end does not return. The functions for the kernel's regions do return, so these
; functions must not inherit noreturn.
; RUN: %opt -passes=sinter-work-item-function,sinter-barrier-regions %s | FileCheck %s --implicit-check-not=noreturn

; CHECK: define internal i32 @kernel.work_item.region0(
; CHECK: ret i32 1
; CHECK: define internal i32 @kernel.work_item.region1(
; CHECK: unreachable

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @__sinter_trap(ptr)
declare void @__sinter_barrier(i32, i32)
@why = private constant [4 x i8] c"why\00"

define void @kernel(ptr %block) noreturn "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  store i32 1, ptr %data
  call void @__sinter_barrier(i32 2, i32 2)
  call void @__sinter_trap(ptr @why)
  unreachable
}
