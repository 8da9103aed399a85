; The work-items of a group add up a row together. Some iterations are common to all work-items. A barrier separates the
; common iterations from the remaining iterations, also if registers can't hold all sums (256 floats with AVX2). So the
; region that repeats the common iterations has no loop inside, and the loop over its vectors may be unrolled.
; RUN: SINTER_CPU=x86-64-v3 %opt -passes='sinter-lower-cpu<lanes=0;local=1x1x256>' %s | FileCheck %s

; Region 0 runs the first common iteration, region 1 the remaining iterations, and region 2 repeats itself.
; CHECK-LABEL: define internal i32 @kernel.work_item.region1.wide(
; CHECK: phi <8 x float>

; CHECK-LABEL: define internal i32 @kernel.work_item.region2.wide(
; CHECK-NOT: phi <
; CHECK: load <8 x float>
; CHECK-NOT: phi <
; CHECK: fadd <8 x float>
; CHECK-NOT: phi <
; CHECK-LABEL: define internal void @"sinter:kernel"(

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_group_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 16
  %out = load ptr, ptr %at.out
  %at.count = getelementptr i8, ptr %block, i64 8
  %count = load i64, ptr %at.count
  %local = call i64 @__sinter_local_id(i32 2)
  %id = call i64 @__sinter_global_id(i32 2)
  %group = call i64 @__sinter_group_id(i32 2)
  %first = mul i64 %group, %count
  %row = getelementptr float, ptr %data, i64 %first
  br label %head

head:
  %i = phi i64 [ %local, %start ], [ %next, %body ]
  %sum = phi float [ 0.0, %start ], [ %more, %body ]
  %goes.on = icmp ult i64 %i, %count
  br i1 %goes.on, label %body, label %end

body:
  %at = getelementptr float, ptr %row, i64 %i
  %x = load float, ptr %at
  %more = fadd float %sum, %x
  %next = add i64 %i, 256
  br label %head

end:
  %to = getelementptr float, ptr %out, i64 %id
  store float %sum, ptr %to
  ret void
}
