; Sums are kept in a private array across barriers. Nested loops of known length index it, as in a tiled product with
; several elements for each work-item. The loops test their condition at their start, as clang writes them. After
; unrolling, each loop still has a test that never holds. The code behind it accesses an element outside the array.
; Nevertheless, the array has to become values. If the array stayed in memory, lanes would gather and scatter their
; sums, and the product would take 20 times as long.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8>,sinter-optimise' %s | FileCheck %s

; CHECK: define internal void @"sinter:kernel"(
; CHECK: call <8 x float> @llvm.fma.v8f32(
; CHECK-NOT: @llvm.masked.gather
; CHECK-NOT: @llvm.masked.scatter

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_id(i32)
declare ptr @__sinter_local_base()
declare void @__sinter_barrier(i32, i32) convergent
declare float @llvm.fmuladd.f32(float, float, float)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" convergent {
entry:
  %sums = alloca [2 x [2 x float]], align 16
  %a = load ptr, ptr %block
  %limit = getelementptr i8, ptr %block, i64 8
  %n = load i64, ptr %limit
  %column = call i64 @__sinter_global_id(i32 2)
  %j = call i64 @__sinter_local_id(i32 2)
  %tile = call ptr @__sinter_local_base()
  %tile_cell = getelementptr float, ptr %tile, i64 %j
  call void @llvm.memset.p0.i64(ptr %sums, i8 0, i64 16, i1 false)
  br label %tiles
tiles:
  %start = phi i64 [ 0, %entry ], [ %start1, %next ]
  %p = getelementptr float, ptr %a, i64 %start
  %q = getelementptr float, ptr %p, i64 %j
  %x = load float, ptr %q
  store float %x, ptr %tile_cell
  call void @__sinter_barrier(i32 2, i32 2)
  br label %outer
outer:
  %k = phi i64 [ 0, %tiles ], [ %k1, %outer_next ]
  %k_more = icmp ult i64 %k, 16
  br i1 %k_more, label %rows, label %next
rows:
  %r = phi i64 [ 0, %outer ], [ %r1, %rows_next ]
  %r_more = icmp ult i64 %r, 2
  br i1 %r_more, label %columns, label %outer_next
columns:
  %s = phi i64 [ 0, %rows ], [ %s1, %body ]
  %s_more = icmp ult i64 %s, 2
  br i1 %s_more, label %body, label %rows_next
body:
  %k_row = add i64 %k, %r
  %pa = getelementptr float, ptr %tile, i64 %k_row
  %pb = getelementptr float, ptr %tile_cell, i64 %s
  %va = load float, ptr %pa
  %vb = load float, ptr %pb
  %sum_row = getelementptr [2 x float], ptr %sums, i64 %r
  %sum = getelementptr float, ptr %sum_row, i64 %s
  %part = load float, ptr %sum
  %more = call float @llvm.fmuladd.f32(float %va, float %vb, float %part)
  store float %more, ptr %sum
  %s1 = add i64 %s, 1
  br label %columns
rows_next:
  %r1 = add i64 %r, 1
  br label %rows
outer_next:
  %k1 = add i64 %k, 1
  br label %outer
next:
  call void @__sinter_barrier(i32 2, i32 2)
  %start1 = add i64 %start, 16
  %again = icmp ult i64 %start1, %n
  br i1 %again, label %tiles, label %done
done:
  %last = getelementptr i8, ptr %sums, i64 12
  %first_sum = load float, ptr %sums
  %last_sum = load float, ptr %last
  %both = fadd float %first_sum, %last_sum
  %cell = getelementptr float, ptr %a, i64 %column
  store float %both, ptr %cell
  ret void
}
