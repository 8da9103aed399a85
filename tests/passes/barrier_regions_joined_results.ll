; Work-items leave a loop by two ways, and the paths meet in front of a barrier: the result of either way is the sum of
; the first loop or of a second loop. Both loops' sums and the result share one slot of the context, so the way around
; the second loop stores nothing. If the first sum is needed behind the barrier, too, the result has a slot of its own.
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions,function(instsimplify)' %s | FileCheck %s
; RUN: sed 's/%late = fadd float %either, 1.0/%late = fadd float %either, %sum/' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-barrier-regions,function(instsimplify)' | FileCheck %s --check-prefix=LATE

; The region behind the barrier in the first loop.
; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK: load float, ptr [[SLOT:%.*]], align 4, !alias.scope
; CHECK: store float %next_sum, ptr [[SLOT]], align 4
; CHECK: store float %either, ptr [[SLOT]], align 4

; The sum behind the first loop is stored only for its use at the end.
; LATE-LABEL: define internal i32 @kernel.work_item.region1(
; LATE: load float, ptr [[SLOT:%.*]], align 4, !alias.scope
; LATE: store float %next_sum, ptr [[SLOT]], align 4
; LATE-NOT: store float %either, ptr [[SLOT]], align 4
; LATE: store float %either, ptr

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
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %more ]
  %sum = phi float [ 0.0, %entry ], [ %next_sum, %more ]
  %again = icmp ult i32 %i, %count
  br i1 %again, label %more, label %rest
more:
  call void @__sinter_barrier(i32 2, i32 2)
  %x = load float, ptr %data
  %next_sum = fadd float %sum, %x
  %next = add i32 %i, 1
  br label %loop
rest:
  %any = icmp ult i32 %count, 100
  br i1 %any, label %alone, label %met
alone:
  %j = phi i32 [ 0, %rest ], [ %next_j, %alone ]
  %own = phi float [ %sum, %rest ], [ %next_own, %alone ]
  %y = load float, ptr %out
  %next_own = fadd float %own, %y
  %next_j = add i32 %j, 1
  %go = icmp ult i32 %next_j, 7
  br i1 %go, label %alone, label %met
met:
  %either = phi float [ %next_own, %alone ], [ %sum, %rest ]
  call void @__sinter_barrier(i32 2, i32 2)
  %late = fadd float %either, 1.0
  store float %late, ptr %out
  ret void
}
