; One body runs several rows of a group. Values that the rows share are loaded once, and each row has its own sums.
; Rows and work-items that are left over run as before.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8;block=4>' %s | FileCheck %s

; CHECK-LABEL: define {{.*}} @kernel.work_item.wide.blocked(
; CHECK: add nuw nsw i64 %5, 3
; CHECK: [[STEP:%.*]] = mul nuw nsw i64 %15, 3
; CHECK: add nuw nsw i64 %24, [[STEP]]
; CHECK: loop:
; CHECK-COUNT-4: phi <8 x float>
; CHECK-COUNT-4: load float
; CHECK: [[SHARED:%.*]] = load <8 x float>
; CHECK-NOT: load <8 x float>
; CHECK-COUNT-4: call <8 x float> @llvm.fma.v8f32(<8 x float> {{%.*}}, <8 x float> [[SHARED]], <8 x float> {{%.*}})
; CHECK-NOT: @llvm.fma.
; CHECK: done:
; CHECK-COUNT-4: store <8 x float>

; CHECK-LABEL: define internal void @"sinter:kernel"(
; CHECK: [[ROWS:%.*]] = and i64 [[RANGE1:%.*]], -4
; CHECK: [[ITEMS:%.*]] = and i64 [[RANGE2:%.*]], -8
; CHECK: rows:
; CHECK: [[NO_ENDS:%.*]] = icmp eq i64 [[ITEMS]], [[RANGE2]]
; CHECK: select i1 [[NO_ENDS]], i64 [[ROWS]], i64 0
; CHECK: call i32 @kernel.work_item.wide.blocked(
; CHECK: local1:
; CHECK: [[DONE:%.*]] = icmp ult i64 %{{local1[0-9]*}}, [[ROWS]]
; CHECK: select i1 [[DONE]], i64 [[ITEMS]], i64 0
; CHECK: call i32 @kernel.work_item.wide(
; CHECK: call i32 @kernel.work_item(

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
