; Scopes of `restrict` that reach across a barrier are dropped. The loop around the barrier is cut at the barrier. So
; one region has the end of an iteration and the beginning of the next iteration, which have different scopes. Other
; scopes stay.
; RUN: %opt -passes=sinter-work-item-function,sinter-barrier-regions %s | FileCheck %s

; CHECK: define internal i32 @kernel.work_item.region1(
; CHECK: call void @llvm.experimental.noalias.scope.decl(
; CHECK-NOT: !"across
; CHECK: !"within, to"
; CHECK-NOT: !"across

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @__sinter_barrier(i32, i32)
declare void @llvm.experimental.noalias.scope.decl(metadata)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %a = load ptr, ptr %block
  %at.b = getelementptr i8, ptr %block, i64 8
  %b = load ptr, ptr %at.b
  %at.rounds = getelementptr i8, ptr %block, i64 16
  %rounds = load i64, ptr %at.rounds
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %next, %loop ]
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  %p = getelementptr i32, ptr %a, i64 %k
  %q = getelementptr i32, ptr %b, i64 %k
  %x = load i32, ptr %q, !alias.scope !4, !noalias !2
  store i32 %x, ptr %p, !alias.scope !2, !noalias !4
  call void @__sinter_barrier(i32 2, i32 2)
  %y = load i32, ptr %q, !alias.scope !4, !noalias !2
  call void @llvm.experimental.noalias.scope.decl(metadata !7)
  call void @llvm.experimental.noalias.scope.decl(metadata !9)
  %z = load i32, ptr %p, !alias.scope !9, !noalias !7
  %sum = add i32 %y, %z
  store i32 %sum, ptr %q, !alias.scope !7, !noalias !9
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %rounds
  br i1 %again, label %loop, label %done

done:
  ret void
}

!0 = distinct !{!0}
!1 = distinct !{!1, !0, !"across, to"}
!2 = !{!1}
!3 = distinct !{!3, !0, !"across, from"}
!4 = !{!3}
!5 = distinct !{!5}
!6 = distinct !{!6, !5, !"within, to"}
!7 = !{!6}
!8 = distinct !{!8, !5, !"within, from"}
!9 = !{!8}
