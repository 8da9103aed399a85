; Members run in the order of the list, each with its own argument block, even if a kernel occurs twice. The
; fused kernel has barriers only where the list of barriers says so. Members with the fused range keep their
; queries of ids and ranges.
; RUN: %opt -passes=sinter-fuse-kernels %s | FileCheck %s

; CHECK-LABEL: define void @fused(ptr %0)
; CHECK-NEXT: entry:
; CHECK-NEXT: [[AT0:%.*]] = getelementptr inbounds ptr, ptr %0, i64 0
; CHECK-NEXT: [[BLOCK0:%.*]] = load ptr, ptr [[AT0]], align 8, !invariant.load
; CHECK-NEXT: [[AT1:%.*]] = getelementptr inbounds ptr, ptr %0, i64 1
; CHECK-NEXT: [[BLOCK1:%.*]] = load ptr, ptr [[AT1]], align 8, !invariant.load
; CHECK-NEXT: [[AT2:%.*]] = getelementptr inbounds ptr, ptr %0, i64 2
; CHECK-NEXT: [[BLOCK2:%.*]] = load ptr, ptr [[AT2]], align 8, !invariant.load
; CHECK-NEXT: [[TO0:%.*]] = load ptr, ptr [[BLOCK0]]
; CHECK-NEXT: [[I0:%.*]] = call i64 @__sinter_global_id(i32 2)
; CHECK-NEXT: [[OUT0:%.*]] = getelementptr float, ptr [[TO0]], i64 [[I0]]
; CHECK-NEXT: store float 1.0{{.*}}, ptr [[OUT0]]
; CHECK-NEXT: [[FROM1:%.*]] = load ptr, ptr [[BLOCK1]]
; CHECK-NEXT: [[TO_AT1:%.*]] = getelementptr i8, ptr [[BLOCK1]], i64 40
; CHECK-NEXT: [[TO1:%.*]] = load ptr, ptr [[TO_AT1]]
; CHECK-NOT: __sinter_barrier
; CHECK: [[X1:%.*]] = load float
; CHECK: store float [[X1]]
; CHECK-NEXT: call void @__sinter_barrier(i32 2, i32 2) #[[CONVERGENT:[0-9]+]]
; CHECK-NEXT: [[TO2:%.*]] = load ptr, ptr [[BLOCK2]]
; CHECK: store float 1.0
; CHECK-NEXT: ret void
; CHECK: attributes #[[CONVERGENT]] = { convergent }

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)

define void @first(ptr %block) {
  %to = load ptr, ptr %block
  %i = call i64 @__sinter_global_id(i32 2)
  %at = getelementptr float, ptr %to, i64 %i
  store float 1.0, ptr %at
  ret void
}

define void @second(ptr %block) {
  %from = load ptr, ptr %block
  %to_at = getelementptr i8, ptr %block, i64 40
  %to = load ptr, ptr %to_at
  %i = call i64 @__sinter_global_id(i32 2)
  %in = getelementptr float, ptr %from, i64 %i
  %x = load float, ptr %in
  %out = getelementptr float, ptr %to, i64 %i
  store float %x, ptr %out
  ret void
}

declare !sycl.kernel.fused !0 !sycl.kernel.nd-range !1 !sycl.kernel.nd-ranges !2 !sinter.kernel.barriers !3 void @fused(ptr)

!0 = !{!"first", !"second", !"first"}
!1 = !{i64 1, !{i64 1, i64 1, i64 64}, !{i64 1, i64 1, i64 16}, !{i64 0, i64 0, i64 0}}
!2 = !{!1, !1, !1}
!3 = !{i64 2}
