; On x86, a division ends the process if the divisor is 0, or if the lowest number is divided by -1. In these cases,
; the code divides by one instead. The code does not test for a case that is impossible. Both cases are impossible
; if the divisor is a constant, or if a branch has tested the divisor before. If the dividend is not negative, the
; second case is impossible. If a quotient and a remainder have the same divisor, the divisor is tested once, so
; that the machine divides once. A divisor that a loop does not change is tested before the loop.
; RUN: %opt -passes=sinter-integer-divisions %s | FileCheck %s

; CHECK-LABEL: define i32 @unsigned(
; CHECK: [[FROZEN:%.*]] = freeze i32 %d
; CHECK: [[NULL:%.*]] = icmp eq i32 [[FROZEN]], 0
; CHECK: [[SAFE:%.*]] = select i1 [[NULL]], i32 1, i32 [[FROZEN]]
; CHECK-NEXT: %q = udiv i32 %n, [[SAFE]]
; CHECK-NEXT: %r = urem i32 %n, [[SAFE]]
define i32 @unsigned(i32 %n, i32 %d) {
  %q = udiv i32 %n, %d
  %r = urem i32 %n, %d
  %sum = add i32 %q, %r
  ret i32 %sum
}

; CHECK-LABEL: define i64 @signed(
; CHECK: [[FROZEN:%.*]] = freeze i64 %d
; CHECK: [[NEXT:%.*]] = add i64 [[FROZEN]], 1
; CHECK: [[BAD:%.*]] = icmp ule i64 [[NEXT]], 1
; CHECK: [[SAFE:%.*]] = select i1 [[BAD]], i64 1, i64 [[FROZEN]]
; CHECK-NEXT: %q = sdiv i64 %n, [[SAFE]]
; CHECK: [[TURNS:%.*]] = icmp eq i64 %d, -1
; CHECK: [[NEG:%.*]] = sub i64 0, %n
; CHECK: [[QUOTIENT:%.*]] = select i1 [[TURNS]], i64 [[NEG]], i64 %q
; CHECK: %r = srem i64 %n, [[SAFE]]
; CHECK: add i64 [[QUOTIENT]], %r
define i64 @signed(i64 %n, i64 %d) {
  %q = sdiv i64 %n, %d
  %r = srem i64 %n, %d
  %sum = add i64 %q, %r
  ret i64 %sum
}

; CHECK-LABEL: define i32 @known(
; CHECK-NOT: select
; CHECK: ret i32
define i32 @known(i32 %n, i32 %d, i32 range(i32 1, 9) %small) {
  %a = sdiv i32 %n, 7
  %b = srem i32 %n, %small
  %positive = icmp sgt i32 %d, 0
  br i1 %positive, label %divide, label %end
divide:
  %c = sdiv i32 %n, %d
  br label %end
end:
  %either = phi i32 [ %c, %divide ], [ 0, %0 ]
  %ab = add i32 %a, %b
  %sum = add i32 %ab, %either
  ret i32 %sum
}

; The dividend is never the lowest number, so the quotient by -1 fits.
; CHECK-LABEL: define i32 @not_negative(
; CHECK: [[NULL:%.*]] = icmp eq i32
; CHECK: [[SAFE:%.*]] = select i1 [[NULL]], i32 1,
; CHECK-NEXT: %q = sdiv i32 %n, [[SAFE]]
; CHECK-NEXT: ret i32 %q
define i32 @not_negative(i32 range(i32 0, 1000) %n, i32 %d) {
  %q = sdiv i32 %n, %d
  ret i32 %q
}

; CHECK-LABEL: define void @in_loop(
; CHECK: entry:
; CHECK: [[SAFE:%.*]] = select i1 {{.*}}, i64 1, i64
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK-NOT: select
; CHECK: %q = urem i64 %i, [[SAFE]]
; CHECK: ret void
define void @in_loop(ptr %p, i64 %d, i64 %end) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = urem i64 %i, %d
  %at = getelementptr i64, ptr %p, i64 %i
  store i64 %q, ptr %at
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define <4 x i32> @lanes(
; CHECK: [[SAFE:%.*]] = select <4 x i1> {{.*}}, <4 x i32> splat (i32 1), <4 x i32>
; CHECK-NEXT: %q = udiv <4 x i32> %n, [[SAFE]]
define <4 x i32> @lanes(<4 x i32> %n, <4 x i32> %d) {
  %q = udiv <4 x i32> %n, %d
  ret <4 x i32> %q
}

; Sizes of the launch, which the entry reads from its nd_state, are never 0. Offsets and arguments may be 0.
; CHECK-LABEL: define void @entry(
; CHECK: %column = urem i64 %first, %width
; CHECK: [[OFFSET:%.*]] = freeze i64 %offset
; CHECK: icmp eq i64 [[OFFSET]], 0
; CHECK: [[ARGUMENT:%.*]] = freeze i64 %argument
; CHECK: icmp eq i64 [[ARGUMENT]], 0
define void @entry(ptr %blocks, ptr %state, i64 %first, i64 %last) {
  %width.place = getelementptr i8, ptr %state, i64 64
  %width = load i64, ptr %width.place, !invariant.load !0
  %column = urem i64 %first, %width
  %offset.place = getelementptr i8, ptr %state, i64 72
  %offset = load i64, ptr %offset.place, !invariant.load !0
  %by.offset = urem i64 %column, %offset
  %argument = load i64, ptr %blocks, !invariant.load !0
  %by.argument = urem i64 %by.offset, %argument
  store volatile i64 %by.argument, ptr %blocks
  ret void
}
!0 = !{}
