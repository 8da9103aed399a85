; Two functions that call each other and query the id are refused. The message shows the name of one of these functions
; in readable form.
; RUN: not %opt -passes=sinter-inline-device-calls %s 2>&1 | FileCheck %s

; CHECK: LLVM ERROR: function '{{odd|even}}(int)' is recursive and asks for its work-item or waits at a barrier

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %x = call i64 @_Z4eveni(i32 10)
  store i64 %x, ptr %block
  ret void
}

define internal i64 @_Z4eveni(i32 %n) {
  %done = icmp eq i32 %n, 0
  br i1 %done, label %stop, label %go
stop:
  %id = call i64 @__sinter_global_id(i32 2)
  ret i64 %id
go:
  %less = sub i32 %n, 1
  %x = call i64 @_Z3oddi(i32 %less)
  ret i64 %x
}

define internal i64 @_Z3oddi(i32 %n) {
  %less = sub i32 %n, 1
  %x = call i64 @_Z4eveni(i32 %less)
  ret i64 %x
}
