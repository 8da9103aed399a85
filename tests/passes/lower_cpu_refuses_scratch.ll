; Scratch memory gets its offset before the kernel runs, so its size has to be constant.
; RUN: not %opt -passes=sinter-lower-cpu %s 2>&1 | FileCheck %s --implicit-check-not=define

; CHECK: LLVM ERROR: it asks for scratch memory of a size that is not constant

declare ptr @__sinter_group_scratch(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %bytes = load i32, ptr %block
  %scratch = call ptr @__sinter_group_scratch(i32 %bytes)
  store i32 %bytes, ptr %scratch
  ret void
}
