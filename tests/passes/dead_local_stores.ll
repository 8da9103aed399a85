; If nothing reads a part of local memory, the pass removes the stores to this part, and the code that only these stores
; need. The pass keeps a store that overlaps a read. If the reads are unknown, it keeps all stores. It also keeps stores
; to the context.
; RUN: %opt -passes=sinter-dead-local-stores %s | FileCheck %s

; CHECK-LABEL: @known(
; CHECK-NOT: fmul
; CHECK: store <4 x float> %value, ptr %row
; CHECK-NOT: store
; CHECK: load float
; CHECK: store <4 x float> %value, ptr %any_row
; CHECK-NEXT: store <4 x float> %value, ptr %context
; CHECK-NEXT: ret void
define void @known(ptr noalias %blocks, ptr noalias %state, i64 %first, i64 %last, <4 x float> %value) "sinter-blocked" {
  %local_at = getelementptr i8, ptr %state, i64 96
  %local = load ptr, ptr %local_at
  %context_at = getelementptr i8, ptr %state, i64 104
  %context = load ptr, ptr %context_at
  %row = getelementptr i8, ptr %local, i64 16
  %any_row = getelementptr i8, ptr %local, i64 %first
  %twice = fmul <4 x float> %value, %value
  store <4 x float> %twice, ptr %local
  store <4 x float> %value, ptr %row
  %behind = getelementptr i8, ptr %row, i64 16
  store <4 x float> %value, ptr %behind
  %cell = getelementptr i8, ptr %row, i64 12
  %read = load float, ptr %cell
  store <4 x float> %value, ptr %any_row
  store <4 x float> %value, ptr %context
  ret void
}

; CHECK-LABEL: @volatile(
; CHECK: store <4 x float> %value, ptr %row
define void @volatile(ptr noalias %blocks, ptr noalias %state, i64 %first, i64 %last, <4 x float> %value) "sinter-blocked" {
  %local_at = getelementptr i8, ptr %state, i64 96
  %local = load ptr, ptr %local_at
  %row = getelementptr i8, ptr %local, i64 16
  store <4 x float> %value, ptr %row
  store volatile i32 0, ptr %local
  ret void
}

; CHECK-LABEL: @reads_anywhere(
; CHECK: store <4 x float> %value, ptr %row
define void @reads_anywhere(ptr noalias %blocks, ptr noalias %state, i64 %first, i64 %last, <4 x float> %value) "sinter-blocked" {
  %local_at = getelementptr i8, ptr %state, i64 96
  %local = load ptr, ptr %local_at
  %row = getelementptr i8, ptr %local, i64 16
  store <4 x float> %value, ptr %row
  %any = getelementptr i8, ptr %local, i64 %first
  %read = load float, ptr %any
  ret void
}

; Code of the kernel for other launches does not read the local memory of this code. A repeated store runs after
; the loop, not in it.

; CHECK-LABEL: @forms(
; CHECK: vectors:
; CHECK-NOT: store
; CHECK: rows:
; CHECK: store float 2.000000e+00, ptr %cell
; CHECK: scalar:
; CHECK: store float 3.000000e+00, ptr %local
define void @forms(ptr noalias %blocks, ptr noalias %state, i64 %first, i64 %last, <4 x float> %value) "sinter-blocked" {
entry:
  %local_at = getelementptr i8, ptr %state, i64 96
  %local = load ptr, ptr %local_at
  %cell = getelementptr i8, ptr %local, i64 16
  switch i64 %first, label %vectors [ i64 0, label %rows
                                      i64 1, label %scalar ]
vectors:
  store <4 x float> %value, ptr %local
  br label %done
rows:
  %row = phi i64 [ 0, %entry ], [ %next, %rows ]
  %at = phi ptr [ %local, %entry ], [ %then, %rows ]
  %read = load float, ptr %at
  store float 2.0, ptr %cell
  store float %read, ptr %blocks
  %then = getelementptr i8, ptr %at, i64 4
  %next = add i64 %row, 1
  %more = icmp ult i64 %next, %last
  br i1 %more, label %rows, label %done
scalar:
  store float 3.0, ptr %local
  %lanes = getelementptr i8, ptr %local, i64 %last
  %masked = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %lanes, <4 x i1> splat (i1 true), <4 x float> zeroinitializer)
  store <4 x float> %masked, ptr %blocks
  br label %done
done:
  ret void
}

; CHECK-LABEL: @goes_elsewhere(
; CHECK: store <4 x float> %value, ptr %row
define void @goes_elsewhere(ptr noalias %blocks, ptr noalias %state, i64 %first, i64 %last, <4 x float> %value) "sinter-blocked" {
  %local_at = getelementptr i8, ptr %state, i64 96
  %local = load ptr, ptr %local_at
  %row = getelementptr i8, ptr %local, i64 16
  store <4 x float> %value, ptr %row
  store ptr %local, ptr %blocks
  ret void
}

; CHECK-LABEL: @called(
; CHECK: store <4 x float> %value, ptr %row
define void @called(ptr noalias %blocks, ptr noalias %state, i64 %first, i64 %last, <4 x float> %value) "sinter-blocked" {
  %local_at = getelementptr i8, ptr %state, i64 96
  %local = load ptr, ptr %local_at
  %row = getelementptr i8, ptr %local, i64 16
  store <4 x float> %value, ptr %row
  call void @take(ptr %local)
  ret void
}

; CHECK-LABEL: @hidden_state(
; CHECK: store <4 x float> %value, ptr %row
define void @hidden_state(ptr noalias %blocks, ptr noalias %state, i64 %first, i64 %last, <4 x float> %value) "sinter-blocked" {
  %local_at = getelementptr i8, ptr %state, i64 96
  %local = load ptr, ptr %local_at
  %row = getelementptr i8, ptr %local, i64 16
  store <4 x float> %value, ptr %row
  call void @take(ptr %state)
  ret void
}

declare void @take(ptr)

; If there are too many regions for one function, they stay separate functions, and the store stays. The next region
; reads values that this region stores.
; CHECK-LABEL: @region(
; CHECK: store <4 x float> %value, ptr %row
define internal void @region(ptr noalias %blocks, ptr noalias %state, <4 x float> %value) "sinter-blocked" {
  %local_at = getelementptr i8, ptr %state, i64 96
  %local = load ptr, ptr %local_at
  %row = getelementptr i8, ptr %local, i64 16
  store <4 x float> %value, ptr %row
  ret void
}

; CHECK-LABEL: @calls(
define void @calls(ptr noalias %blocks, ptr noalias %state, i64 %first, i64 %last, <4 x float> %value) "sinter-blocked" {
  call void @region(ptr %blocks, ptr %state, <4 x float> %value)
  %local_at = getelementptr i8, ptr %state, i64 96
  %local = load ptr, ptr %local_at
  %row = getelementptr i8, ptr %local, i64 16
  %read = load float, ptr %row
  store float %read, ptr %blocks
  ret void
}
