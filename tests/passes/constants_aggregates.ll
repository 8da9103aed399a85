; Fields, array elements and whole vectors of a known aggregate become constants.
; RUN: %opt -passes=sinter-propagate-constants %s | FileCheck %s

; CHECK-LABEL: define void @fused(
; CHECK-NOT: load i32
; CHECK-NOT: load <
; CHECK: %field = load i8, ptr %behind
; CHECK: call void @use(i32 1, i32 3, <2 x i32> <i32 2, i32 3>, i8 %field)
; CHECK: ret void

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

%aggregate = type { i32, [2 x i32] }

declare void @use(i32, i32, <2 x i32>, i8)

define void @fused(ptr %blocks) !sycl.kernel.fused !0 !sycl.kernel.constants !1 {
entry:
  %block = load ptr, ptr %blocks, !invariant.load !2
  %aggregate = getelementptr i8, ptr %block, i64 24
  %first = load i32, ptr %aggregate
  %last_at = getelementptr %aggregate, ptr %aggregate, i64 0, i32 1, i64 1
  %last = load i32, ptr %last_at
  %both_at = getelementptr %aggregate, ptr %aggregate, i64 0, i32 1
  %both = load <2 x i32>, ptr %both_at, align 4
  %behind = getelementptr %aggregate, ptr %aggregate, i64 1
  %field = load i8, ptr %behind
  call void @use(i32 %first, i32 %last, <2 x i32> %both, i8 %field)
  ret void
}

!0 = !{!"first"}
!1 = !{!{i64 0, i64 24, !"\01\00\00\00\02\00\00\00\03\00\00\00"}}
!2 = !{}
