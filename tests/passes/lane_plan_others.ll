; Tests the actions for instructions that do not access memory.
; RUN: %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s | FileCheck %s --implicit-check-not=wrong:

; CHECK-LABEL: others.work_item, 4 lanes
; CHECK: %array: strided by 16; copies
; CHECK: %root: varying; elementwise
; CHECK: %answer: varying; per lane
; CHECK: %unused: varying; reduce
; CHECK: %used: varying; per lane
; CHECK: fence: once
; CHECK: call: nothing

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare float @ask(float)
declare float @llvm.sqrt.f32(float)
declare void @llvm.assume(i1)

define void @others(ptr %block) "sinter-kernel"="range<1>" {
  %array = alloca [4 x i32]
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %cell
  %root = call float @llvm.sqrt.f32(float %x)
  %answer = call float @ask(float %x)
  %unused = atomicrmw add ptr %data, i32 1 monotonic
  %used = atomicrmw add ptr %data, i32 1 monotonic
  fence acquire
  store i32 %used, ptr %array
  %positive = fcmp ogt float %answer, %root
  call void @llvm.assume(i1 %positive)
  ret void
}
