; Each work-item has a loop over rows, and prefetches memory for later iterations of this loop. Prefetches whose
; addresses depend only on ids and counters are removed: the CPU's prefetchers read such memory ahead anyway, and the
; calls would stop LLVM's loop vectorizer and passes that move accesses. Prefetches stay if their addresses come from
; memory or are the same for all work-items.
; RUN: %opt -passes='sinter-work-item-function,sinter-followed-prefetches' %s | FileCheck %s

; CHECK-LABEL: define internal i32 @kernel.work_item
; CHECK-NOT: call void @llvm.prefetch
; CHECK: %index = load i64, ptr %here
; CHECK-NEXT: [[FAR:%.*]] = getelementptr float, ptr %data, i64 %index
; CHECK-NEXT: call void @llvm.prefetch.p0(ptr [[FAR]],
; CHECK-NEXT: %shared =
; CHECK-NEXT: call void @llvm.prefetch.p0(ptr %shared,
; CHECK-NOT: call void @llvm.prefetch

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %row = shl i64 %k, 10
  %at = add i64 %row, %id
  %ahead = add i64 %at, 4096
  %next_row = getelementptr float, ptr %data, i64 %ahead
  call void @llvm.prefetch.p0(ptr %next_row, i32 0, i32 3, i32 1)
  %here = getelementptr i64, ptr %data, i64 %at
  %index = load i64, ptr %here
  %far = getelementptr float, ptr %data, i64 %index
  call void @llvm.prefetch.p0(ptr %far, i32 0, i32 3, i32 1)
  %shared = getelementptr float, ptr %data, i64 %row
  call void @llvm.prefetch.p0(ptr %shared, i32 0, i32 3, i32 1)
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, 64
  br i1 %again, label %loop, label %done
done:
  ret void
}
