; A group is treated as one row. The code computes the ids of the group's dimensions from the linear id: with
; multiplications, or with shifts if the local range is known to consist of powers of two. If the kernel itself computes
; the linear id, the given linear id replaces this computation.
; RUN: %opt -passes='sinter-work-item-function<sub-group=8>,sinter-flatten-groups' %s | FileCheck %s
; RUN: %opt -passes='sinter-work-item-function<sub-group=8>,sinter-flatten-groups<local=1x8x8>' %s | FileCheck %s --check-prefix=POWERS
; RUN: %opt -passes='sinter-work-item-function<sub-group=8>,sinter-flatten-groups<local=1x5x7>' %s | FileCheck %s --check-prefix=KNOWN

; Argument 6 is the linear id, arguments 27 to 29 are the launch's local range, and 30 and 31 are factors that replace
; divisions.
; CHECK-LABEL: define {{.*}} @kernel.work_item(
; CHECK-DAG: [[NARROW:%.*]] = trunc i64 %6 to i32
; CHECK-DAG: [[WIDE:%.*]] = zext i32 [[NARROW]] to i64
; CHECK-DAG: [[CUT:%.*]] = trunc i64 %31 to i32
; CHECK-DAG: [[FACTOR:%.*]] = zext i32 [[CUT]] to i64
; CHECK: [[PRODUCT:%.*]] = mul i64 [[WIDE]], [[FACTOR]]
; CHECK: [[HIGH:%.*]] = lshr i64 [[PRODUCT]], 30
; CHECK: [[QUOTIENT:%.*]] = trunc i64 [[HIGH]] to i32
; CHECK: [[ROW:%.*]] = trunc i64 %29 to i32
; CHECK: [[WHOLE:%.*]] = mul i32 [[QUOTIENT]], [[ROW]]
; CHECK: [[ID1:%.*]] = zext nneg i32 [[QUOTIENT]] to i64
; CHECK: [[REST:%.*]] = sub i32 {{.*}}, [[WHOLE]]
; CHECK: [[ID2:%.*]] = zext nneg i32 [[REST]] to i64
; The code for the global id of the last dimension:
; CHECK: mul nuw i64 %9, %29
; CHECK: [[GLOBAL:%.*]] = zext nneg i32 {{.*}} to i64
; CHECK: getelementptr i32, ptr {{.*}}, i64 [[GLOBAL]]
; CHECK: getelementptr i32, ptr {{.*}}, i64 %6
; CHECK: store i64 [[ID1]]
; CHECK: store i64 [[ID2]]
; CHECK: store i64 %28
; CHECK: icmp eq i64 %6, 0
; CHECK-NOT: udiv
; CHECK: ret i32

; POWERS-LABEL: define {{.*}} @kernel.work_item({{.*}} range(i64 0, 64) %6,
; POWERS-DAG: [[ID1:%.*]] = lshr i64 %6, 3
; POWERS-DAG: [[ID2:%.*]] = and i64 %6, 7
; POWERS: getelementptr i32, ptr {{.*}}, i64 %6
; POWERS: store i64 [[ID1]]
; POWERS: store i64 [[ID2]]
; POWERS: store i64 8
; POWERS: ret i32

; KNOWN-LABEL: define {{.*}} @kernel.work_item({{.*}} range(i64 0, 35) %6,
; KNOWN: mul i64 {{.*}}, 153391690
; KNOWN: lshr i64 {{.*}}, 30
; KNOWN: mul i32 {{.*}}, 7
; KNOWN-NOT: udiv
; KNOWN: ret i32

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_local_range(i32)
declare i32 @__sinter_sub_group_local_id()

define void @kernel(ptr %block) "sinter-kernel"="nd_range<2>" {
  %data = load ptr, ptr %block
  %global = call i64 @__sinter_global_id(i32 2)
  %id1 = call i64 @__sinter_local_id(i32 1)
  %id2 = call i64 @__sinter_local_id(i32 2)
  %row = call i64 @__sinter_local_range(i32 2)
  %rows = call i64 @__sinter_local_range(i32 1)
  %before = mul i64 %id1, %row
  %linear = add i64 %before, %id2
  %lane = call i32 @__sinter_sub_group_local_id()
  %here = getelementptr i32, ptr %data, i64 %global
  store i32 %lane, ptr %here
  %there = getelementptr i32, ptr %data, i64 %linear
  store i32 %lane, ptr %there
  store i64 %id1, ptr %data
  store i64 %id2, ptr %data
  store i64 %rows, ptr %data
  %negated = sub i64 0, %id2
  %first = icmp eq i64 %before, %negated
  store i1 %first, ptr %data
  ret void
}
