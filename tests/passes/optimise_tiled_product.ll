; A smoke test: runs all steps. The inner loop of a tiled matrix product consists of vector multiply-adds, in a region
; between barriers. The tile number is uniform, so it is stored only once for all work-items.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8>,sinter-optimise' %s | FileCheck %s

; CHECK: define internal void @"sinter:kernel"(
; CHECK: load <8 x float>
; CHECK: call <8 x float> @llvm.fma.v8f32(
; CHECK: store <8 x float>

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_id(i32)
declare ptr @__sinter_local_base()
declare void @__sinter_barrier(i32, i32) convergent
declare float @llvm.fmuladd.f32(float, float, float)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<2>" convergent {
entry:
  %a = load ptr, ptr %block
  %limit = getelementptr i8, ptr %block, i64 8
  %n = load i64, ptr %limit
  %row = call i64 @__sinter_global_id(i32 1)
  %column = call i64 @__sinter_global_id(i32 2)
  %i = call i64 @__sinter_local_id(i32 1)
  %j = call i64 @__sinter_local_id(i32 2)
  %tile = call ptr @__sinter_local_base()
  %tile_row = getelementptr [16 x float], ptr %tile, i64 %i
  %tile_cell = getelementptr float, ptr %tile_row, i64 %j
  %tile_column = getelementptr float, ptr %tile, i64 %j
  %line = mul i64 %row, %n
  br label %tiles
tiles:
  %start = phi i64 [ 0, %entry ], [ %start1, %next ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %next ]
  %from = add i64 %line, %start
  %there = add i64 %from, %j
  %p = getelementptr float, ptr %a, i64 %there
  %x = load float, ptr %p
  store float %x, ptr %tile_cell
  call void @__sinter_barrier(i32 2, i32 2)
  br label %inner
inner:
  %k = phi i64 [ 0, %tiles ], [ %k1, %inner ]
  %part = phi float [ %sum, %tiles ], [ %sum1, %inner ]
  %pa = getelementptr float, ptr %tile_row, i64 %k
  %pb = getelementptr [16 x float], ptr %tile_column, i64 %k
  %va = load float, ptr %pa
  %vb = load float, ptr %pb
  %sum1 = call float @llvm.fmuladd.f32(float %va, float %vb, float %part)
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, 16
  br i1 %more, label %inner, label %next
next:
  call void @__sinter_barrier(i32 2, i32 2)
  %start1 = add i64 %start, 16
  %again = icmp ult i64 %start1, %n
  br i1 %again, label %tiles, label %done
done:
  %cell = add i64 %line, %column
  %q = getelementptr float, ptr %a, i64 %cell
  store float %sum1, ptr %q
  ret void
}
