; Sums of columns: each work-item goes down its column, so each vector reads another cache line in each iteration. With
; a barrier after every eighth iteration, the work-items of a group read eight rows from left to right. In range
; kernels, which have no groups, the work-items of a part of a row wait for each other in this way.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; RUN: sed -e 's/"nd_range<1>"/"range<1>"/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=RANGE
; If work-items keep no value from row to row, the work-items of a group first read one row, and then the next row. In
; range kernels, the work-items of longer parts of a row then wait for each other.
; RUN: sed -e 's/"nd_range<1>"/"range<1>"/' -e 's/;NOTHING//' -e 's/fadd float %sum, %x/fadd float %x, 1.0/' -e 's/store float %more, ptr %to$/store float 0.0, ptr %to/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=NOTHING
; The loop is not changed if each iteration writes to the same address, because the last work-item's store has to win.
; RUN: sed -e 's/;ONE//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=APART
; No barrier is added if the kernel relies on the progress of other work-items.
; RUN: sed -e 's/;TURN//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=APART
; The loop is not changed if each work-item goes along its own row, which suits caches and prefetchers.
; RUN: sed -e 's/%row = mul i64 %i, 4096/%row = mul i64 %id, 4096/' -e 's/add i64 %row, %id/add i64 %row, %i/' %s \
; RUN:   | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=APART
; The loop is not changed if it has few rows, because few rows stay in the caches until the next vector reads them.
; RUN: sed -e 's/icmp ult i64 %next, %count/icmp ult i64 %next, 16/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' \
; RUN:   | FileCheck %s --check-prefix=APART
; In a matrix product, several rows of work-items share the elements in registers, so the loop is not changed.
; RUN: sed -e 's/"nd_range<1>"/"range<2>"/' -e 's/;PRODUCT//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' \
; RUN:   | FileCheck %s --check-prefix=APART
; No barrier is added if some work-items make fewer iterations.
; RUN: sed -e 's/icmp ult i64 %next, %count/icmp ult i64 %next, %id/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' \
; RUN:   | FileCheck %s --check-prefix=APART

; CHECK: define internal i32 @kernel.work_item.region0(
; CHECK: [[TURN:%.*]] = phi i32 [ 0, %{{.*}} ], [ [[NEXT:%.*]], %{{.*}} ]
; CHECK: [[AFTER:%.*]] = add {{.*}}i32 [[TURN]], 1
; CHECK: [[NEXT]] = and i32 [[AFTER]], 7
; CHECK: define internal i32 @kernel.work_item.region1(
; CHECK: define internal void @"sinter:kernel"(

; RANGE: define internal i32 @kernel.work_item.region1(
; RANGE: define internal void @"sinter:kernel"(
; RANGE: %context = alloca
; RANGE: meeting:
; RANGE: call i64 @llvm.umin.i64(i64 %{{.*}}, i64 4096)
; RANGE: call i32 @kernel.work_item.region0
; RANGE: call i32 @kernel.work_item.region1

; NOTHING: define internal i32 @kernel.work_item.region1(
; NOTHING-NOT: and i32 {{.*}}, 7
; NOTHING: define internal void @"sinter:kernel"(
; NOTHING: meeting:
; NOTHING: call i64 @llvm.umin.i64(i64 %{{.*}}, i64 8192)

; APART-NOT: region1(
; APART: define internal void @"sinter:kernel"(

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %id = call i64 @__sinter_global_id(i32 2)
  ;PRODUCT %line = call i64 @__sinter_global_id(i32 1)
  %at.out = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %at.out
  %at.count = getelementptr i8, ptr %block, i64 16
  %count = load i64, ptr %at.count
  %at.flag = getelementptr i8, ptr %block, i64 24
  %flag = load ptr, ptr %at.flag
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %data = load ptr, ptr %block
  %row = mul i64 %i, 4096
  %place = add i64 %row, %id
  %from = getelementptr float, ptr %data, i64 %place
  %x = load float, ptr %from
  %more = fadd float %sum, %x
  ;NOTHING %all.out = getelementptr float, ptr %out, i64 %place
  ;NOTHING store float %more, ptr %all.out
  ;ONE store float %x, ptr %flag
  ;TURN %turn = atomicrmw add ptr %flag, i32 1 monotonic
  ;TURN %turn.at = getelementptr i32, ptr %out, i64 %place
  ;TURN store i32 %turn, ptr %turn.at
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %end

end:
  %to = getelementptr float, ptr %out, i64 %id
  ;PRODUCT %to.line = getelementptr float, ptr %to, i64 %line
  ;PRODUCT store float 0.0, ptr %to.line
  store float %more, ptr %to
  ret void
}
