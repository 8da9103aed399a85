; A matrix product of a sub-group, on a device without matrix units. Each work-item keeps columns of b and of the sum as
; values. Matrix a was loaded just before the product. So each work-item reads elements of a from memory again, one at a
; time. Vector instructions can use such elements as memory operands. Without the pass, code generation would find an
; unknown function __sinter_matrix_multiply.
; RUN: %opt -passes='sinter-matrices<sub-group=8>,verify' %s | FileCheck %s --implicit-check-not='call{{.*}}__sinter_matrix'
; RUN: sed 's/;between//' %s | %opt -passes='sinter-matrices<sub-group=8>,verify' \
; RUN:   | FileCheck %s --check-prefix=BETWEEN --implicit-check-not='call{{.*}}__sinter_matrix'

; a is 2 x 3, b is 3 x 8, c is 2 x 8. In the numbers below, f32 is element 2, a is use 0, b is use 1, and accumulators
; are use 2 with layout 3.
; CHECK-LABEL: @kernel(
; CHECK-NOT: alloca
; CHECK-NOT: __sinter_sub_group_shuffle
; CHECK-COUNT-6: call float @llvm.fmuladd.f32(
; CHECK-NOT: fmuladd
; CHECK-COUNT-2: store float

; BETWEEN: call i32 @__sinter_sub_group_shuffle_32(i32 {{%.*}}, i32 0)
; BETWEEN-COUNT-5: call i32 @__sinter_sub_group_shuffle_32(
; BETWEEN-NOT: call {{.*}}__sinter_sub_group_shuffle

declare void @__sinter_matrix_load(ptr, i32, ptr, i64, i32) convergent nounwind memory(argmem: readwrite)
declare void @__sinter_matrix_store(ptr, i32, ptr, i64, i32) convergent nounwind memory(argmem: readwrite)
declare void @__sinter_matrix_multiply(ptr, i32, ptr, i32, ptr, i32, ptr, i32) convergent nounwind memory(argmem: readwrite)
declare i32 @__sinter_matrix_length(i32) nounwind memory(none)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %left = alloca [16 x float]
  %right = alloca [16 x float]
  %sum = alloca [16 x float]
  %from = load ptr, ptr %block
  %length = call i32 @__sinter_matrix_length(i32 33566210)
  br label %fill

; A fill in the form in which the headers write it.
fill:
  %i = phi i32 [ 0, %entry ], [ %next, %fill ]
  %place = zext nneg i32 %i to i64
  %element = getelementptr float, ptr %sum, i64 %place
  store float 1.0, ptr %element
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %length
  br i1 %more, label %fill, label %multiply

multiply:
  call void @__sinter_matrix_load(ptr %left, i32 12591106, ptr %from, i64 100, i32 0)
  ;between  store i32 1, ptr %from
  call void @__sinter_matrix_load(ptr %right, i32 33566978, ptr %from, i64 200, i32 0)
  call void @__sinter_matrix_multiply(ptr %sum, i32 33566210, ptr %left, i32 12591106, ptr %right, i32 33566978, ptr %sum, i32 33566210)
  call void @__sinter_matrix_store(ptr %sum, i32 33566210, ptr %from, i64 300, i32 0)
  ret void
}
