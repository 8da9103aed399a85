; Code for ranges of three dimensions runs row by row. Only the ids of the first row are computed by divisions. For each
; next row, the code counts the ids up, with a carry into the slower dimension. The innermost loop is the same as in
; code for one dimension.
; RUN: %opt -passes=sinter-work-item-function,sinter-cpu-entry %s | FileCheck %s

; CHECK-LABEL: @entry(
; CHECK: start:
; CHECK-NEXT: [[ROW:%.*]] = udiv i64 %2, [[WIDTH:%.*]]
; CHECK-NEXT: [[COLUMN:%.*]] = urem i64 %2, [[WIDTH]]
; CHECK-NEXT: [[FIRST1:%.*]] = urem i64 [[ROW]], [[HEIGHT:%.*]]
; CHECK-NEXT: [[FIRST0:%.*]] = udiv i64 [[ROW]], [[HEIGHT]]
; CHECK-NOT: {{[us](div|rem)}}
; CHECK: row:
; CHECK-NEXT: %at = phi i64 [ %2, %start ], [ [[NEXT:%.*]], %behind ]
; CHECK-NEXT: %column = phi i64 [ [[COLUMN]], %start ], [ 0, %behind ]
; CHECK-NEXT: %id1 = phi i64 [ [[FIRST1]], %start ],
; CHECK-NEXT: %id0 = phi i64 [ [[FIRST0]], %start ],
; CHECK-NEXT: [[LEFT_IN_ROW:%.*]] = sub nuw i64 [[WIDTH]], %column
; CHECK-NEXT: [[LEFT:%.*]] = sub nuw i64 %3, %at
; CHECK-NEXT: [[COUNT:%.*]] = call i64 @llvm.umin.i64(i64 [[LEFT_IN_ROW]], i64 [[LEFT]])
; CHECK-NEXT: [[GLOBAL0:%.*]] = add nuw i64 %global_offset, %id0
; CHECK-NEXT: [[GLOBAL1:%.*]] = add nuw i64 %{{.*}}, %id1
; CHECK: item:
; CHECK-NEXT: [[I:%.*]] = phi i32
; CHECK-NEXT: [[ID:%.*]] = zext nneg i32 [[I]] to i64
; CHECK-NEXT: call i32 @kernel.work_item(ptr %block, i64 [[GLOBAL0]], i64 [[GLOBAL1]], i64 [[ID]], i64 0,
; CHECK: br i1 {{.*}}, label %item, label %behind, !llvm.loop
; CHECK: [[NEXT]] = add nuw i64 %at, [[COUNT]]
; CHECK: [[NEXT1:%.*]] = add nuw i64 %id1, 1
; CHECK: [[WRAPS:%.*]] = icmp eq i64 [[NEXT1]], [[HEIGHT]]
; CHECK: select i1 [[WRAPS]], i64 0, i64 [[NEXT1]]
; CHECK: [[DOWN:%.*]] = add nuw i64 %id0, 1
; CHECK: select i1 [[WRAPS]], i64 [[DOWN]], i64 %id0
; CHECK: icmp ult i64 [[NEXT]], %3

define void @kernel(ptr %block) "sinter-kernel"="range<3>" {
  ret void
}
