; A sum goes on in an inner loop, and the code behind this loop compares the sum with its value before the loop. Each of
; the two values has a slot of its own. If only the new value is needed behind the loop, they share one.
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions,function(instsimplify)' %s | FileCheck %s
; RUN: sed 's/%difference = fsub float %sum, %all/%difference = fsub float %sum, %x/' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-barrier-regions,function(instsimplify)' | FileCheck %s --check-prefix=ONE

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK-DAG: store float 0.000000e+00, ptr [[SUM:%.*]], align 4
; CHECK-DAG: store float 0.000000e+00, ptr [[ALL:%.*]], align 4
; CHECK: ret i32 1

; ONE-LABEL: define internal i32 @kernel.work_item.region0(
; ONE: store float 0.000000e+00
; ONE-NOT: store float
; ONE: ret i32 1

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %count = load i32, ptr %block
  %data_at = getelementptr i8, ptr %block, i64 8
  %data = load ptr, ptr %data_at
  %id = call i64 @__sinter_local_id(i32 2)
  %out = getelementptr float, ptr %data, i64 %id
  br label %outer
outer:
  %k = phi i32 [ 0, %entry ], [ %next_k, %behind ]
  %all = phi float [ 0.0, %entry ], [ %sum, %behind ]
  br label %loop
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %more ]
  %sum = phi float [ %all, %outer ], [ %next_sum, %more ]
  call void @__sinter_barrier(i32 2, i32 2)
  %x = load float, ptr %out
  %again = icmp ult i32 %i, %count
  br i1 %again, label %more, label %behind
more:
  %next_sum = fadd float %sum, %x
  %next = add i32 %i, 1
  br label %loop
behind:
  %difference = fsub float %sum, %all
  store float %difference, ptr %out
  %next_k = add i32 %k, 1
  %go = icmp ult i32 %next_k, %count
  br i1 %go, label %outer, label %done
done:
  ret void
}
