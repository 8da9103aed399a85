; On CPUs with AMX, products of bfloat16 and of bytes use AMX. Tiles are loaded from memory, sums stay in tile
; registers across the loop, and the last work-item stores them. Code for CPUs without AMX has no tiles.
; RUN: SINTER_CPU=sapphirerapids %opt -passes='sinter-matrices<sub-group=16>,verify' %s | FileCheck %s --implicit-check-not='call{{.*}}__sinter_matrix'
; RUN: SINTER_CPU=sapphirerapids %opt -passes='sinter-lower-cpu<lanes=0;sub-group=16>,sinter-machine-calls,verify' %s \
; RUN:   | llc -mtriple=x86_64-linux-gnu | FileCheck %s --check-prefix=CODE
; RUN: sed 's/;meets//' %s | SINTER_CPU=sapphirerapids %opt -passes='sinter-matrices<sub-group=16>,verify' \
; RUN:   | FileCheck %s --check-prefix=LANES
; RUN: sed 's/;again//' %s | SINTER_CPU=sapphirerapids %opt -passes='sinter-matrices<sub-group=16>,verify' \
; RUN:   | FileCheck %s --check-prefix=LANES
; RUN: SINTER_CPU=znver4 %opt -passes='sinter-matrices<sub-group=16>,verify' %s | FileCheck %s --check-prefix=LANES

; 16 x 32 times 32 x 16 of bf16. b is in the packed layout, or in rows.
; CHECK-LABEL: @kernel(
; CHECK: [[SUM:%.*]] = phi i8192 [ 0, %{{.*}} ], [ [[NEXT:%.*]], %{{.*}} ]
; CHECK: [[A:%.*]] = call i8192 @__sinter_tile_load(ptr %{{.*}}, i64 %{{.*}})
; CHECK: [[B:%.*]] = call i8192 @__sinter_tile_load(ptr %{{.*}}, i64 %{{.*}})
; CHECK: [[FIRST:%.*]] = call i8192 @__sinter_tile_sum_bf16(i8192 [[SUM]], i8192 [[A]], i8192 [[B]])
; CHECK: [[ROWS:%.*]] = call i8192 @__sinter_tile_pack(ptr %{{.*}}, i64 %{{.*}}, i32 2)
; CHECK: call i8192 @__sinter_tile_sum_bf16(i8192 [[FIRST]], i8192 {{.*}}, i8192 [[ROWS]])
; CHECK: call i32 @__sinter_sub_group_local_id()
; CHECK: call i32 @__sinter_sub_group_local_range()
; CHECK: call void @__sinter_tile_store(

; CODE: ldtilecfg
; CODE: tilezero
; CODE: tileloadd
; CODE: tdpbf16ps
; CODE-NOT: tilestored
; CODE: tdpbf16ps
; CODE: tilestored
; CODE: tilerelease

; LANES-LABEL: @kernel(
; LANES-NOT: __sinter_tile

declare void @__sinter_matrix_load(ptr, i32, ptr, i64, i32) convergent nounwind memory(argmem: readwrite)
declare void @__sinter_matrix_store(ptr, i32, ptr, i64, i32) convergent nounwind memory(argmem: readwrite)
declare void @__sinter_matrix_multiply(ptr, i32, ptr, i32, ptr, i32, ptr, i32) convergent nounwind memory(argmem: readwrite)
declare i32 @__sinter_matrix_length(i32) nounwind memory(none)
declare void @__sinter_barrier(i32, i32) convergent nounwind

; bf16 is element 1, f32 is element 2. a is use 0, b is use 1, accumulators are use 2 with layout 3, and the packed
; layout is 2.
define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %a = alloca [64 x i16]
  %b = alloca [64 x i16]
  %c = alloca [32 x float]
  %from = load ptr, ptr %block
  %size_at = getelementptr i8, ptr %block, i64 8
  %size = load i64, ptr %size_at
  %to_at = getelementptr i8, ptr %block, i64 16
  %to = load ptr, ptr %to_at
  %length = call i32 @__sinter_matrix_length(i32 67177986)
  br label %fill

fill:
  %i = phi i32 [ 0, %entry ], [ %i_next, %each ]
  %more = icmp ult i32 %i, %length
  br i1 %more, label %each, label %loop

each:
  %place = zext nneg i32 %i to i64
  %element = getelementptr float, ptr %c, i64 %place
  store float 0.0, ptr %element
  %i_next = add nuw i32 %i, 1
  br label %fill

loop:
  %k = phi i64 [ 0, %fill ], [ %k_next, %loop ]
  %left = getelementptr i16, ptr %from, i64 %k
  call void @__sinter_matrix_load(ptr %a, i32 134283265, ptr %left, i64 %size, i32 0)
  call void @__sinter_matrix_load(ptr %b, i32 67242241, ptr %from, i64 %size, i32 2)
  call void @__sinter_matrix_multiply(ptr %c, i32 67177986, ptr %a, i32 134283265, ptr %b, i32 67242241, ptr %c, i32 67177986)
  call void @__sinter_matrix_load(ptr %b, i32 67240193, ptr %from, i64 %size, i32 0)
  call void @__sinter_matrix_multiply(ptr %c, i32 67177986, ptr %a, i32 134283265, ptr %b, i32 67240193, ptr %c, i32 67177986)
  ;meets  call void @__sinter_barrier(i32 2, i32 2)
  ;again  call void @__sinter_matrix_store(ptr %c, i32 67177986, ptr %to, i64 %size, i32 0)
  %k_next = add nuw i64 %k, 32
  %more_k = icmp ult i64 %k_next, %size
  br i1 %more_k, label %loop, label %end

end:
  call void @__sinter_matrix_store(ptr %c, i32 67177986, ptr %to, i64 %size, i32 0)
  ret void
}
