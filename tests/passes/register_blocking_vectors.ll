; Neighbours along the only dimension: one body runs two vectors, then single vectors follow, then scalar code for the
; rest of the row. Each vector does its atomics, in order.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8;block=2>' %s | FileCheck %s

; CHECK-LABEL: define {{.*}} @kernel.work_item.wide.blocked(
; CHECK: [[SECOND:%.*]] = add nuw nsw i64 %3, 8
; CHECK: [[FIRST_CELL:%.*]] = getelementptr {{.*}} i64 %3
; CHECK: [[SECOND_CELL:%.*]] = getelementptr {{.*}} i64 [[SECOND]]
; CHECK-COUNT-2: load <8 x float>
; CHECK: loop:
; CHECK: load float
; CHECK-NOT: load float
; CHECK-COUNT-2: fmul <8 x float>
; CHECK: store <8 x float> {{.*}}, ptr [[FIRST_CELL]]
; CHECK: store <8 x float> {{.*}}, ptr [[SECOND_CELL]]
; CHECK-COUNT-2: atomicrmw add

; CHECK-LABEL: define internal void @"sinter:kernel"(
; CHECK: and i64 {{.*}}, -16
; CHECK: call i32 @kernel.work_item.wide.blocked(
; CHECK: add {{.*}}, 16
; CHECK: and i64 {{.*}}, -8
; CHECK: call i32 @kernel.work_item.wide(
; CHECK: call i32 @kernel.work_item(

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data = load ptr, ptr %block
  %limit = getelementptr i8, ptr %block, i64 8
  %n = load i64, ptr %limit
  %counter_at = getelementptr i8, ptr %block, i64 16
  %counter = load ptr, ptr %counter_at
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %own = load float, ptr %cell
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %p = getelementptr float, ptr %data, i64 %k
  %x = load float, ptr %p
  %m = fmul float %x, %own
  %sum1 = fadd float %m, %sum
  %k1 = add i64 %k, 1
  %c = icmp ult i64 %k1, %n
  br i1 %c, label %loop, label %done
done:
  store float %sum1, ptr %cell
  %all = atomicrmw add ptr %counter, i32 1 monotonic
  ret void
}
