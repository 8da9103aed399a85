; With barriers, all work-items of a group run one region, then all work-items run the next region. After a region, the
; entry continues with one of the regions that may follow. If several regions may follow, the region's result says which
; region follows, and 0 means that the group has finished. On request, the entry compares each work-item's next region
; with that of the previous work-item.
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions,sinter-cpu-entry' %s | FileCheck %s
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions,sinter-cpu-entry<check-barriers>' %s \
; RUN:   | FileCheck %s --check-prefix=REPORT

; CHECK-LABEL: @entry(
; CHECK-NOT: divergent
; CHECK: group:
; CHECK: br label %[[FIRST:.*]]
; CHECK: [[FIRST]]:
; CHECK: call i32 @kernel.work_item.region0(
; CHECK-NOT: switch
; CHECK: br label %[[SECOND:.*]], !llvm.loop
; CHECK: [[SECOND]]:
; CHECK: call i32 @kernel.work_item.region1(
; CHECK: [[STOP:%.*]] = load i32, ptr %next
; CHECK-NEXT: switch i32 [[STOP]], label %impossible [
; CHECK-NEXT: i32 0, label %group_done
; CHECK-NEXT: i32 1, label %[[SECOND]]
; CHECK-NEXT: ]
; CHECK: group_done:

; REPORT: [[STOP:%.*]] = call i32 @kernel.work_item.region0({{.*}}, i64 [[ITEM:%[0-9]+]], i64 %{{[0-9]+}}, ptr %scratch,
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
  %rounds = load i32, ptr %data
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  store i32 %i, ptr %data
  call void @__sinter_barrier(i32 2, i32 2)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %rounds
  br i1 %more, label %loop, label %done
done:
  ret void
}
