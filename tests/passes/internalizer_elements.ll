; Elements of vec and struct type: fields keep their offsets, and accesses get the alignment of the new memory.
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s --check-prefix=LEFT
; RUN: %opt -passes='sinter-internalize,function(sroa)' %s | FileCheck %s --check-prefix=GONE

; CHECK-LABEL: define void @fused(
; CHECK: %promoted = alloca [24 x i8], align 16
; CHECK: [[V:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 0
; CHECK-NEXT: store <4 x float> %v, ptr [[V]], align 8
; CHECK: [[D:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 16
; CHECK-NEXT: store double 2.0{{.*}}, ptr [[D]], align 8
; CHECK: [[LANE:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 8
; CHECK-NEXT: %lane = load float, ptr [[LANE]], align 4
; CHECK: [[D:%.*]] = getelementptr inbounds i8, ptr %promoted, i64 16
; CHECK-NEXT: %d = load double, ptr [[D]], align 8

; GONE-NOT: alloca
; GONE: [[LANE:%.*]] = extractelement <4 x float> %v, i32 2
; GONE-NEXT: call void @use(float [[LANE]], double 2.0{{.*}})
; GONE-NEXT: ret void

; LEFT-NOT: {{%temporary|ptr %argument|sinter-not-internalized}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

%element = type { [4 x float], double }

declare i64 @__sinter_global_id(i32)
declare void @use(float, double)

define void @fused(ptr %blocks) !sycl.kernel.fused !0 !sycl.kernel.param !1 !sycl.kernel.promote !2 !sycl.kernel.promote.localsize !3 !sycl.kernel.promote.elemsize !4 {
entry:
  %block0 = load ptr, ptr %blocks, !invariant.load !{}
  %temporary0 = load ptr, ptr %block0
  %block1_at = getelementptr ptr, ptr %blocks, i64 1
  %block1 = load ptr, ptr %block1_at, !invariant.load !{}
  %at1 = getelementptr i8, ptr %block1, i64 8
  %temporary1 = load ptr, ptr %at1
  %v_at = getelementptr i8, ptr %block0, i64 16
  %v = load <4 x float>, ptr %v_at
  %i = call i64 @__sinter_global_id(i32 2)
  %a = getelementptr %element, ptr %temporary0, i64 %i
  store <4 x float> %v, ptr %a, align 16
  %a_double = getelementptr %element, ptr %temporary0, i64 %i, i32 1
  store double 2.0, ptr %a_double
  %b_lane = getelementptr %element, ptr %temporary1, i64 %i, i32 0, i64 2
  %lane = load float, ptr %b_lane
  %b_double = getelementptr %element, ptr %temporary1, i64 %i, i32 1
  %d = load double, ptr %b_double
  call void @use(float %lane, double %d)
  ret void
}

!0 = !{!"first", !"second"}
!1 = !{!{!{i64 0, i64 0}, !{i64 1, i64 8}}}
!2 = !{!"private"}
!3 = !{i64 1}
!4 = !{i64 24}
