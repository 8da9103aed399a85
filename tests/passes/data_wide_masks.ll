; A mask that is carried around a loop, and the logic on it, become integers as wide as the data. The signs of these
; integers control selects, and show whether any lane is active. Masks that are not carried by a phi stay as they are.
; RUN: %opt -passes='sinter-wide-masks,verify' %s | FileCheck %s

; CHECK-LABEL: define <8 x i32> @loop(
; CHECK: loop:
; CHECK: [[MASK:%.*]] = phi <8 x i32> [ splat (i32 -1), %entry ], [ [[NEXT:%.*]], %loop ]
; CHECK-NOT: phi <8 x i1>
; CHECK: [[IN:%.*]] = fcmp ole <8 x float>
; CHECK-DAG: [[SPLAT:%.*]] = shufflevector <8 x i32>
; CHECK-DAG: [[WIDE:%.*]] = sext <8 x i1> [[IN]] to <8 x i32>
; CHECK: and <8 x i32>
; CHECK: [[NEXT]] = and <8 x i32> [[MASK]],
; CHECK: xor <8 x i32> {{%.*}}, splat (i32 -1)
; CHECK: [[LEAVE:%.*]] = icmp slt <8 x i32> {{%.*}}, zeroinitializer
; CHECK: select <8 x i1> [[LEAVE]], <8 x i32>
; CHECK: bitcast <8 x i1> {{%.*}} to i8

define <8 x i32> @loop(<8 x float> %x, i32 %limit) {
entry:
  br label %loop
loop:
  %active = phi <8 x i1> [ splat (i1 true), %entry ], [ %next, %loop ]
  %count = phi <8 x i32> [ zeroinitializer, %entry ], [ %counted, %loop ]
  %n = phi i32 [ 0, %entry ], [ %n1, %loop ]
  %n1 = add i32 %n, 1
  %f = sitofp i32 %n1 to float
  %fi = insertelement <8 x float> poison, float %f, i64 0
  %fs = shufflevector <8 x float> %fi, <8 x float> poison, <8 x i32> zeroinitializer
  %in = fcmp ole <8 x float> %fs, %x
  %more = icmp slt i32 %n1, %limit
  %mi = insertelement <8 x i1> poison, i1 %more, i64 0
  %ms = shufflevector <8 x i1> %mi, <8 x i1> poison, <8 x i32> zeroinitializer
  %go = select <8 x i1> %in, <8 x i1> %ms, <8 x i1> zeroinitializer
  %next = select <8 x i1> %active, <8 x i1> %go, <8 x i1> zeroinitializer
  %stay = xor <8 x i1> %go, splat (i1 true)
  %leave = select <8 x i1> %active, <8 x i1> %stay, <8 x i1> zeroinitializer
  %ni = insertelement <8 x i32> poison, i32 %n1, i64 0
  %ns = shufflevector <8 x i32> %ni, <8 x i32> poison, <8 x i32> zeroinitializer
  %counted = select <8 x i1> %leave, <8 x i32> %ns, <8 x i32> %count
  %bits = bitcast <8 x i1> %next to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %done, label %loop
done:
  ret <8 x i32> %counted
}

; CHECK-LABEL: define <8 x float> @straight(
; CHECK: and <8 x i1>
define <8 x float> @straight(<8 x float> %x, <8 x float> %y) {
  %a = fcmp olt <8 x float> %x, %y
  %b = fcmp ogt <8 x float> %x, zeroinitializer
  %both = and <8 x i1> %a, %b
  %r = select <8 x i1> %both, <8 x float> %x, <8 x float> %y
  ret <8 x float> %r
}
