; LLVM's pass alone gives %c the value from before the loop, so that the loop never ends (docs/llvm_defects.md).
; AMD's code generation runs this pass once more.
; RUN: %opt -passes='sinter-one-entry,verify' %s | FileCheck %s
; RUN: %opt -passes='sinter-one-entry,fix-irreducible,verify' %s | FileCheck %s

; The block %forth branches to both entries of the cycle, %a and %c. Each time that %c runs after %forth, %nc is the
; number that %b has counted down.

; CHECK-LABEL: define i32 @counts(
; CHECK: c:
; CHECK-NEXT: %[[NC:.*]] = phi i32 {{.*}}%nb1, %forth
; CHECK-NEXT: add i32 %[[NC]], -1
define i32 @counts(i1 %second, i1 %again, i1 %stay) {
entry:
  br i1 %second, label %c, label %a
a:
  %na = phi i32 [ 25, %entry ], [ %nb1, %forth ]
  %na1 = add i32 %na, -1
  br label %b
b:
  %nb = phi i32 [ %na1, %a ], [ %nc1, %c1 ]
  %nb1 = add i32 %nb, -1
  %left = icmp sgt i32 %nb, 0
  br i1 %left, label %forth, label %done
forth:
  br i1 %again, label %a, label %c
c:
  %nc = phi i32 [ %nb1, %forth ], [ 25, %entry ]
  %nc1 = add i32 %nc, -1
  %more = icmp sgt i32 %nc, 0
  br i1 %more, label %c1, label %done
c1:
  br i1 %stay, label %b, label %done
done:
  %n = phi i32 [ %nb, %b ], [ %nc, %c ], [ %nc1, %c1 ]
  ret i32 %n
}
