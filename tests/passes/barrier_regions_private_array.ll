; A private array that is read behind the barrier is kept in the context as a whole. An array that is used only
; before the barrier stays private. Lifetime markers are removed, because after the cut they would end the
; array's life too early or too late.
; RUN: %opt -passes=sinter-work-item-function,sinter-barrier-regions %s \
; RUN:   | FileCheck %s --implicit-check-not='call void @llvm.lifetime'

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK: %scratch = alloca [4 x i32]
; CHECK: [[ITEM:%.*]] = mul nuw i64 %24, 32
; CHECK: [[SUM:%.*]] = add nuw i64 {{%.*}}, [[ITEM]]
; CHECK: [[KEPT:%.*]] = getelementptr i8, ptr %23, i64 [[SUM]]
; CHECK: store i32 1, ptr %scratch
; CHECK: [[CELL:%.*]] = getelementptr i64, ptr [[KEPT]], i64 1
; CHECK: store i64 2, ptr [[CELL]]
; CHECK-NEXT: br
; CHECK: ret i32 1

; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK: [[AGAIN:%.*]] = getelementptr i8, ptr %23
; CHECK: [[FIRST:%.*]] = load i64, ptr [[AGAIN]]
; CHECK: ret i32 0

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %kept = alloca [4 x i64]
  %scratch = alloca [4 x i32]
  %data = load ptr, ptr %block
  call void @llvm.lifetime.start.p0(ptr %kept)
  call void @llvm.lifetime.start.p0(ptr %scratch)
  store i32 1, ptr %scratch
  call void @llvm.lifetime.end.p0(ptr %scratch)
  %cell = getelementptr i64, ptr %kept, i64 1
  store i64 2, ptr %cell
  call void @__sinter_barrier(i32 2, i32 2)
  %first = load i64, ptr %kept
  store i64 %first, ptr %data
  call void @llvm.lifetime.end.p0(ptr %kept)
  ret void
}
