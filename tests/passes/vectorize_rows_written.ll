; A loop along rows may write to the rows that it reads, so each element is read in its own iteration.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK-NOT: load <4 x float>
; CHECK: call <4 x float> @llvm.masked.gather
; CHECK-NOT: load <4 x float>
; CHECK: store <4 x float>
; CHECK: "sinter-lanes"="4 lanes: {{[0-9]+}} uniform, 1 consecutive, 1 gathered"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %at.out
  %at.n = getelementptr i8, ptr %block, i64 16
  %n = load i64, ptr %at.n
  %id = call i64 @__sinter_global_id(i32 2)
  %row = mul i64 %id, %n
  %cell = getelementptr float, ptr %out, i64 %id
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %place = add i64 %row, %k
  %p = getelementptr float, ptr %data, i64 %place
  %a = load float, ptr %p
  %q = getelementptr float, ptr %out, i64 %k
  %x = load float, ptr %q
  %m = fmul float %a, %x
  %sum1 = fadd float %sum, %m
  store float %sum1, ptr %cell
  %k1 = add i64 %k, 1
  %c = icmp ult i64 %k1, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}
