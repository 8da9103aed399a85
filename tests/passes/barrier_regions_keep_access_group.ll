; Accesses in the regions keep their access group, because the new loops around the regions are declared parallel for
; this group.
; RUN: %opt -passes=sinter-work-item-function,sinter-barrier-regions,sinter-cpu-entry %s | FileCheck %s

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK: store i32 1, ptr {{.*}}, !llvm.access.group ![[GROUP:[0-9]+]]
; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK: store i32 2, ptr {{.*}}, !llvm.access.group ![[GROUP]]
; CHECK: !{!"llvm.loop.parallel_accesses", ![[GROUP]]}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  store i32 1, ptr %data
  call void @__sinter_barrier(i32 2, i32 2)
  store i32 2, ptr %data
  ret void
}
