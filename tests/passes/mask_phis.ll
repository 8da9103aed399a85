; Masks that live across blocks become vectors of integers as wide as data, also from one phi to the next.
; RUN: %opt -passes=sinter-mask-phis %s | FileCheck %s

; CHECK: loop:
; CHECK: [[WIDE:%.*]] = phi <8 x i32> [ splat (i32 -1), %entry ], [ [[NEXT:%.*]], %loop ]
; CHECK: [[MASK:%.*]] = icmp slt <8 x i32> [[WIDE]], zeroinitializer
; CHECK: %stay = and <8 x i1> [[MASK]], %c
; CHECK: [[NEXT]] = sext <8 x i1> %stay to <8 x i32>
; CHECK: done:
; CHECK: phi <8 x i32> [ [[WIDE]], %loop ]
; CHECK-NOT: phi <8 x i1>

define <8 x i1> @f(ptr %p) {
entry:
  br label %loop
loop:
  %mask = phi <8 x i1> [ splat (i1 true), %entry ], [ %stay, %loop ]
  %x = load volatile <8 x float>, ptr %p
  %c = fcmp olt <8 x float> %x, zeroinitializer
  %stay = and <8 x i1> %mask, %c
  %any = call i1 @llvm.vector.reduce.or(<8 x i1> %stay)
  br i1 %any, label %loop, label %done
done:
  %last = phi <8 x i1> [ %mask, %loop ]
  ret <8 x i1> %last
}
