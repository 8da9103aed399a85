; A loop that has the same iterations for all work-items stays one loop. The loop's counter, and values that the loop
; loads for all lanes, are scalars. Accumulators are vectors.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=8>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: phi <8 x float>
; CHECK: phi i64
; CHECK: %x = load float
; CHECK: fmul <8 x float>
; CHECK: br i1 %c,
; CHECK: store <8 x float>
; CHECK: "sinter-lanes"="8 lanes: {{[0-9]}} uniform, 2 consecutive"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %data = load ptr, ptr %block
  %limit = getelementptr i8, ptr %block, i64 8
  %n = load i64, ptr %limit
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %p = getelementptr float, ptr %data, i64 %k
  %x = load float, ptr %p
  %y = load float, ptr %cell
  %m = fmul float %x, %y
  %sum1 = fadd float %sum, %m
  %k1 = add i64 %k, 1
  %c = icmp ult i64 %k1, %n
  br i1 %c, label %loop, label %done
done:
  store float %sum1, ptr %cell
  ret void
}
