; In groups of 8 x 16, rows are two vectors long. A block of four such rows shares more values than eight rows of one
; vector. No rows or columns are left over.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8;block=0>' %s | FileCheck %s

; CHECK-LABEL: define {{.*}} @kernel.work_item.wide.blocked(
; CHECK: loop:
; CHECK-COUNT-8: phi <8 x float>
; CHECK-COUNT-4: load float
; CHECK-NOT: load float
; CHECK-COUNT-2: load <8 x float>
; CHECK-COUNT-8: call <8 x float> @llvm.fma.v8f32(
; CHECK: done:
; CHECK-COUNT-8: store <8 x float>

; CHECK-LABEL: define internal void @"sinter:kernel"(
; CHECK-NOT: call i32 @kernel
; CHECK: call i32 @kernel.work_item.wide.blocked({{.*}}, i64 1, i64 8, i64 16,
; CHECK-NOT: call i32 @kernel
; CHECK: attributes

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_id(i32)
declare float @llvm.fmuladd.f32(float, float, float)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<2>" {
entry:
  %a = load ptr, ptr %block
  %b_at = getelementptr i8, ptr %block, i64 8
  %b = load ptr, ptr %b_at
  %limit = getelementptr i8, ptr %block, i64 16
  %n = load i64, ptr %limit
  %row = call i64 @__sinter_local_id(i32 1)
  %column = call i64 @__sinter_global_id(i32 2)
  %line = mul i64 %row, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %here = add i64 %line, %k
  %pa = getelementptr float, ptr %a, i64 %here
  %x = load float, ptr %pa
  %there = mul i64 %k, %n
  %cell = add i64 %there, %column
  %pb = getelementptr float, ptr %b, i64 %cell
  %y = load float, ptr %pb
  %sum1 = call float @llvm.fmuladd.f32(float %x, float %y, float %sum)
  %k1 = add i64 %k, 1
  %c = icmp ult i64 %k1, %n
  br i1 %c, label %loop, label %done
done:
  %at = add i64 %line, %column
  %pc = getelementptr float, ptr %a, i64 %at
  store float %sum1, ptr %pc
  ret void
}

!sinter.groups = !{!0}
!0 = !{!"\01\00\00\00\00\00\00\00\08\00\00\00\00\00\00\00\10\00\00\00\00\00\00\00", !""}
