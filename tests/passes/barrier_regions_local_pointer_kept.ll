; A pointer into local memory, which is computed from an expensive index, is live across the barrier. Behind the
; barrier, the kept pointer and the local memory's base lead to the same bytes, so LLVM must not replace the second load
; by the first one.
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions,sinter-cpu-entry,always-inline,function(gvn)' %s \
; RUN:   | FileCheck %s

; CHECK: store i32 7, ptr
; CHECK-NEXT: [[AFTER:%.*]] = load i32, ptr
; CHECK-NEXT: sub i32 [[AFTER]], %before

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare ptr @__sinter_local_base()
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %out = load ptr, ptr %block
  %indices_at = getelementptr i8, ptr %block, i64 8
  %indices = load ptr, ptr %indices_at
  %tile = call ptr @__sinter_local_base()
  %index = load i64, ptr %indices
  %cell = getelementptr i32, ptr %tile, i64 %index
  store i32 1, ptr %cell
  call void @__sinter_barrier(i32 2, i32 2)
  %before = load i32, ptr %tile
  store i32 7, ptr %cell
  %after = load i32, ptr %tile
  %change = sub i32 %after, %before
  store i32 %change, ptr %out
  ret void
}
