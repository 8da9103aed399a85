; Promotion to local memory of the group: the promoted memory is a part of the group's local memory. The memory of the
; second promoted set follows that of the first set. The index is that of the unfused kernel modulo the size.
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s --check-prefix=LEFT

; CHECK-LABEL: define void @fused(
; CHECK-NOT: alloca
; CHECK: [[BASE_B:%.*]] = call ptr @__sinter_local_base()
; CHECK-NEXT: [[B:%.*]] = getelementptr inbounds i8, ptr [[BASE_B]], i64 64
; CHECK: [[BASE_A:%.*]] = call ptr @__sinter_local_base()
; CHECK-NEXT: [[A:%.*]] = getelementptr inbounds i8, ptr [[BASE_A]], i64 0
; CHECK: mul i64 %i, 4
; CHECK: [[AT:%.*]] = urem i64 {{%.*}}, 64
; CHECK-NEXT: [[SLOT:%.*]] = getelementptr inbounds i8, ptr [[A]], i64 [[AT]]
; CHECK-NEXT: store float 1.0{{.*}}, ptr [[SLOT]], align 4
; CHECK: [[AT:%.*]] = urem i64 {{%.*}}, 64
; CHECK-NEXT: [[SLOT:%.*]] = getelementptr inbounds i8, ptr [[B]], i64 [[AT]]
; CHECK-NEXT: store float 2.0{{.*}}, ptr [[SLOT]], align 4
; CHECK: call void @__sinter_barrier(i32 2, i32 2)
; CHECK: mul i64 %neighbour, 4
; CHECK: [[AT:%.*]] = urem i64 {{%.*}}, 64
; CHECK-NEXT: [[SLOT:%.*]] = getelementptr inbounds i8, ptr [[A]], i64 [[AT]]
; CHECK-NEXT: %x = load float, ptr [[SLOT]], align 4

; LEFT-NOT: {{%temporary|ptr %argument|sinter-not-internalized}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare void @__sinter_barrier(i32, i32)
declare void @use(float)

define void @fused(ptr %blocks) !sycl.kernel.fused !0 !sycl.kernel.param !1 !sycl.kernel.promote !2 !sycl.kernel.promote.localsize !3 !sycl.kernel.promote.elemsize !4 {
entry:
  %block0 = load ptr, ptr %blocks, !invariant.load !{}
  %temporary0 = load ptr, ptr %block0
  %block1_at = getelementptr ptr, ptr %blocks, i64 1
  %block1 = load ptr, ptr %block1_at, !invariant.load !{}
  %at1 = getelementptr i8, ptr %block1, i64 8
  %temporary1 = load ptr, ptr %at1
  %other_at = getelementptr i8, ptr %block0, i64 48
  %other = load ptr, ptr %other_at
  %i = call i64 @__sinter_global_id(i32 2)
  %a = getelementptr float, ptr %temporary0, i64 %i
  store float 1.0, ptr %a
  %o = getelementptr float, ptr %other, i64 %i
  store float 2.0, ptr %o
  call void @__sinter_barrier(i32 2, i32 2)
  %neighbour = xor i64 %i, 1
  %b = getelementptr float, ptr %temporary1, i64 %neighbour
  %x = load float, ptr %b
  call void @use(float %x)
  ret void
}

!0 = !{!"first", !"second"}
!1 = !{!{!{i64 0, i64 0}, !{i64 1, i64 8}}, !{!{i64 0, i64 48}}}
!2 = !{!"local", !"local"}
!3 = !{i64 16, i64 16}
!4 = !{i64 4, i64 4}
