; Quotients 1 / sqrt(x) of floats that may have an error of 2 units become the machine's estimate and a step of
; Newton's method that keeps infinities. All forms of a kernel use the same estimate: vectors of work-items, and
; vectors that LLVM's loop vectorizer makes.
; RUN: %opt -passes='sinter-root-estimates,verify' %s | FileCheck %s
; RUN: %opt -passes='sinter-root-estimates,sinter-machine-calls,verify' %s | FileCheck %s --check-prefix=LOWER
; RUN: %opt -passes='sinter-root-estimates,loop-vectorize,sinter-machine-calls,verify' -force-vector-width=8 %s | FileCheck %s --check-prefix=LOOP
; RUN: %opt -passes='sinter-root-estimates,sinter-work-item-function,sinter-vectorize<lanes=16>,sinter-machine-calls,verify' %s | FileCheck %s --check-prefix=WIDE

; CHECK-LABEL: define float @inexact(
; CHECK-NEXT: [[ESTIMATE:%.*]] = call float @__sinter_root_estimate(float %x)
; CHECK-NEXT: [[PRODUCT:%.*]] = fmul float %x, [[ESTIMATE]]
; CHECK-NEXT: [[NEGATIVE:%.*]] = fneg float [[PRODUCT]]
; CHECK-NEXT: [[LEFT:%.*]] = call float @llvm.fma.f32(float [[NEGATIVE]], float [[ESTIMATE]], float 1.000000e+00)
; CHECK-NEXT: [[SMALL:%.*]] = fcmp olt float [[LEFT]], 0x3F50000000000000
; CHECK-NEXT: [[STEP:%.*]] = select i1 [[SMALL]], float [[LEFT]], float 0x3F50000000000000
; CHECK-NEXT: [[HALF:%.*]] = fmul float [[ESTIMATE]], 5.000000e-01
; CHECK-NEXT: [[RESULT:%.*]] = call float @llvm.fma.f32(float [[HALF]], float [[STEP]], float [[ESTIMATE]])
; CHECK-NEXT: ret float [[RESULT]]
; LOWER-NOT: @__sinter_root_estimate
; LOWER-LABEL: define float @inexact(
; LOWER-NEXT: [[ALONE:%.*]] = insertelement <4 x float> poison, float %x, i64 0
; LOWER-NEXT: [[FOUR:%.*]] = call <4 x float> @llvm.x86.avx512.rsqrt14.ps.128(<4 x float> [[ALONE]], <4 x float> zeroinitializer, i8 -1)
; LOWER-NEXT: [[FIRST:%.*]] = extractelement <4 x float> [[FOUR]], i64 0
; LOWER-NEXT: fmul float %x, [[FIRST]]
define float @inexact(float %x) {
  %root = call float @llvm.sqrt.f32(float %x)
  %quotient = fdiv float 1.0, %root, !fpmath !0
  ret float %quotient
}

; Quotients that have to be exact, other quotients, and doubles are not changed:
; CHECK-LABEL: define float @kept(
; CHECK-COUNT-4: fdiv float
; CHECK: fdiv double
; CHECK: ret float
define float @kept(float %x, double %y) {
  %root = call float @llvm.sqrt.f32(float %x)
  %exact = fdiv float 1.0, %root
  %nearly = fdiv float 1.0, %root, !fpmath !1
  %other = fdiv float 2.0, %root, !fpmath !0
  %reciprocal = fdiv float 1.0, %x, !fpmath !0
  %wide_root = call double @llvm.sqrt.f64(double %y)
  %wide = fdiv double 1.0, %wide_root, !fpmath !0
  %narrow = fptrunc double %wide to float
  %a = fadd float %exact, %nearly
  %b = fadd float %a, %other
  %c = fadd float %b, %reciprocal
  %d = fadd float %c, %narrow
  ret float %d
}

; LOOP-LABEL: define void @loop(
; LOOP: [[EIGHT:%.*]] = load <8 x float>
; LOOP: call <8 x float> @llvm.x86.avx512.rsqrt14.ps.256(<8 x float> [[EIGHT]], <8 x float> zeroinitializer, i8 -1)
; LOOP: call <8 x float> @llvm.fma.v8f32(
define void @loop(ptr noalias %from, ptr noalias %to) {
entry:
  br label %next

next:
  %i = phi i64 [ 0, %entry ], [ %more, %next ]
  %source = getelementptr inbounds float, ptr %from, i64 %i
  %x = load float, ptr %source
  %root = call float @llvm.sqrt.f32(float %x)
  %quotient = fdiv float 1.0, %root, !fpmath !0
  %target = getelementptr inbounds float, ptr %to, i64 %i
  store float %quotient, ptr %target
  %more = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %more, 1024
  br i1 %end, label %done, label %next

done:
  ret void
}

declare i64 @__sinter_global_id(i32)

; WIDE: define {{.*}} @kernel.work_item.wide(
; WIDE: [[SIXTEEN:%.*]] = load <16 x float>
; WIDE: call <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(<16 x float> [[SIXTEEN]], <16 x float> zeroinitializer, i16 -1)
; WIDE: call <16 x float> @llvm.fma.v16f32(
define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %cell
  %root = call float @llvm.sqrt.f32(float %x)
  %quotient = fdiv float 1.0, %root, !fpmath !0
  store float %quotient, ptr %cell
  ret void
}

declare float @llvm.sqrt.f32(float)
declare double @llvm.sqrt.f64(double)

!0 = !{float 2.0}
!1 = !{float 0.5}
