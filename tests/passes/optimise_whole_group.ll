; One function runs the whole group, and the layout of its local memory is known. Then the sums of the work-items stay
; in registers from tile to tile. In one tile, each work-item reads only the column with its own number, so this tile
; needs no memory. The other tile stays in memory, because work-items read single elements of its rows.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8;block=0>,sinter-optimise' %s | FileCheck %s

; CHECK: define internal void @"sinter:kernel"(
; CHECK-NOT: alloca
; CHECK-NOT: store <8 x float>
; CHECK-COUNT-8: store <8 x float>
; CHECK-NOT: store <8 x float>
; CHECK-COUNT-8: phi <8 x float>
; CHECK-COUNT-64: call <8 x float> @llvm.fma.v8f32(
; CHECK-COUNT-16: store <8 x float>
; CHECK-NOT: store <8 x float>
; CHECK: {{^}}}

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_id(i32)
declare ptr @__sinter_local_base()
declare void @__sinter_barrier(i32, i32) convergent
declare float @llvm.fmuladd.f32(float, float, float)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<2>" "sinter-local-accessors"="16:16,32:16" convergent {
entry:
  %a = load ptr, ptr %block
  %limit = getelementptr i8, ptr %block, i64 8
  %n = load i64, ptr %limit
  %row = call i64 @__sinter_global_id(i32 1)
  %column = call i64 @__sinter_global_id(i32 2)
  %i = call i64 @__sinter_local_id(i32 1)
  %j = call i64 @__sinter_local_id(i32 2)
  %base = call ptr @__sinter_local_base()
  %offset1_at = getelementptr i8, ptr %block, i64 16
  %offset1 = load i64, ptr %offset1_at
  %pitch1_at = getelementptr i8, ptr %block, i64 24
  %pitch1 = load i64, ptr %pitch1_at
  %offset2_at = getelementptr i8, ptr %block, i64 32
  %offset2 = load i64, ptr %offset2_at
  %pitch2_at = getelementptr i8, ptr %block, i64 40
  %pitch2 = load i64, ptr %pitch2_at
  %tile1 = getelementptr i8, ptr %base, i64 %offset1
  %tile2 = getelementptr i8, ptr %base, i64 %offset2
  %i1 = mul i64 %i, %pitch1
  %i2 = mul i64 %i, %pitch2
  %row1 = getelementptr float, ptr %tile1, i64 %i1
  %row2 = getelementptr float, ptr %tile2, i64 %i2
  %cell1 = getelementptr float, ptr %row1, i64 %j
  %cell2 = getelementptr float, ptr %row2, i64 %j
  %column2 = getelementptr float, ptr %tile2, i64 %j
  %line = mul i64 %row, %n
  br label %tiles
tiles:
  %start = phi i64 [ 0, %entry ], [ %start1, %next ]
  %sum = phi float [ 0.0, %entry ], [ %s7, %next ]
  %from = add i64 %line, %start
  %there = add i64 %from, %j
  %p = getelementptr float, ptr %a, i64 %there
  %x = load float, ptr %p
  store float %x, ptr %cell1
  %down = add i64 %start, %i
  %down_n = mul i64 %down, %n
  %other = add i64 %down_n, %column
  %p2 = getelementptr float, ptr %a, i64 %other
  %x2 = load float, ptr %p2
  store float %x2, ptr %cell2
  call void @__sinter_barrier(i32 2, i32 2)
  %pa0 = getelementptr float, ptr %row1, i64 0
  %a0 = load float, ptr %pa0
  %skip0 = mul i64 %pitch2, 0
  %pb0 = getelementptr float, ptr %column2, i64 %skip0
  %b0 = load float, ptr %pb0
  %s0 = call float @llvm.fmuladd.f32(float %a0, float %b0, float %sum)
  %pa1 = getelementptr float, ptr %row1, i64 1
  %a1 = load float, ptr %pa1
  %skip1 = mul i64 %pitch2, 1
  %pb1 = getelementptr float, ptr %column2, i64 %skip1
  %b1 = load float, ptr %pb1
  %s1 = call float @llvm.fmuladd.f32(float %a1, float %b1, float %s0)
  %pa2 = getelementptr float, ptr %row1, i64 2
  %a2 = load float, ptr %pa2
  %skip2 = mul i64 %pitch2, 2
  %pb2 = getelementptr float, ptr %column2, i64 %skip2
  %b2 = load float, ptr %pb2
  %s2 = call float @llvm.fmuladd.f32(float %a2, float %b2, float %s1)
  %pa3 = getelementptr float, ptr %row1, i64 3
  %a3 = load float, ptr %pa3
  %skip3 = mul i64 %pitch2, 3
  %pb3 = getelementptr float, ptr %column2, i64 %skip3
  %b3 = load float, ptr %pb3
  %s3 = call float @llvm.fmuladd.f32(float %a3, float %b3, float %s2)
  %pa4 = getelementptr float, ptr %row1, i64 4
  %a4 = load float, ptr %pa4
  %skip4 = mul i64 %pitch2, 4
  %pb4 = getelementptr float, ptr %column2, i64 %skip4
  %b4 = load float, ptr %pb4
  %s4 = call float @llvm.fmuladd.f32(float %a4, float %b4, float %s3)
  %pa5 = getelementptr float, ptr %row1, i64 5
  %a5 = load float, ptr %pa5
  %skip5 = mul i64 %pitch2, 5
  %pb5 = getelementptr float, ptr %column2, i64 %skip5
  %b5 = load float, ptr %pb5
  %s5 = call float @llvm.fmuladd.f32(float %a5, float %b5, float %s4)
  %pa6 = getelementptr float, ptr %row1, i64 6
  %a6 = load float, ptr %pa6
  %skip6 = mul i64 %pitch2, 6
  %pb6 = getelementptr float, ptr %column2, i64 %skip6
  %b6 = load float, ptr %pb6
  %s6 = call float @llvm.fmuladd.f32(float %a6, float %b6, float %s5)
  %pa7 = getelementptr float, ptr %row1, i64 7
  %a7 = load float, ptr %pa7
  %skip7 = mul i64 %pitch2, 7
  %pb7 = getelementptr float, ptr %column2, i64 %skip7
  %b7 = load float, ptr %pb7
  %s7 = call float @llvm.fmuladd.f32(float %a7, float %b7, float %s6)
  br label %next
next:
  call void @__sinter_barrier(i32 2, i32 2)
  %start1 = add i64 %start, 8
  %again = icmp ult i64 %start1, %n
  br i1 %again, label %tiles, label %done
done:
  %cell = add i64 %line, %column
  %q = getelementptr float, ptr %a, i64 %cell
  store float %s7, ptr %q
  ret void
}

!sinter.groups = !{!0}
!0 = !{!"\01\00\00\00\00\00\00\00\08\00\00\00\00\00\00\00\08\00\00\00\00\00\00\00", !"\00\00\00\00\00\00\00\00\08\00\00\00\00\00\00\00\00\01\00\00\00\00\00\00\08\00\00\00\00\00\00\00"}
