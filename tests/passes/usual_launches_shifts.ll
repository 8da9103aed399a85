; The kernel loads neighbours of its element at an `int` id plus a constant. LLVM widens this sum by shifts. In launches
; whose ids are far enough from 2^31, the neighbours' addresses are consecutive, too. Without the pass, the neighbours
; would be loaded by gathers.
; RUN: %opt -passes='sinter-lower-cpu<lanes=4>' %s | FileCheck %s
; The id itself never wraps, so it needs no condition.
; RUN: sed 's/add i64 %up, 4294967296/add i64 %up, 0/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=ALONE

; CHECK: define internal i1 @kernel.work_item.{{[0-9]+}}.is_usual(
; CHECK: icmp sle i64 {{%.*}}, 2147483647
; CHECK: ret i1
; CHECK: define {{.*}} @kernel.work_item.{{[0-9]+}}.wide(
; CHECK-NOT: gather
; CHECK: load <4 x i16>
; CHECK-NOT: gather
; CHECK: load <4 x i16>
; CHECK-NOT: gather
; CHECK: define internal void @"sinter:kernel.usual"(

; ALONE-NOT: is_usual
; ALONE-NOT: gather

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %in = load ptr, ptr %block
  %out.at = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %out.at
  %id = call i64 @__sinter_global_id(i32 2)
  %up = shl i64 %id, 32
  %here = ashr exact i64 %up, 31
  %next = add i64 %up, 4294967296
  %there = ashr exact i64 %next, 31
  %from = getelementptr i8, ptr %in, i64 %here
  %after = getelementptr i8, ptr %in, i64 %there
  %x = load i16, ptr %from
  %y = load i16, ptr %after
  %sum = add i16 %x, %y
  %to = getelementptr i8, ptr %out, i64 %here
  store i16 %sum, ptr %to
  ret void
}
