; for (x = local id; x < 66; x += 64): groups of 64 load a tile's row with its border. All work-items run the first
; iteration, so lanes need no masks in this iteration. The first two work-items run a second iteration.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; Loops with many iterations, or with an unknown number of them, stay loops.
; RUN: sed -e 's/icmp ult i64 %x, 66/icmp ult i64 %x, 1000/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=LOOP
; RUN: sed -e 's/icmp ult i64 %x, 66/icmp ult i64 %x, %count/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=LOOP

; CHECK: define internal i32 @kernel.work_item.region0.wide(
; CHECK-NOT: phi i64
; CHECK: [[VALUE:%.*]] = load <16 x float>
; CHECK: store <16 x float> [[VALUE]]
; CHECK: icmp {{.*}}ult <16 x i64>
; CHECK: call <16 x float> @llvm.masked.load
; CHECK: call void @llvm.masked.store
; CHECK-NOT: call {{.*}}masked
; CHECK: define internal {{.*}}region1

; LOOP: define internal i32 @kernel.work_item.region0.wide(
; LOOP: phi i64

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_group_id(i32)
declare ptr @__sinter_local_base()
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" "sinter-work-group-size"="64" {
entry:
  %own = call i64 @__sinter_local_id(i32 2)
  %group = call i64 @__sinter_group_id(i32 2)
  %tile = call ptr @__sinter_local_base()
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %at.out
  %at.count = getelementptr i8, ptr %block, i64 16
  %count = load i64, ptr %at.count
  %row = mul i64 %group, 64
  br label %head

head:
  %x = phi i64 [ %own, %entry ], [ %next, %body ]
  %more = icmp ult i64 %x, 66
  br i1 %more, label %body, label %done

body:
  %place = add i64 %row, %x
  %from = getelementptr inbounds float, ptr %data, i64 %place
  %value = load float, ptr %from
  %to = getelementptr inbounds float, ptr %tile, i64 %x
  store float %value, ptr %to
  %next = add nuw nsw i64 %x, 64
  br label %head

done:
  call void @__sinter_barrier(i32 2, i32 2)
  %other = getelementptr inbounds float, ptr %tile, i64 %own
  %right = getelementptr inbounds float, ptr %other, i64 2
  %a = load float, ptr %right
  %at = add i64 %row, %own
  %result = getelementptr inbounds float, ptr %out, i64 %at
  store float %a, ptr %result
  ret void
}
