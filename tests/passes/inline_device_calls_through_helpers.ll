; Helpers that query ids or wait at barriers are inlined into the kernel, even if the helpers are noinline. The depth
; and the number of the calls do not matter. Helpers without such calls are not inlined. Math functions and fences are
; lowered in any function, so they don't cause inlining.
; RUN: %opt -passes=sinter-inline-device-calls %s | FileCheck %s

; CHECK-LABEL: define void @kernel(
; CHECK-NOT: @outer
; CHECK-NOT: @meet
; CHECK: call i64 @__sinter_global_id(i32 2)
; CHECK: call void @__sinter_barrier(i32 2, i32 2)
; CHECK: call i64 @__sinter_global_id(i32 2)
; CHECK: call void @__sinter_barrier(i32 2, i32 2)
; CHECK: call double @plain(
; CHECK: ret void

declare i64 @__sinter_global_id(i32)
declare void @__sinter_barrier(i32, i32)
declare void @__sinter_fence(i32, i32)
declare double @__sinter_math_cbrt_f64(double)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %a = call i64 @outer()
  %b = call i64 @outer()
  %sum = add i64 %a, %b
  %x = uitofp i64 %sum to double
  %y = call double @plain(double %x)
  store double %y, ptr %block
  ret void
}

define internal i64 @outer() {
  %id = call i64 @__sinter_global_id(i32 2)
  call void @meet()
  ret i64 %id
}

define internal void @meet() noinline {
  call void @__sinter_barrier(i32 2, i32 2)
  ret void
}

define internal double @plain(double %x) {
  call void @__sinter_fence(i32 3, i32 3)
  %y = call double @__sinter_math_cbrt_f64(double %x)
  ret double %y
}
