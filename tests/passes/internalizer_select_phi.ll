; Selects and phis of pointers into the promoted memory become selects and phis of offsets.
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s --check-prefix=LEFT

; CHECK-LABEL: define void @fused(
; CHECK: %promoted = alloca [8 x i8], align 16
; CHECK: [[DISTANCE:%.*]] = select i1 %first, i64 0, i64 4
; CHECK-NOT: select i1 %first, ptr
; CHECK: [[TURNED:%.*]] = urem i64 {{.*}}, 8
; CHECK: [[SLOT:%.*]] = getelementptr inbounds i8, ptr %promoted, i64
; CHECK-NEXT: store i32 7, ptr [[SLOT]]
; CHECK: more:
; CHECK: done:
; CHECK: [[WHERE:%.*]] = phi i64 [ 4, %entry ], [ 0, %more ]
; CHECK-NOT: phi ptr
; CHECK: %x = load i32, ptr
; CHECK: ret void

; LEFT-NOT: {{%temporary|ptr %argument|sinter-not-internalized}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @use(i32)

define void @fused(ptr %blocks) !sycl.kernel.fused !0 !sycl.kernel.param !1 !sycl.kernel.promote !2 !sycl.kernel.promote.localsize !3 !sycl.kernel.promote.elemsize !4 {
entry:
  %block0 = load ptr, ptr %blocks, !invariant.load !{}
  %temporary0 = load ptr, ptr %block0
  %block1_at = getelementptr ptr, ptr %blocks, i64 1
  %block1 = load ptr, ptr %block1_at, !invariant.load !{}
  %at1 = getelementptr i8, ptr %block1, i64 8
  %temporary1 = load ptr, ptr %at1
  %first_at = getelementptr i8, ptr %block0, i64 8
  %first = load i1, ptr %first_at
  %second = getelementptr i32, ptr %temporary0, i64 1
  %either = select i1 %first, ptr %temporary0, ptr %second
  %frozen = freeze ptr %either
  store i32 7, ptr %frozen
  %behind = getelementptr i32, ptr %temporary1, i64 1
  br i1 %first, label %done, label %more
more:
  br label %done
done:
  %where = phi ptr [ %behind, %entry ], [ %temporary1, %more ]
  %x = load i32, ptr %where
  call void @use(i32 %x)
  ret void
}

!0 = !{!"first", !"second"}
!1 = !{!{!{i64 0, i64 0}, !{i64 1, i64 8}}}
!2 = !{!"private"}
!3 = !{i64 2}
!4 = !{i64 4}
