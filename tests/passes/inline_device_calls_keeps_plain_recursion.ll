; Recursive functions that query no ids stay unchanged.
; RUN: %opt -passes=sinter-inline-device-calls %s | FileCheck %s

; CHECK-LABEL: define void @kernel(
; CHECK: call i32 @factorial(i32 5)
; CHECK-LABEL: define internal i32 @factorial(
; CHECK: call i32 @factorial(

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %x = call i32 @factorial(i32 5)
  store i32 %x, ptr %block
  ret void
}

define internal i32 @factorial(i32 %n) {
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
