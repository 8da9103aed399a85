; A pointer advances through the promoted memory in a loop. A select and a phi depend on each other. The pass needs
; the select's offset before it knows the phi's.
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s --check-prefix=LEFT

; CHECK-LABEL: define void @fused(
; CHECK: %promoted = alloca [16 x i8], align 16
; CHECK: loop:
; CHECK: [[AT:%.*]] = phi i64 [ 0, %entry ], [ [[NEXT:%.*]], %loop ]
; CHECK-NOT: phi ptr
; CHECK: mul i64 [[AT]], 1
; CHECK: [[CHOSEN:%.*]] = select i1 %odd, i64 {{%.*}}, i64 {{%.*}}
; CHECK: mul i64 [[CHOSEN]], 1
; CHECK: store i32 %n, ptr
; CHECK: done:
; CHECK: ret void

; LEFT-NOT: {{%temporary|ptr %argument|sinter-not-internalized}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @fused(ptr %blocks) !sycl.kernel.fused !0 !sycl.kernel.param !1 !sycl.kernel.promote !2 !sycl.kernel.promote.localsize !3 !sycl.kernel.promote.elemsize !4 {
entry:
  %block0 = load ptr, ptr %blocks, !invariant.load !{}
  %temporary0 = load ptr, ptr %block0
  %block1_at = getelementptr ptr, ptr %blocks, i64 1
  %block1 = load ptr, ptr %block1_at, !invariant.load !{}
  %at1 = getelementptr i8, ptr %block1, i64 8
  %temporary1 = load ptr, ptr %at1
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %n_next, %loop ]
  %at = phi ptr [ %temporary0, %entry ], [ %chosen, %loop ]
  %bit = and i32 %n, 1
  %odd = icmp eq i32 %bit, 1
  %step = getelementptr i32, ptr %at, i64 1
  %chosen = select i1 %odd, ptr %step, ptr %at
  store i32 %n, ptr %chosen
  %n_next = add i32 %n, 1
  %more = icmp ult i32 %n_next, 8
  br i1 %more, label %loop, label %done
done:
  ret void
}

!0 = !{!"first", !"second"}
!1 = !{!{!{i64 0, i64 0}, !{i64 1, i64 8}}}
!2 = !{!"private"}
!3 = !{i64 4}
!4 = !{i64 4}
