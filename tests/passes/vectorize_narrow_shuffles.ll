; Lanes choose 16-bit values of each other by numbers as wide as these, cut before they are masked: LLVM 22 ends where the
; numbers of a permutation are wider than its elements (docs/llvm_defects.md).
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<sub-group=16>' %s | FileCheck %s
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<sub-group=16>,function(instcombine)' %s \
; RUN:   | llc -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 -o - | FileCheck %s --check-prefix=CODE

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[NARROW:%.*]] = trunc <16 x i32> {{%.*}} to <16 x i16>
; CHECK: [[LANES:%.*]] = and <16 x i16> [[NARROW]], splat (i16 15)
; CHECK: extractelement <16 x i16> [[LANES]], i64 0
; CODE: vpermw

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i16 @__sinter_sub_group_shuffle_16(i16, i32) convergent memory(none)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %from = getelementptr i16, ptr %data, i64 %id
  %x = load i16, ptr %from
  %far = getelementptr i8, ptr %data, i64 4096
  %at.number = getelementptr i32, ptr %far, i64 %id
  %number = load i32, ptr %at.number
  %y = call i16 @__sinter_sub_group_shuffle_16(i16 %x, i32 %number)
  %real = sitofp i16 %y to double
  %more = getelementptr i8, ptr %data, i64 8192
  %to = getelementptr double, ptr %more, i64 %id
  store double %real, ptr %to
  ret void
}
