; The step of the loop is the size of the grid, so each vector would touch another page in each iteration.
; Instead, the work-items of a group finish each iteration before they begin the next one, and prefetch the data
; of the iteration after next. The remaining iterations run as before.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; RUN: sed -e 's/"nd_range<1>"/"range<1>"/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=RANGE
; If the loop's step is the group's row length, the rows are contiguous in memory. A vector that ran its whole loop
; alone would read these rows with gaps. If all work-items finish each iteration together, they read one long contiguous
; row, and no prefetches are needed.
; RUN: sed -e 's/global_range(i32 2)/local_range(i32 2)/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=FOLLOWS
; The loop is not changed if rows overlap.
; RUN: sed -e 's/i64 %i, %all/i64 %i, 32/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=APART
; The loop is not changed if all iterations write to the same address, because the last store has to win.
; RUN: sed -e 's/;ONE//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=APART
; The loop is not changed if each work-item goes along its own row.
; RUN: sed -e 's/ptr %out, i64 %i$/ptr %out, i64 %far/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=TOO
; RUN: sed -e 's/i64 %i, %all/i64 %i, 1/' -e 's/ptr %data, i64 %i$/ptr %data, i64 %far/' %s \
; RUN:   | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=APART

; CHECK: define internal i32 @kernel.work_item.region1(
; CHECK: rest:
; CHECK: head.step:
; CHECK: add nuw i64 %{{.*}}, %6
; CHECK: call void @llvm.prefetch.p0(
; CHECK: define {{.*}} @kernel.work_item.region0.wide(
; CHECK: call void @llvm.prefetch.p0(ptr
; CHECK: load <16 x float>
; CHECK: define internal void @"sinter:kernel"(

; RANGE: define internal i32 @kernel.work_item.region1(
; RANGE: sub i64 %3, %24
; RANGE: define internal void @"sinter:kernel"(
; RANGE: meeting:

; FOLLOWS-NOT: prefetch
; FOLLOWS: define internal i32 @kernel.work_item.region1(
; FOLLOWS-NOT: prefetch
; FOLLOWS: define internal void @"sinter:kernel"(

; Scattered stores do not prevent the change.
; TOO: region1(
; APART-NOT: region1(
; APART: define internal void @"sinter:kernel"(

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_global_range(i32)
declare i64 @__sinter_local_range(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 16
  %out = load ptr, ptr %at.out
  %at.count = getelementptr i8, ptr %block, i64 8
  %count = load i64, ptr %at.count
  %id = call i64 @__sinter_global_id(i32 2)
  %at.last = getelementptr i32, ptr %data, i64 %id
  %all = call i64 @__sinter_global_range(i32 2)
  br label %head

head:
  %i = phi i64 [ %id, %start ], [ %next, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %done

body:
  %far = mul i64 %i, 1000
  %from = getelementptr float, ptr %data, i64 %i
  %x = load float, ptr %from
  %y = fadd float %x, 1.0
  %to = getelementptr float, ptr %out, i64 %i
  store float %y, ptr %to
  ;ONE store float %y, ptr %out
  %next = add i64 %i, %all
  br label %head

done:
  ; This store prevents another pass from giving each group a contiguous part of the range (grid_pieces.ll).
  store i32 0, ptr %at.last
  ret void
}
