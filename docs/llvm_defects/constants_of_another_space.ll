; RUN: opt < %s -passes='infer-address-spaces,verify' -S | FileCheck %s

; A number means another place as a generic address than as an address in local memory.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@table = internal constant [8 x float] zeroinitializer

; CHECK-LABEL: define float @second_element(
; CHECK-NOT: addrspacecast (ptr getelementptr
; CHECK: ret float
define float @second_element(i1 %c) {
  %own = alloca float
  %from = select i1 %c, ptr getelementptr (i8, ptr @table, i64 4), ptr %own
  %value = load float, ptr %from
  ret float %value
}
