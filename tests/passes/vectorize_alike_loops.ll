; The work-items of a sub-group share the elements of a row. As long as all lanes continue, their loads have no masks.
; Two neighbouring fields that each lane reads are loaded as whole vectors. The remaining iterations have masks. A loop
; in which work-items exchange values is not changed. The lane with the largest counter shows whether all lanes
; continue. If counters go down, the lane with the smallest counter shows this. It is the first lane.
; RUN: %opt -passes='sinter-work-item-function<sub-group=4>,sinter-vectorize<sub-group=4>' %s | FileCheck %s
; RUN: SINTER_PASSES=-alike-loops %opt -passes='sinter-work-item-function<sub-group=4>,sinter-vectorize<sub-group=4>' %s \
; RUN:   | FileCheck %s --check-prefix=MASKED
; RUN: sed -e 's/;EXCHANGE//' %s | %opt -passes='sinter-work-item-function<sub-group=4>,sinter-vectorize<sub-group=4>' \
; RUN:   | FileCheck %s --check-prefix=MASKED

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[LAST:%.*]] = add i64 [[FIRST:%.*]], 3
; CHECK-NEXT: icmp sge i64 [[LAST]], %count
; CHECK: [[LOW:%.*]] = load <4 x i32>, ptr
; CHECK: [[HIGH:%.*]] = load <4 x i32>, ptr
; CHECK: shufflevector <4 x i32> [[LOW]], <4 x i32> [[HIGH]], <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: call <4 x {{i32|i64}}> @llvm.masked.{{gather|load}}
; MASKED: define {{.*}} @kernel.work_item.wide(
; MASKED-NOT: = load <4 x i32>, ptr
; MASKED: call <4 x {{i32|i64}}> @llvm.masked.{{gather|load}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_id(i32)
declare i32 @__sinter_sub_group_shuffle_32(i32, i32) #0

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" #0 {
start:
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %at.out
  %at.count = getelementptr i8, ptr %block, i64 16
  %count = load i64, ptr %at.count
  %id = call i64 @__sinter_global_id(i32 2)
  %lane = call i64 @__sinter_local_id(i32 2)
  br label %head

head:
  %i = phi i64 [ %lane, %start ], [ %next, %body ]
  %sum = phi i32 [ 0, %start ], [ %more, %body ]
  %goes.on = icmp slt i64 %i, %count
  br i1 %goes.on, label %body, label %done

body:
  %at.x = getelementptr { i32, i32 }, ptr %data, i64 %i
  %at.y = getelementptr i8, ptr %at.x, i64 4
  %x = load i32, ptr %at.x
  %y = load i32, ptr %at.y
  %difference = sub i32 %x, %y
  ;EXCHANGE %other = call i32 @__sinter_sub_group_shuffle_32(i32 %difference, i32 1) #0
  %more = xor i32 %sum, %difference
  %next = add nuw nsw i64 %i, 4
  br label %head

done:
  %all = call i32 @__sinter_sub_group_shuffle_32(i32 %sum, i32 0) #0
  %cell = getelementptr i32, ptr %out, i64 %id
  store i32 %all, ptr %cell
  ret void
}

attributes #0 = { convergent }
