; A barrier is in a loop whose trip count is known only at run time. Region 0 stops in the first iteration. Region
; 1 resumes in the middle of an iteration, then either stops at the same barrier in the next iteration or leaves
; the loop. The counter and the running sum are kept. The trip count is an argument, so it is loaded from the
; argument block again.
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions,function(instsimplify)' %s | FileCheck %s

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK: load i32, ptr %0, align 4, !invariant.load
; CHECK: br i1 %any, label %loop, label %done
; CHECK: store i32 0, ptr
; CHECK-NEXT: store float 0.0{{.*}}, ptr
; CHECK-NEXT: ret i32 1
; CHECK: done:
; CHECK: ret i32 0

; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK: [[I:%.*]] = load i32, ptr [[I_SLOT:%.*]], align 4
; CHECK: [[SUM:%.*]] = load float, ptr [[SUM_SLOT:%.*]], align 4
; CHECK: store i32 %next, ptr [[I_SLOT]], align 4
; CHECK-NEXT: store float %next_sum, ptr [[SUM_SLOT]], align 4
; CHECK-NEXT: ret i32 1
; CHECK: %next_sum = fadd float [[SUM]], %x
; CHECK: %next = add i32 [[I]], 1
; CHECK: [[COUNT:%.*]] = load i32, ptr %0, align 4, !invariant.load
; CHECK: %more = icmp ult i32 %next, [[COUNT]]
; CHECK: br i1 %more, label %loop, label %done
; CHECK: done:
; CHECK: store float %next_sum,
; CHECK: ret i32 0

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %count = load i32, ptr %block
  %data_at = getelementptr i8, ptr %block, i64 8
  %data = load ptr, ptr %data_at
  %any = icmp ne i32 %count, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %next_sum, %loop ]
  call void @__sinter_barrier(i32 2, i32 2)
  %x = load float, ptr %data
  %next_sum = fadd float %sum, %x
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %done
done:
  %result = phi float [ 0.0, %entry ], [ %next_sum, %loop ]
  store float %result, ptr %data
  ret void
}
