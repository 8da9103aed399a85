; Pairs of elements have a distance that is known only at run time. There are several versions of the block. One version
; is for distances that are multiples of the number of lanes: all first elements of the pairs are consecutive, and so
; are all second elements. For each power of two below the number of lanes, there is another version: the elements of
; the pairs fill two vectors, which are rearranged. The last version is for any other distance.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[LOW:%.*]] = and i64 [[MASK:%.*]], 3
; CHECK-NEXT: [[LONG:%.*]] = icmp eq i64 [[LOW]], 3
; CHECK-NEXT: br i1 [[LONG]],
; CHECK: load <4 x i32>, ptr
; CHECK-NEXT: load <4 x i32>, ptr
; CHECK: store <4 x i32> {{.*}}, align 4
; CHECK: store <4 x i32> {{.*}}, align 4
; CHECK: icmp eq i64 [[MASK]], 1
; CHECK: [[A:%.*]] = load <4 x i32>, ptr
; CHECK: [[B:%.*]] = load <4 x i32>, ptr
; CHECK: [[FIRST:%.*]] = shufflevector <4 x i32> [[A]], <4 x i32> [[B]], <4 x i32> <i32 0, i32 1, i32 4, i32 5>
; CHECK: [[SECOND:%.*]] = shufflevector <4 x i32> [[A]], <4 x i32> [[B]], <4 x i32> <i32 2, i32 3, i32 6, i32 7>
; CHECK: shufflevector <4 x i32> [[SECOND]], <4 x i32> [[FIRST]], <4 x i32> <i32 0, i32 1, i32 4, i32 5>
; CHECK: shufflevector <4 x i32> [[SECOND]], <4 x i32> [[FIRST]], <4 x i32> <i32 2, i32 3, i32 6, i32 7>
; CHECK: icmp eq i64 [[MASK]], 0
; CHECK: shufflevector {{.*}} <i32 0, i32 2, i32 4, i32 6>
; CHECK: shufflevector {{.*}} <i32 1, i32 3, i32 5, i32 7>
; CHECK: shufflevector {{.*}} <i32 0, i32 4, i32 1, i32 5>
; CHECK: shufflevector {{.*}} <i32 2, i32 6, i32 3, i32 7>
; CHECK: call <4 x i32> @llvm.masked.gather
; CHECK: call void @llvm.masked.scatter
; CHECK: "sinter-lanes"="4 lanes: {{[0-9]+}} uniform, 4 consecutive, 8 rearranged, 2 gathered, 2 scattered"

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare ptr @__sinter_local_base()

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %near = call ptr @__sinter_local_base()
  %id = call i64 @__sinter_local_id(i32 2)
  %stride = load i64, ptr %block
  %mask = add i64 %stride, -1
  %low = and i64 %id, %mask
  %twice = shl i64 %id, 1
  %i = sub i64 %twice, %low
  %p = getelementptr i32, ptr %near, i64 %i
  %j = add i64 %i, %stride
  %q = getelementptr i32, ptr %near, i64 %j
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  store i32 %b, ptr %p
  store i32 %a, ptr %q
  ret void
}
