; In a module with two kernels, the chosen kernel keeps its linkage. The functions that this kernel calls stay, too, and
; become internal, whatever linkage they had.
; RUN: %opt -passes=sinter-select-kernel %s | FileCheck %s --implicit-check-not=other --implicit-check-not=unused

; CHECK: define void @kernel(ptr %block)
; CHECK: call i32 @shared(i32 1)
; CHECK: define internal i32 @shared(i32 %x)

$shared = comdat any

@unused_table = constant [2 x i32] [i32 1, i32 2]
declare i32 @unused_declaration(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %x = call i32 @shared(i32 1)
  store i32 %x, ptr %block
  ret void
}

define void @other_kernel(ptr %block) {
  %x = call i32 @other_helper(i32 1)
  %y = call i32 @shared(i32 %x)
  store i32 %y, ptr %block
  ret void
}

define linkonce_odr i32 @shared(i32 %x) comdat {
  %y = mul i32 %x, 3
  ret i32 %y
}

define i32 @other_helper(i32 %x) {
  %y = call i32 @unused_declaration(i32 %x)
  ret i32 %y
}
