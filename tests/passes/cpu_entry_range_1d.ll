; A one-dimensional range is one counted loop without divisions, declared parallel for the work-item's access group. The
; loop's counter is the global id itself. The counter has 32 bits with narrow ids and 64 bits with wide ids. Queries
; with only one possible answer become constants.
; RUN: %opt -passes=sinter-work-item-function,sinter-cpu-entry %s | FileCheck %s --check-prefixes=CHECK,NARROW
; RUN: %opt -passes='sinter-work-item-function,sinter-cpu-entry<wide>' %s | FileCheck %s --check-prefixes=CHECK,WIDE

; CHECK: define{{.*}} void @entry(ptr noalias readonly %0, ptr noalias readonly %1, i64 %2, i64 %3)
; CHECK-NOT: {{[us](div|rem)}}
; CHECK: %block = load ptr, ptr {{%.*}}, align 8, !invariant.load
; CHECK: [[FROM:%.*]] = add nuw i64 %global_offset, %2
; CHECK: [[TO:%.*]] = add nuw i64 %global_offset, %3
; CHECK: [[ANY:%.*]] = icmp ult i64 [[FROM]], [[TO]]
; NARROW: [[FROM32:%.*]] = trunc i64 [[FROM]] to i32
; NARROW: [[TO32:%.*]] = trunc i64 [[TO]] to i32
; CHECK: br i1 [[ANY]], label %item, label %behind
; CHECK: item:
; NARROW-NEXT: [[I:%.*]] = phi i32 [ [[FROM32]], %entry ], [ [[NEXT:%.*]], %item ]
; NARROW-NEXT: [[ID:%.*]] = zext nneg i32 [[I]] to i64
; NARROW-NEXT: call i32 @kernel.work_item(ptr %block, i64 0, i64 0, i64 [[ID]], i64 0,
; NARROW-NEXT: [[NEXT]] = add nuw nsw i32 [[I]], 1
; NARROW-NEXT: [[MORE:%.*]] = icmp ult i32 [[NEXT]], [[TO32]]
; WIDE-NEXT: [[I:%.*]] = phi i64 [ [[FROM]], %entry ], [ [[NEXT:%.*]], %item ]
; WIDE-NEXT: call i32 @kernel.work_item(ptr %block, i64 0, i64 0, i64 [[I]], i64 0,
; WIDE-NEXT: [[NEXT]] = add nuw nsw i64 [[I]], 1
; WIDE-NEXT: [[MORE:%.*]] = icmp ult i64 [[NEXT]], [[TO]]
; CHECK-NEXT: br i1 [[MORE]], label %item, label %behind, !llvm.loop ![[LOOP:[0-9]+]]
; CHECK: behind:
; CHECK-NEXT: ret void

; CHECK: !sinter.access_group = !{![[GROUP:[0-9]+]]}
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[PARALLEL:[0-9]+]], !{{[0-9]+}}}
; CHECK: ![[PARALLEL]] = !{!"llvm.loop.parallel_accesses", ![[GROUP]]}

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr i32, ptr %data, i64 %id
  store i32 1, ptr %cell
  ret void
}
