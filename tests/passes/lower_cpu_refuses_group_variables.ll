; Variables of a group get their offsets before the kernel runs, so their size has to be constant.
; RUN: not %opt -passes=sinter-lower-cpu %s 2>&1 | FileCheck %s --implicit-check-not=define

; CHECK: LLVM ERROR: it asks for group-local memory that is not known before it runs

@a = internal constant i8 0

declare ptr @__sinter_group_variable(ptr, i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %bytes = load i32, ptr %block
  %variable = call ptr @__sinter_group_variable(ptr @a, i32 %bytes, i32 4)
  store i32 %bytes, ptr %variable
  ret void
}
