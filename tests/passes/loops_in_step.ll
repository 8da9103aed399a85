; The loop counts data in local memory. The loop's step is the size of the group. While all work-items of the group are
; in the loop, they meet at a barrier after each iteration, and prefetch cache lines two iterations ahead. The remaining
; iterations run as before. The loop stays unchanged if a work-item keeps a value from iteration to iteration.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; RUN: sed -e 's/;OWN//' -e 's/i32 5,/i32 %own,/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=KEEPS

; CHECK: define {{.*}} @kernel.work_item.region2(
; CHECK: [[FIRST:%.*]] = load i64, ptr {{.*}}, !alias.scope
; CHECK: rest:
; CHECK: head.step:
; CHECK: [[OWN:%.*]] = add nuw i64 [[FIRST]], %6
; CHECK: [[LAST:%.*]] = add i64 [[FIRST]],
; CHECK: [[ORDER:%.*]] = icmp ule i64 [[FIRST]], [[LAST]]
; CHECK: [[INSIDE:%.*]] = icmp ult i64 [[LAST]],
; CHECK: [[ALL:%.*]] = and i1 [[ORDER]], [[INSIDE]]
; CHECK: br i1 [[ALL]], label %body.step, label %rest
; CHECK: [[LINE:%.*]] = and i64 %6, 63
; CHECK: icmp eq i64 [[LINE]], 0
; CHECK: shl {{.*}}i64 %12, 1
; CHECK: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
; CHECK: [[NEXT:%.*]] = add i64 [[FIRST]], %12
; CHECK: store i64 [[NEXT]], ptr {{.*}}, !alias.scope
; CHECK-NEXT: ret i32 2
; KEEPS-NOT: llvm.prefetch
; KEEPS: define internal void @"sinter:kernel"(
; KEEPS-NOT: llvm.prefetch

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_global_range(i32)
declare ptr @__sinter_local_base()
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %data = load ptr, ptr %block
  %at.count = getelementptr i8, ptr %block, i64 8
  %count = load i64, ptr %at.count
  %id = call i64 @__sinter_global_id(i32 2)
  %all = call i64 @__sinter_global_range(i32 2)
  %near = call ptr @__sinter_local_base()
  br label %head

head:
  %i = phi i64 [ %id, %start ], [ %next, %body ]
  ;OWN %own = phi i32 [ 0, %start ], [ %new, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %done

body:
  %from = getelementptr i8, ptr %data, i64 %i
  %byte = load i8, ptr %from
  %bin = zext i8 %byte to i64
  %to = getelementptr i32, ptr %near, i64 %bin
  %old = atomicrmw add ptr %to, i32 1 monotonic
  %wide = zext i8 %byte to i32
  %new = add i32 5, %wide
  %next = add i64 %i, %all
  br label %head

done:
  call void @__sinter_barrier(i32 2, i32 2)
  %own.p = getelementptr i32, ptr %data, i64 %id
  store i32 5, ptr %own.p
  ret void
}
