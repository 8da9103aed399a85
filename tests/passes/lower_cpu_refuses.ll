; If a pass refuses the kernel, the pipeline returns this error and no other one.
; RUN: not %opt -passes=sinter-lower-cpu %s 2>&1 | FileCheck %s --implicit-check-not=define

; CHECK: LLVM ERROR: function 'down' is recursive and asks for its work-item or waits at a barrier

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  call void @down(ptr %block)
  ret void
}

define internal void @down(ptr %at) {
  %id = call i64 @__sinter_global_id(i32 2)
  store i64 %id, ptr %at
  %next = getelementptr i64, ptr %at, i64 1
  call void @down(ptr %next)
  ret void
}
