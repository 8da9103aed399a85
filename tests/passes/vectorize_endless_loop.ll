; The kernel is vectorized, although some work-items might never end.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=8>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK-NOT: fadd
; CHECK: store <8 x float>
; CHECK: "sinter-lanes"="8 lanes:

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) #0 {
entry:
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %cell
  %zero = fcmp oeq float %x, 0.0
  br i1 %zero, label %again, label %end
again:
  %y = load float, ptr %cell
  %sum = fadd float %y, 1.0
  store float %sum, ptr %cell
  br label %again
end:
  %product = fmul float %x, 3.0
  store float %product, ptr %cell
  ret void
}

attributes #0 = { mustprogress "sinter-kernel"="nd_range<1>" }
