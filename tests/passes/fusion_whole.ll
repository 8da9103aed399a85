; Runs all fusion passes and then the CPU's passes. Two members with a promoted temporary and a known factor become one
; loop nest that neither loads nor stores the temporary.
; RUN: %opt -passes='sinter-fuse-kernels,sinter-internalize,sinter-propagate-constants,sinter-select-kernel,function(sroa,instcombine,simplifycfg),sinter-work-item-function<fused>,sinter-cpu-entry<fused>,always-inline,globaldce' \
; RUN:   %s | FileCheck %s

; CHECK-NOT: define {{.*}}@{{first|second}}
; CHECK-LABEL: define {{.*}}@entry(
; CHECK-NOT: alloca
; CHECK: [[X:%.*]] = load float
; CHECK-NOT: {{load|store}} float
; CHECK: fmul float [[X]], 2.0
; CHECK-NOT: load float
; CHECK: store float
; CHECK-NOT: {{load|store}} float
; CHECK: ret void

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)

define void @first(ptr %block) {
  %i = call i64 @__sinter_global_id(i32 2)
  %in_pointer_at = getelementptr i8, ptr %block, i64 8
  %in_pointer = load ptr, ptr %in_pointer_at
  %temporary = load ptr, ptr %block
  %factor_at = getelementptr i8, ptr %block, i64 16
  %factor = load float, ptr %factor_at
  %in = getelementptr float, ptr %in_pointer, i64 %i
  %x = load float, ptr %in
  %y = fmul float %x, %factor
  %out = getelementptr float, ptr %temporary, i64 %i
  store float %y, ptr %out
  ret void
}
define void @second(ptr %block) {
  %i = call i64 @__sinter_global_id(i32 2)
  %temporary = load ptr, ptr %block
  %out_pointer_at = getelementptr i8, ptr %block, i64 8
  %out_pointer = load ptr, ptr %out_pointer_at
  %in = getelementptr float, ptr %temporary, i64 %i
  %x = load float, ptr %in
  %y = fadd float %x, 1.0
  %out = getelementptr float, ptr %out_pointer, i64 %i
  store float %y, ptr %out
  ret void
}

declare !sycl.kernel.fused !0 !sycl.kernel.nd-range !1 !sycl.kernel.nd-ranges !2 !sycl.kernel.param !3 !sycl.kernel.promote !4 !sycl.kernel.promote.localsize !5 !sycl.kernel.promote.elemsize !6 !sycl.kernel.constants !7 void @fused(ptr) "sinter-kernel"="range<1>"

!0 = !{!"first", !"second"}
!1 = !{i64 1, !{i64 1, i64 1, i64 64}, !8, !8}
!2 = !{!1, !1}
!3 = !{!{!{i64 0, i64 0}, !{i64 1, i64 0}}}
!4 = !{!"private"}
!5 = !{i64 1}
!6 = !{i64 4}
!7 = !{!{i64 0, i64 16, !"\00\00\00\40"}}
!8 = !{i64 0, i64 0, i64 0}
