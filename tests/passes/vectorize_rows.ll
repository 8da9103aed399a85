; Each work-item goes along its own row. The code handles 16 iterations at a time, for which each lane loads 16 bytes
; of its row at once. Each sum adds its terms in the old order. The remaining iterations use gathers.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[SUM:%.*]] = phi <4 x float>
; CHECK-COUNT-4: load <4 x float>, ptr %{{.*}}, align 4
; CHECK-COUNT-4: shufflevector <4 x float>
; CHECK: load float
; CHECK: fadd <4 x float> [[SUM]],
; CHECK-COUNT-12: load <4 x float>, ptr
; CHECK: br i1
; CHECK: call <4 x float> @llvm.masked.gather
; CHECK-NOT: load <4 x float>
; CHECK: "sinter-lanes"="4 lanes: {{[0-9]+}} uniform, 1 consecutive, 16 transposed, 1 gathered"

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
  %k1 = add i64 %k, 1
  %c = icmp ult i64 %k1, %n
  br i1 %c, label %loop, label %done
done:
  store float %sum1, ptr %cell
  ret void
}
