; One region of a loop changes a sum, another region does not. The values before and after the addition share one slot
; of the context, and the region that does not change the sum writes nothing. If the old value is read after the new
; value has been computed, the old value has a slot of its own.
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions,function(instsimplify)' %s | FileCheck %s
; RUN: sed 's/%late = fadd float %next_sum, 1.0/%late = fadd float %next_sum, %sum/' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-barrier-regions,function(instsimplify)' | FileCheck %s --check-prefix=LATE

; A value that passes through a single-entry phi behind a loop (LCSSA) shares the slot as well.
; RUN: sed 's/^  %next_sum = fadd float %sum, %x/  %added = fadd float %sum, %x\n  br label %behind\nbehind:\n  %next_sum = phi float [ %added, %loop ]/' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-barrier-regions,function(instsimplify)' | FileCheck %s --check-prefix=LOOP

; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK: [[SUM:%.*]] = load float, ptr [[SLOT:%.*]], align 4
; CHECK: %next_sum = fadd float [[SUM]], %x
; CHECK: store float %next_sum, ptr [[SLOT]], align 4
; CHECK: ret i32 2

; CHECK-LABEL: define internal i32 @kernel.work_item.region2(
; CHECK: store i32 %next, ptr
; CHECK-NOT: store float
; CHECK: ret i32 1

; LATE-LABEL: define internal i32 @kernel.work_item.region2(
; LATE: store i32 %next, ptr
; LATE-NEXT: store float
; LATE: ret i32 1

; LOOP-LABEL: define internal i32 @kernel.work_item.region1(
; LOOP: [[SUM:%.*]] = load float, ptr [[SLOT:%.*]], align 4
; LOOP: [[ADDED:%.*]] = fadd float [[SUM]], %x
; LOOP: store float [[ADDED]], ptr [[SLOT]], align 4
; LOOP: ret i32 2

; LOOP-LABEL: define internal i32 @kernel.work_item.region2(
; LOOP: store i32 %next, ptr
; LOOP-NOT: store float
; LOOP: ret i32 1

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %count = load i32, ptr %block
  %data_at = getelementptr i8, ptr %block, i64 8
  %data = load ptr, ptr %data_at
  %out = getelementptr i8, ptr %data, i64 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %more ]
  %sum = phi float [ 0.0, %entry ], [ %next_sum, %more ]
  call void @__sinter_barrier(i32 2, i32 2)
  %x = load float, ptr %data
  %next_sum = fadd float %sum, %x
  call void @__sinter_barrier(i32 2, i32 2)
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %count
  br i1 %again, label %more, label %done
more:
  br label %loop
done:
  %late = fadd float %next_sum, 1.0
  store float %late, ptr %out
  ret void
}
