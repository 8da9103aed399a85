; A kernel over groups without barriers: the code divides once per group. Three loops over local ids follow,
; the innermost of which is parallel and has a 32-bit counter. The position in the group (%24) increases along
; the rows.
; RUN: %opt -passes='sinter-work-item-function,sinter-cpu-entry,function(instsimplify)' %s | FileCheck %s

; CHECK-LABEL: @entry(
; CHECK: [[PLANE:%.*]] = mul nuw i64 {{%.*}}, [[RANGE1:%.*]]
; CHECK: [[ITEMS:%.*]] = mul nuw i64 [[PLANE]], [[RANGE2:%.*]]
; CHECK: group:
; CHECK-NEXT: [[GROUP:%.*]] = phi i64 [ %2, %entry ]
; CHECK-COUNT-2: {{urem|udiv}} i64 [[GROUP]],
; CHECK: local0:
; CHECK-NEXT: [[LOCAL0:%.*]] = phi i64
; CHECK-NOT: {{[us](div|rem)}}
; CHECK: local1:
; CHECK-NEXT: [[LOCAL1:%.*]] = phi i64
; CHECK: [[ROWS:%.*]] = mul nuw i64 [[LOCAL0]], [[RANGE1]]
; CHECK: [[ROW:%.*]] = add nuw i64 [[ROWS]], [[LOCAL1]]
; CHECK: [[LINE:%.*]] = mul nuw i64 [[ROW]], [[RANGE2]]
; CHECK: local2:
; CHECK-NEXT: [[I:%.*]] = phi i32
; CHECK-NEXT: [[LOCAL2:%.*]] = zext nneg i32 [[I]] to i64
; CHECK: [[SUM:%.*]] = add nuw nsw i32
; CHECK: [[GLOBAL2:%.*]] = zext nneg i32 [[SUM]] to i64
; CHECK: [[ITEM:%.*]] = add nuw i64 [[LINE]], [[LOCAL2]]
; CHECK: call i32 @kernel.work_item(ptr %block, i64 {{%.*}}, i64 {{%.*}}, i64 [[GLOBAL2]],
; CHECK-SAME: i64 [[LOCAL0]], i64 [[LOCAL1]], i64 [[LOCAL2]],
; CHECK-SAME: ptr %local_memory, ptr %context, i64 [[ITEM]], i64 [[ITEMS]], ptr %scratch,
; CHECK: br i1 {{.*}}, label %local2, label %{{.*}}, !llvm.loop

define void @kernel(ptr %block) "sinter-kernel"="nd_range<3>" {
  ret void
}
