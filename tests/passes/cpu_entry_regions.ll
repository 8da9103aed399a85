; With barriers a group runs all its work-items through one region after another. The number that the regions return
; says which one follows, 0 that the group is done. On request each work-item's number is compared with the one before.
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions,sinter-cpu-entry' %s | FileCheck %s
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions,sinter-cpu-entry<check-barriers>' %s \
; RUN:   | FileCheck %s --check-prefix=REPORT

; CHECK-LABEL: @entry(
; CHECK-NOT: divergent
; CHECK: choose:
; CHECK-NEXT: %region = phi i32 [ 0, %group ], [ %next[[N:.*]], %stopped ]
; CHECK-NEXT: switch i32 %region, label %impossible [
; CHECK-NEXT: i32 0, label %[[FIRST:.*]]
; CHECK-NEXT: i32 1, label %[[SECOND:.*]]
; CHECK-NEXT: ]
; CHECK: stopped:
; CHECK-NEXT: %next[[N]] = phi i32
; CHECK-NEXT: [[DONE:%.*]] = icmp eq i32 %next[[N]], 0
; CHECK-NEXT: br i1 [[DONE]], label %group_done, label %choose
; CHECK: impossible:
; CHECK-NEXT: unreachable
; CHECK: [[FIRST]]:
; CHECK: [[A:%.*]] = call i32 @kernel.work_item.region0(
; CHECK-NEXT: store i32 [[A]], ptr %next
; CHECK: [[SECOND]]:
; CHECK: [[B:%.*]] = call i32 @kernel.work_item.region1(
; CHECK-NEXT: store i32 [[B]], ptr %next

; REPORT: [[STOP:%.*]] = call i32 @kernel.work_item.region0({{.*}}, i64 [[ITEM:%[0-9]+]], i64 %{{[0-9]+}}, ptr %scratch)
; REPORT: [[BEFORE:%.*]] = load i32, ptr %next
; REPORT: [[OTHERS:%.*]] = icmp ne i64 [[ITEM]], 0
; REPORT: [[DIFFERS:%.*]] = icmp ne i32 [[STOP]], [[BEFORE]]
; REPORT: [[BAD:%.*]] = and i1 [[OTHERS]], [[DIFFERS]]
; REPORT: br i1 [[BAD]], label %divergent, label %convergent
; REPORT: divergent:
; REPORT-NEXT: call void @sinter.divergent_barrier()
; REPORT-NEXT: unreachable

declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  store i32 1, ptr %data
  call void @__sinter_barrier(i32 2, i32 2)
  store i32 2, ptr %data
  ret void
}
