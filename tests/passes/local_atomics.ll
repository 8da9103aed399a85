; A group runs on one thread, so atomics on its local memory become plain operations in all parts of the function.
; Volatile atomics are not changed. Atomics on memory that is not, or may not be, local are not changed either.
; RUN: %opt -passes=sinter-work-item-function,sinter-local-atomics %s | FileCheck %s

; Parameter %22 is the base of local memory.
; CHECK-LABEL: define internal i32 @kernel.work_item(
; CHECK: [[CELL:%.*]] = getelementptr i32, ptr %22, i64
; CHECK: [[OLD:%.*]] = load i32, ptr [[CELL]]
; CHECK-NEXT: [[NEW:%.*]] = add i32 [[OLD]], 5
; CHECK-NEXT: store i32 [[NEW]], ptr [[CELL]]
; CHECK: [[SEEN:%.*]] = load i32, ptr [[CELL]]
; CHECK-NEXT: [[SAME:%.*]] = icmp eq i32 [[SEEN]], 1
; CHECK-NEXT: [[PUT:%.*]] = select i1 [[SAME]], i32 2, i32 [[SEEN]]
; CHECK-NEXT: store i32 [[PUT]], ptr [[CELL]]
; CHECK: = load i32, ptr [[CELL]], align 4
; CHECK: store i32 3, ptr [[CELL]], align 4
; CHECK: atomicrmw volatile add ptr [[CELL]], i32 6
; CHECK: atomicrmw add ptr %data, i32 7
; CHECK: atomicrmw add ptr %either, i32 8
; CHECK: [[LANE:%.*]] = extractelement <2 x ptr>
; CHECK: load i32, ptr [[LANE]]
; CHECK-NEXT: add i32 {{.*}}, 9
; CHECK-NEXT: store i32 {{.*}}, ptr [[LANE]]
; CHECK: atomicrmw add ptr %unknown, i32 10

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare ptr @__sinter_local_base()
declare i64 @__sinter_local_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %base = call ptr @__sinter_local_base()
  %id = call i64 @__sinter_local_id(i32 2)
  %cell = getelementptr i32, ptr %base, i64 %id
  %a = atomicrmw add ptr %cell, i32 5 monotonic
  %b = cmpxchg ptr %cell, i32 1, i32 2 acq_rel monotonic
  %c = load atomic i32, ptr %cell acquire, align 4
  store atomic i32 3, ptr %cell release, align 4
  %d = atomicrmw volatile add ptr %cell, i32 6 monotonic
  %e = atomicrmw add ptr %data, i32 7 monotonic
  %odd = trunc i64 %id to i1
  %either = select i1 %odd, ptr %cell, ptr %data
  %f = atomicrmw add ptr %either, i32 8 monotonic
  %cells = getelementptr i32, ptr %base, <2 x i64> <i64 0, i64 1>
  %lane = extractelement <2 x ptr> %cells, i64 %id
  %g = atomicrmw add ptr %lane, i32 9 monotonic
  %unknown.cells = getelementptr i32, ptr %data, <2 x i64> <i64 0, i64 1>
  %unknown = extractelement <2 x ptr> %unknown.cells, i64 %id
  %h = atomicrmw add ptr %unknown, i32 10 monotonic
  ret void
}
