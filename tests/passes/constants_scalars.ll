; If bytes of an argument are known, loads from any offset inside of these bytes become constants of the loaded type.
; These loads stay: loads of pointers, loads for which only some bytes are known, loads of other members, and volatile
; loads.
; RUN: %opt -passes=sinter-propagate-constants %s | FileCheck %s

; CHECK-LABEL: define void @fused(
; CHECK-NOT: %whole = load
; CHECK-NOT: %short = load
; CHECK-NOT: %real = load
; CHECK-NOT: %flag = load
; CHECK: %other = load i64, ptr %other_at
; CHECK: %partial = load i64, ptr %partial_at
; CHECK: %pointer = load ptr, ptr %whole_at
; CHECK: %changing = load volatile i64, ptr %whole_at
; CHECK: call void @use(i64 4294967296000000007, i16 15258, float 1.0{{.*}}, i1 true, i64 %other, i64 %partial, ptr %pointer, i64 %changing)

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @use(i64, i16, float, i1, i64, i64, ptr, i64)

define void @fused(ptr %blocks) !sycl.kernel.fused !0 !sycl.kernel.constants !1 {
entry:
  %block0 = load ptr, ptr %blocks, !invariant.load !2
  %block1_at = getelementptr ptr, ptr %blocks, i64 1
  %block1 = load ptr, ptr %block1_at, !invariant.load !2
  %whole_at = getelementptr i8, ptr %block0, i64 8
  %whole = load i64, ptr %whole_at
  %short_at = getelementptr i8, ptr %block0, i64 14
  %short = load i16, ptr %short_at
  %real_at = getelementptr i8, ptr %block1, i64 16
  %real = load float, ptr %real_at
  %flag_at = getelementptr i8, ptr %block1, i64 20
  %flag = load i1, ptr %flag_at
  %other_at = getelementptr i8, ptr %block1, i64 8
  %other = load i64, ptr %other_at
  %partial_at = getelementptr i8, ptr %block0, i64 12
  %partial = load i64, ptr %partial_at
  %pointer = load ptr, ptr %whole_at
  %changing = load volatile i64, ptr %whole_at
  call void @use(i64 %whole, i16 %short, float %real, i1 %flag, i64 %other, i64 %partial, ptr %pointer, i64 %changing)
  ret void
}

!0 = !{!"first", !"second"}
; Constants: 4294967296000000007 = 0x3B9ACA0000000007 and 15258 = 0x3B9A; then 1.0f and true.
!1 = !{!{i64 0, i64 8, !"\07\00\00\00\00\CA\9A\3B"}, !{i64 1, i64 16, !"\00\00\80\3F\01"}}
!2 = !{}
