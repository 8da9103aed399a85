; RUN: opt < %s -passes='infer-address-spaces,verify' -S | FileCheck %s

; Memory whose address is joined with a rounded address is still read, whether or not the rounded address gets an
; address space.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)

; CHECK-LABEL: define float @rounded_down(
; CHECK: load float
define float @rounded_down(i1 %c, i64 %i) {
  %first = alloca [8 x float]
  %second = alloca [8 x float]
  %element = getelementptr float, ptr %second, i64 %i
  %down = call ptr @llvm.ptrmask.p0.i64(ptr %element, i64 -16)
  %from = select i1 %c, ptr %down, ptr %first
  %value = load float, ptr %from
  ret float %value
}
