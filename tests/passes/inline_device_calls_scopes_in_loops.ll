; Scopes of `restrict` that a loop declares in each iteration are dropped, because LLVM moves them out of the loop
; (docs/llvm_defects.md). The pass drops such scopes in the kernel, and in functions that the kernel calls in a loop.
; The parameters of these functions lose `restrict`. Scopes of the whole kernel stay, and so do scopes of functions that
; are called once.
; RUN: %opt -passes=sinter-inline-device-calls %s | FileCheck %s

; CHECK-LABEL: define void @kernel(
; CHECK: noalias.scope.decl(metadata ![[ONCE:[0-9]+]])
; CHECK: load i32, ptr %q, align 4, !alias.scope ![[ONCE]]
; CHECK: loop:
; CHECK-NOT: noalias.scope.decl
; CHECK: load i32, ptr %q, align 4{{$}}
; CHECK: store i32 %y, ptr %p, align 4{{$}}
; CHECK: define internal void @once(ptr noalias %p)
; CHECK: store i32 1, ptr %p, align 4, !alias.scope
; CHECK: define internal void @often(ptr %p)
; CHECK-NOT: !alias.scope
; CHECK: call void @deeper(
; CHECK: define internal void @deeper(ptr %p)
; CHECK-NOT: !alias.scope
; CHECK: ret void

declare void @llvm.experimental.noalias.scope.decl(metadata)

define void @kernel(ptr %p, ptr %q, i32 %n) "sinter-kernel"="range<1>" {
start:
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  %x = load i32, ptr %q, align 4, !alias.scope !2
  store i32 %x, ptr %p, align 4, !noalias !2
  call void @once(ptr %p)
  br label %loop

loop:
  %k = phi i32 [ 0, %start ], [ %next, %loop ]
  call void @llvm.experimental.noalias.scope.decl(metadata !5)
  %y = load i32, ptr %q, align 4, !alias.scope !5
  store i32 %y, ptr %p, align 4, !noalias !5
  call void @often(ptr %p)
  %next = add i32 %k, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %done

done:
  ret void
}

define internal void @once(ptr noalias %p) {
  call void @llvm.experimental.noalias.scope.decl(metadata !8)
  store i32 1, ptr %p, align 4, !alias.scope !8
  ret void
}

define internal void @often(ptr noalias %p) {
  call void @deeper(ptr %p)
  ret void
}

define internal void @deeper(ptr noalias %p) {
  call void @llvm.experimental.noalias.scope.decl(metadata !11)
  store i32 1, ptr %p, align 4, !alias.scope !11
  ret void
}

!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}
!3 = distinct !{!3}
!4 = distinct !{!4, !3}
!5 = !{!4}
!6 = distinct !{!6}
!7 = distinct !{!7, !6}
!8 = !{!7}
!9 = distinct !{!9}
!10 = distinct !{!10, !9}
!11 = !{!10}
