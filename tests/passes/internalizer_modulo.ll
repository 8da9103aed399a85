; Each work-item has several elements, and their total size is no power of two. An unknown index wraps around at the
; end of the new memory. Multiples of the size, such as the part that depends on the work-item's id, need no division.
; A partial offset may be negative before the last term is added. A negative partial offset must wrap as a signed
; number, not as a huge unsigned number.
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s --check-prefix=LEFT
; RUN: %opt -passes='sinter-internalize,function(instcombine)' %s | FileCheck %s --check-prefix=NEGATIVE

; CHECK-LABEL: define void @fused(
; CHECK: %promoted = alloca [12 x i8], align 16
; CHECK: mul i64 %j, 4
; CHECK: [[REST:%.*]] = srem i64 {{.*}}, 12
; CHECK-NEXT: [[BELOW:%.*]] = icmp slt i64 [[REST]], 0
; CHECK-NEXT: [[ABOVE:%.*]] = add i64 [[REST]], 12
; CHECK-NEXT: [[AT:%.*]] = select i1 [[BELOW]], i64 [[ABOVE]], i64 [[REST]]
; CHECK-NEXT: [[SLOT:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 [[AT]]
; CHECK-NEXT: store float 1.0{{.*}}, ptr [[SLOT]], align 4
; CHECK-NEXT: [[SLOT:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 8
; CHECK-NEXT: %x = load float, ptr [[SLOT]], align 4
; CHECK: ret void

; The work-item's last element: byte 12 - 4 + 12 * i of the old memory becomes byte 8 of the new memory, and byte 20 -
; 16 becomes byte 4.
; NEGATIVE: [[SLOT:%.*]] = getelementptr {{.*}}i8, ptr %promoted, i64 8
; NEGATIVE-NEXT: %x = load float, ptr [[SLOT]]
; NEGATIVE-NEXT: [[SLOT:%.*]] = getelementptr {{.*}}i8, ptr %promoted, i64 4
; NEGATIVE-NEXT: %z = load float, ptr [[SLOT]]
; NEGATIVE-NEXT: call void @use(float %x, float %x, float %z)

; LEFT-NOT: {{%temporary|ptr %argument|sinter-not-internalized}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare void @use(float, float, float)

define void @fused(ptr %blocks) !sycl.kernel.fused !0 !sycl.kernel.param !1 !sycl.kernel.promote !2 !sycl.kernel.promote.localsize !3 !sycl.kernel.promote.elemsize !4 {
entry:
  %block0 = load ptr, ptr %blocks, !invariant.load !{}
  %temporary0 = load ptr, ptr %block0
  %block1_at = getelementptr ptr, ptr %blocks, i64 1
  %block1 = load ptr, ptr %block1_at, !invariant.load !{}
  %at1 = getelementptr i8, ptr %block1, i64 8
  %temporary1 = load ptr, ptr %at1
  %j_at = getelementptr i8, ptr %block0, i64 8
  %j = load i64, ptr %j_at
  %i = call i64 @__sinter_global_id(i32 2)
  %a = getelementptr [3 x float], ptr %temporary0, i64 %i, i64 %j
  store float 1.0, ptr %a
  %b = getelementptr [3 x float], ptr %temporary1, i64 %i, i64 2
  %x = load float, ptr %b
  %minus_one = add i64 0, -1
  %next = getelementptr [3 x float], ptr %temporary1, i64 1
  %c = getelementptr [3 x float], ptr %next, i64 %i, i64 %minus_one
  %y = load float, ptr %c
  %minus_four = add i64 0, -4
  %behind = getelementptr i8, ptr %temporary1, i64 20
  %d = getelementptr float, ptr %behind, i64 %minus_four
  %z = load float, ptr %d
  call void @use(float %x, float %y, float %z)
  ret void
}

!0 = !{!"first", !"second"}
!1 = !{!{!{i64 0, i64 0}, !{i64 1, i64 8}}}
!2 = !{!"private"}
!3 = !{i64 3}
!4 = !{i64 4}
