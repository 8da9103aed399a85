; Behind a guard, lane 0 may be inactive. Promises about the other lanes then do not hold for lane 0. In this kernel, l
; is the local id, and the index l - n has wrapped in lane 0. As a 64-bit number, this index is far from the indices of
; the other lanes, so the code has a gather. If the distances between lanes hold for all lanes, the code computes the
; address without promises (nuw, inbounds).
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=8>' %s | FileCheck %s
; RUN: sed 's/;ROWS//' %s | %opt -passes='sinter-work-item-function<sub-group=16>,sinter-flatten-groups<local=1x8x8>,sinter-vectorize<sub-group=16>' \
; RUN:   | FileCheck %s --check-prefix=ROWS

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: outside:
; CHECK: call <8 x i64> @llvm.masked.gather.v8i64.v8p0(
; CHECK-NOT: masked.load
; CHECK: ret i32

; ROWS: define {{.*}} @kernel.work_item.wide(
; ROWS: call <8 x i64> @llvm.masked.load.v8i64.p0(
; ROWS: call <8 x i64> @llvm.masked.load.v8i64.p0(
; ROWS: ret i32

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_global_id(i32)
;ROWS declare i32 @__sinter_sub_group_local_id()

define void @kernel(ptr %block) "sinter-kernel"="nd_range<2>" {
start:
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %at.out
  %at.by = getelementptr i8, ptr %block, i64 16
  %by = load i32, ptr %at.by
  %id = call i64 @__sinter_local_id(i32 2)
  %g = call i64 @__sinter_global_id(i32 2)
  %l = trunc i64 %id to i32
  %inside = icmp ule i32 %by, %l
  br i1 %inside, label %yes, label %done

yes:
  %difference = sub i32 %l, %by
  %i = zext i32 %difference to i64
  ;ROWS %lane = call i32 @__sinter_sub_group_local_id()
  ;ROWS %row = call i64 @__sinter_local_id(i32 1)
  ;ROWS %before = mul i64 %row, 1000
  ;ROWS %sum = add nuw i64 %before, %id
  %p = getelementptr i64, ptr %data, i64 %i
  ;ROWS %of.row = getelementptr i64, ptr %data, i64 %sum
  ;ROWS %y = load i64, ptr %of.row
  %x = load i64, ptr %p
  br label %done

done:
  %r = phi i64 [ 7, %start ], [ %x, %yes ]
  ;ROWS %r2 = phi i64 [ 7, %start ], [ %y, %yes ]
  ;ROWS store i64 %r2, ptr %out
  %b = trunc i64 %r to i8
  %q = getelementptr i8, ptr %out, i64 %g
  store i8 %b, ptr %q
  ret void
}
