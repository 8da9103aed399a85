; A smaller member with the same group size: global and local ids stay. Queries of ranges return the member's own
; ranges. This includes queries in a device function, which the pass inlines before it replaces queries.
; RUN: %opt -passes=sinter-fuse-kernels %s | FileCheck %s

; CHECK-LABEL: define void @fused(ptr %0)
; CHECK: icmp ult i64 {{.*}}, 20
; CHECK: [[I:%.*]] = call i64 @__sinter_global_id(i32 2)
; CHECK-NEXT: [[GROUP:%.*]] = call i64 @__sinter_group_id(i32 2)
; CHECK-NEXT: [[LOCAL:%.*]] = call i64 @__sinter_local_id(i32 2)
; CHECK-NEXT: call void @use(i64 [[I]], i64 [[GROUP]], i64 [[LOCAL]])
; CHECK-NEXT: call void @use(i64 20, i64 4, i64 5)
; CHECK: ret void

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_group_id(i32)
declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_global_range(i32)
declare i64 @__sinter_group_range(i32)
declare i64 @__sinter_local_range(i32)
declare void @use(i64, i64, i64)

define void @large(ptr %block) {
  ret void
}
define internal void @ranges() noinline {
  %n = call i64 @__sinter_global_range(i32 2)
  %groups = call i64 @__sinter_group_range(i32 2)
  %size = call i64 @__sinter_local_range(i32 2)
  call void @use(i64 %n, i64 %groups, i64 %size)
  ret void
}
define void @small(ptr %block) {
  %i = call i64 @__sinter_global_id(i32 2)
  %group = call i64 @__sinter_group_id(i32 2)
  %local = call i64 @__sinter_local_id(i32 2)
  call void @use(i64 %i, i64 %group, i64 %local)
  call void @ranges()
  ret void
}

declare !sycl.kernel.fused !0 !sycl.kernel.nd-range !1 !sycl.kernel.nd-ranges !2 void @fused(ptr)

!0 = !{!"large", !"small"}
!1 = !{i64 1, !{i64 1, i64 1, i64 40}, !4, !5}
!2 = !{!1, !{i64 1, !{i64 1, i64 1, i64 20}, !4, !5}}
!4 = !{i64 1, i64 1, i64 5}
!5 = !{i64 0, i64 0, i64 0}
