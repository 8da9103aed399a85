; Behind a branch, all lanes store to local memory if two conditions hold: the work-item knows the old values, and the
; lanes of all stores fill whole vectors. Lanes that are off store the old values. Other stores keep their masks: stores
; over an unknown value, stores to memory to which other threads may write, and stores of all lanes to one address,
; where a lane could restore a value that another lane has replaced.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[LOW:%.*]] = load <4 x i32>, ptr
; CHECK: [[HIGH:%.*]] = load <4 x i32>, ptr
; CHECK: [[A:%.*]] = shufflevector <4 x i32> [[LOW]], <4 x i32> [[HIGH]], <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: [[B:%.*]] = shufflevector <4 x i32> [[LOW]], <4 x i32> [[HIGH]], <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK: [[SWAP:%.*]] = icmp sgt <4 x i32> [[A]], [[B]]
; CHECK: [[FIRST:%.*]] = select <4 x i1> [[SWAP]], <4 x i32> [[B]], <4 x i32> [[A]]
; CHECK: [[SECOND:%.*]] = select <4 x i1> [[SWAP]], <4 x i32> [[A]], <4 x i32> [[B]]
; CHECK: shufflevector <4 x i32> [[FIRST]], <4 x i32> [[SECOND]], <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: store <4 x i32>
; CHECK: call void @llvm.masked.store.v4i32.p0(<4 x i32> splat (i32 7), ptr
; CHECK: call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> splat (i32 8), <4 x ptr>
; CHECK: ret i32 0
; CHECK: store i32 9, ptr

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare ptr @__sinter_local_base()

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %data = load ptr, ptr %block
  %local = call ptr @__sinter_local_base()
  %id = call i64 @__sinter_local_id(i32 2)
  %pair = getelementptr { i32, i32 }, ptr %local, i64 %id
  %other = getelementptr i8, ptr %pair, i64 4
  %a = load i32, ptr %pair
  %b = load i32, ptr %other
  %wrong = icmp sgt i32 %a, %b
  br i1 %wrong, label %swap, label %second

swap:
  store i32 %b, ptr %pair
  store i32 %a, ptr %other
  br label %second

second:
  %own = getelementptr i32, ptr %local, i64 %id
  %c = load i32, ptr %own
  %small = icmp slt i32 %c, 100
  br i1 %small, label %alone, label %third

alone:
  store i32 7, ptr %own
  br label %third

third:
  %far = getelementptr { i32, i32 }, ptr %data, i64 %id
  %farther = getelementptr i8, ptr %far, i64 4
  %d = load i32, ptr %far
  %e = load i32, ptr %farther
  %large = icmp sgt i32 %d, %e
  br i1 %large, label %global, label %fourth

global:
  store i32 8, ptr %far
  br label %fourth

fourth:
  %flag = load i32, ptr %local
  %sum = add i32 %flag, %e
  %negative = icmp slt i32 %sum, 0
  br i1 %negative, label %found, label %done

found:
  store i32 9, ptr %local
  br label %done

done:
  ret void
}
