; At the end of optimisation, arrays that are too large for the stack move to the thread's private memory. Small
; arrays stay on the stack, over-aligned arrays keep their alignment, stack lifetime markers are removed, and
; kernel_info has the needed size.
; RUN: %opt -passes=sinter-private-memory %s | FileCheck %s
; RUN: sed 's/8388608 x i8/64 x i8/; s/30000 x i8/20000 x i8/; s/%small = alloca .20000/%small = alloca [12000/' %s | %opt -passes=sinter-private-memory | FileCheck %s --check-prefix=STAYS
; RUN: sed 's/align 8192/align 64/' %s | %opt -passes=sinter-private-memory | FileCheck %s --check-prefix=PAGE
; RUN: sed 's/8388608 x i8/9223372036854775807 x i64/' %s | %opt -passes=sinter-private-memory | FileCheck %s --check-prefix=TOO-MUCH

; The size consists of 30000 bytes at the start, 8 MiB from the next multiple of 8 KiB on, and the bytes that align the
; start.
; CHECK: @sinter_kernel_info = constant { i32, i32, ptr, i64, i64, i64, i64, ptr, ptr } { i32 8, i32 0, ptr @entry, i64 1, i64 2, i64 3, i64 8425472, ptr null, ptr null }
; CHECK-LABEL: define internal void @entry(
; CHECK: [[PLACE:%.*]] = getelementptr inbounds i8, ptr %state, i64 120
; CHECK: [[MEMORY:%.*]] = load ptr, ptr [[PLACE]]
; CHECK: [[ABOVE:%.*]] = getelementptr i8, ptr [[MEMORY]], i64 4096
; CHECK: [[ALIGNED:%.*]] = call ptr @llvm.ptrmask.p0.i64(ptr [[ABOVE]], i64 -8192)
; CHECK-DAG: %huge = getelementptr inbounds i8, ptr [[ALIGNED]], i64 32768
; CHECK-DAG: %large = getelementptr inbounds i8, ptr [[ALIGNED]], i64 0
; CHECK: %small = alloca [20000 x i8]
; CHECK: call void @llvm.lifetime.start.p0(ptr %small)
; CHECK-NOT: call void @llvm.lifetime
; CHECK: call void @use(ptr %small, ptr %large, ptr %huge)

; STAYS: i64 1, i64 2, i64 3, i64 0, ptr null
; STAYS: %huge = alloca [64 x i8]
; STAYS: %large = alloca [20000 x i8]
; STAYS: call void @llvm.lifetime.end

; PAGE: i64 1, i64 2, i64 3, i64 8418624, ptr null
; PAGE-NOT: ptrmask
; PAGE: %huge = getelementptr inbounds i8, ptr %private_memory, i64 30016

; The runtime refuses this size.
; TOO-MUCH: i64 1, i64 2, i64 3, i64 -1, ptr null

declare void @use(ptr, ptr, ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)

@sinter_kernel_info = constant { i32, i32, ptr, i64, i64, i64, i64, ptr, ptr } { i32 8, i32 0, ptr @entry, i64 1, i64 2, i64 3, i64 0, ptr null, ptr null }

define internal void @entry(ptr %blocks, ptr %state, i64 %first, i64 %last) {
  %huge = alloca [8388608 x i8], align 8192
  %large = alloca [30000 x i8], align 16
  %small = alloca [20000 x i8], align 16
  call void @llvm.lifetime.start.p0(ptr %small)
  call void @llvm.lifetime.start.p0(ptr %huge)
  call void @use(ptr %small, ptr %large, ptr %huge)
  call void @llvm.lifetime.end.p0(ptr %huge)
  ret void
}
