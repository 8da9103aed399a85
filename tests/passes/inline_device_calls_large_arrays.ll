; Functions with large private arrays, and the functions that call them, are inlined into the kernel. Other
; functions stay. Recursive functions with large private arrays are refused.
; RUN: %opt -passes=sinter-inline-device-calls %s | FileCheck %s --implicit-check-not='@on_the_way' --implicit-check-not='@large'
; RUN: sed 's/call void @use(ptr %memory)/call i32 @on_the_way()/' %s | not %opt -passes=sinter-inline-device-calls 2>&1 \
; RUN:   | FileCheck %s --check-prefix=RECURSIVE

; CHECK-LABEL: define void @kernel(
; CHECK: alloca [4096 x i8]
; CHECK: call i32 @small()
; CHECK-NOT: call i32 @by_value(
; RECURSIVE: LLVM ERROR: function '{{on_the_way|large}}' is recursive and asks for its work-item or waits at a barrier, or has large private arrays

declare void @use(ptr)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %x = call i32 @on_the_way()
  %y = call i32 @small()
  %z = call i32 @by_value(ptr byval([4096 x i8]) %block)
  store i32 %x, ptr %block
  ret void
}

define internal i32 @on_the_way() {
  %x = call i32 @large()
  ret i32 %x
}

define internal i32 @large() noinline {
  %memory = alloca [4096 x i8]
  call void @use(ptr %memory)
  ret i32 1
}

define internal i32 @by_value(ptr byval([4096 x i8]) %copy) noinline {
  store i32 7, ptr %copy
  call void @use(ptr %copy)
  ret i32 1
}

define internal i32 @small() {
  %memory = alloca [1024 x i8]
  call void @use(ptr %memory)
  ret i32 1
}
