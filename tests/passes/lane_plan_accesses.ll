; Tests the action that is planned for each instruction, for all lanes. An access may be uniform, strided,
; consecutive, or a gather from any addresses.
; RUN: %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s | FileCheck %s --implicit-check-not=wrong:

; CHECK-LABEL: accesses.work_item, 4 lanes
; CHECK: %data: uniform; once
; CHECK: %cell: strided by 4{{.*}}; strided
; CHECK: %near: varying; consecutive
; CHECK: %far.p: varying; elementwise
; CHECK: %far: varying; gather
; CHECK: %loud: varying; per lane
; CHECK: store: consecutive
; CHECK: store: scatter
; CHECK: store: last lane
; CHECK: store: per lane

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)

define void @accesses(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr i32, ptr %data, i64 %id
  %near = load i32, ptr %cell
  %place = zext i32 %near to i64
  %far.p = getelementptr i32, ptr %data, i64 %place
  %far = load i32, ptr %far.p
  %loud = load volatile i32, ptr %cell
  store i32 %far, ptr %cell
  store i32 %loud, ptr %far.p
  store i32 %near, ptr %data
  store atomic i32 %near, ptr %data monotonic, align 4
  ret void
}
