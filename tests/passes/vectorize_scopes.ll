; Scopes of `restrict` that are declared in a loop are also declared in the wide form. Otherwise LLVM's unroller would
; treat the scopes of all iterations as one. If the lanes of a sub-group meet between two accesses of a scope, the
; scope would not be right for all lanes, so it is dropped.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>,sinter-register-blocking<block=2>' %s \
; RUN:   | FileCheck %s --check-prefix=TWO
; RUN: sed 's/;MEET//' %s | %opt -passes='sinter-work-item-function,sinter-vectorize<sub-group=4>' | FileCheck %s --check-prefix=MEET

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: loop:
; CHECK: call void @llvm.experimental.noalias.scope.decl(metadata [[TO:![0-9]+]])
; CHECK: call void @llvm.experimental.noalias.scope.decl(metadata [[FROM:![0-9]+]])
; CHECK: load <4 x float>, {{.*}}, !alias.scope [[FROM]], !noalias [[TO]]
; CHECK: store <4 x float> {{.*}}, !alias.scope [[TO]], !noalias [[FROM]]
; TWO: define {{.*}} @kernel.work_item.wide.blocked(
; TWO: call void @llvm.experimental.noalias.scope.decl(metadata [[TO:![0-9]+]])
; TWO-NOT: scope.decl(metadata [[TO]])
; TWO: call void @llvm.experimental.noalias.scope.decl(metadata [[FROM:![0-9]+]])
; TWO-NOT: scope.decl(metadata [[FROM]])
; TWO: store <4 x float> {{.*}}, !alias.scope [[TO]], !noalias [[FROM]]
; TWO: store <4 x float> {{.*}}, !alias.scope [[TO]], !noalias [[FROM]]
; MEET: define {{.*}} @kernel.work_item.wide(
; MEET-NOT: scope.decl(
; MEET: load <4 x float>, ptr {{%[0-9a-z.]+}}, align 4{{$}}
; MEET: store <4 x float> {{.*}}, align 4{{$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare void @__sinter_barrier(i32, i32) convergent
declare void @llvm.experimental.noalias.scope.decl(metadata)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %data = load ptr, ptr %block
  %at.rounds = getelementptr i8, ptr %block, i64 8
  %rounds = load i64, ptr %at.rounds
  %id = call i64 @__sinter_global_id(i32 2)
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %next, %loop ]
  %odd = and i64 %k, 1
  %near = shl i64 %odd, 12
  %far = sub i64 4096, %near
  %near.base = getelementptr float, ptr %data, i64 %near
  %far.base = getelementptr float, ptr %data, i64 %far
  %to = getelementptr float, ptr %near.base, i64 %id
  %from = getelementptr float, ptr %far.base, i64 %id
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  %x = load float, ptr %from, align 4, !alias.scope !4, !noalias !2
  %y = fadd float %x, 1.0
  ;MEET call void @__sinter_barrier(i32 1, i32 1)
  store float %y, ptr %to, align 4, !alias.scope !2, !noalias !4
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %rounds
  br i1 %again, label %loop, label %done

done:
  ret void
}

!0 = distinct !{!0, !"step"}
!1 = distinct !{!1, !0, !"to"}
!2 = !{!1}
!3 = distinct !{!3, !0, !"from"}
!4 = !{!3}
