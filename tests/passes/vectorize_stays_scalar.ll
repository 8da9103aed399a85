; If code stays scalar, an attribute says why and where.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=0>' %s | FileCheck %s

; CHECK-NOT: @kernel.work_item.wide
; CHECK: "sinter-lanes"="scalar: left to the loop vectorizer"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %cell
  %y = fadd float %x, 1.0
  store float %y, ptr %cell
  ret void
}
