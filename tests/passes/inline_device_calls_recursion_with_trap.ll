; A recursive function that only asserts or throws queries no ids: host_links lowers traps in any function. So the
; function is not inlined into the kernel, and its recursion is allowed.
; RUN: %opt -passes=sinter-inline-device-calls %s | FileCheck %s

; CHECK-LABEL: define void @kernel(
; CHECK: call i32 @factorial(i32 5)

declare void @__sinter_trap(ptr)
@negative = private constant [9 x i8] c"negative\00"

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %x = call i32 @factorial(i32 5)
  store i32 %x, ptr %block
  ret void
}

define internal i32 @factorial(i32 %n) {
  %bad = icmp slt i32 %n, 0
  br i1 %bad, label %trap, label %fine
trap:
  call void @__sinter_trap(ptr @negative)
  unreachable
fine:
  %done = icmp eq i32 %n, 0
  br i1 %done, label %stop, label %go
stop:
  ret i32 1
go:
  %less = sub i32 %n, 1
  %x = call i32 @factorial(i32 %less)
  %y = mul i32 %n, %x
  ret i32 %y
}
