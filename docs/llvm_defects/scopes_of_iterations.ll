; RUN: opt < %s -passes=gvn -S | FileCheck %s

; Each iteration of the inner loop is a separate call through `restrict`, with its own scopes: a value stored to %x in
; one iteration may be loaded in the next. The load for the first iteration belongs into the outer loop, not in front of
; it.

declare void @llvm.experimental.noalias.scope.decl(metadata)

; CHECK-LABEL: define void @in_turn(
; CHECK-NOT: load
; CHECK: outer:
; CHECK: load double
define void @in_turn(ptr %x, ptr %y, i32 %rounds, i32 %n) {
entry:
  br label %outer
outer:
  %k = phi i32 [ 0, %entry ], [ %k.next, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %from = phi ptr [ %y, %outer ], [ %to, %inner ]
  %to = phi ptr [ %x, %outer ], [ %from, %inner ]
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  %v = load double, ptr %from, align 8, !alias.scope !4, !noalias !2
  %less = fadd double %v, -1.000000e+00
  store double %less, ptr %to, align 8, !alias.scope !2, !noalias !4
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ne i32 %j.next, %n
  br i1 %more, label %inner, label %latch
latch:
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ne i32 %k.next, %rounds
  br i1 %again, label %outer, label %done
done:
  ret void
}

!0 = distinct !{!0, !"call"}
!1 = distinct !{!1, !0, !"to"}
!2 = !{!1}
!3 = distinct !{!3, !0, !"from"}
!4 = !{!3}
