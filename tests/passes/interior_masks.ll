; i & (n - 1) is consecutive in vectors that don't cross a multiple of n. i & m is uniform in vectors that don't cross a
; multiple of m. n and m are known only at run time. The condition tests both ends of the vector, and the low bits of n
; - 1 or m.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=0>' %s | FileCheck %s --check-prefix=FITTING

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[LOW:%.*]] = and i64 [[MASK:%.*]], 3
; CHECK: [[FIRST:%.*]] = and i64 [[ID:%.*]], [[MASK]]
; CHECK: [[END:%.*]] = add {{.*}}i64 [[ID]], 3
; CHECK: [[LAST:%.*]] = and i64 [[END]], [[MASK]]
; CHECK: icmp eq i64 [[LOW]], 3
; CHECK: [[SPAN:%.*]] = sub i64 [[LAST]], [[FIRST]]
; CHECK: icmp eq i64 [[SPAN]], 3
; CHECK: icmp ule i64 [[FIRST]], [[LAST]]
; CHECK: [[NONE:%.*]] = and i64 [[SIDES:%.*]], 3
; CHECK: icmp eq i64 [[NONE]], 0
; CHECK: inside:
; CHECK: load <4 x i32>, ptr
; CHECK: store <4 x i32>
; CHECK: outside:
; CHECK: "sinter-lanes"="4 lanes inside borders: {{[0-9]+}} uniform, 2 consecutive"
; FITTING: "sinter-lanes"="{{[0-9]+}} lanes inside borders: {{[0-9]+}} uniform, 2 consecutive

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %at.length = getelementptr i8, ptr %block, i64 8
  %length = load i64, ptr %at.length
  %at.sides = getelementptr i8, ptr %block, i64 16
  %sides = load i64, ptr %at.sides
  %id = call i64 @__sinter_global_id(i32 2)
  %mask = add i64 %length, -1
  %within = and i64 %id, %mask
  %from = getelementptr i32, ptr %data, i64 %within
  %value = load i32, ptr %from
  %side = and i64 %id, %sides
  %left = icmp eq i64 %side, 0
  %negative = sub i32 0, %value
  %signed = select i1 %left, i32 %value, i32 %negative
  %to.base = getelementptr i8, ptr %data, i64 65536
  %to = getelementptr i32, ptr %to.base, i64 %id
  store i32 %signed, ptr %to
  ret void
}
