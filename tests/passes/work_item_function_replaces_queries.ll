; Every query becomes a parameter, in SYCL's order, padded to three dimensions. %0 is the block. Three parameters follow
; for each of these queries, beginning with the parameter in parentheses: global id (%1), local id (%4), group id (%7),
; global range (%10), local range (%13), group range (%16) and global offset (%19). %22 is local memory, %26 the scratch
; memory of group algorithms. If a query's dimension is known only at run time, two selects choose the parameter. The
; kernel function itself is removed.
; RUN: %opt -passes=sinter-work-item-function %s \
; RUN:   | FileCheck %s --implicit-check-not='@kernel(' --implicit-check-not='call'

; CHECK: define internal i32 @kernel.work_item(ptr {{.*}}%0, i64 %1, {{.*}}%22, ptr {{.*}}%23, i64 %24, i64 %25, ptr {{.*}}%26, i64 %27, i64 %28, i64 %29, i64 %30, i64 %31)
; CHECK: store volatile i64 %1,
; CHECK: store volatile i64 %3,
; CHECK: store volatile i64 %5,
; CHECK: store volatile i64 %9,
; CHECK: store volatile i64 %12,
; CHECK: store volatile i64 %15,
; CHECK: store volatile i64 %18,
; CHECK: store volatile i64 %21,
; CHECK: getelementptr i8, ptr %22, i64 256
; CHECK: getelementptr i8, ptr %26, i64 8
; CHECK: [[IS0:%.*]] = icmp eq i32 %d, 0
; CHECK: [[LOW:%.*]] = select i1 [[IS0]], i64 %1, i64 %2
; CHECK: [[IS2:%.*]] = icmp eq i32 %d, 2
; CHECK: [[ID:%.*]] = select i1 [[IS2]], i64 %3, i64 [[LOW]]
; CHECK: store volatile i64 [[ID]],
; CHECK: ret i32 0

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_group_id(i32)
declare i64 @__sinter_global_range(i32)
declare i64 @__sinter_local_range(i32)
declare i64 @__sinter_group_range(i32)
declare i64 @__sinter_global_offset(i32)
declare ptr @__sinter_local_base()
declare ptr @__sinter_group_scratch(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<3>" {
  %out = load ptr, ptr %block
  %global0 = tail call i64 @__sinter_global_id(i32 0)
  store volatile i64 %global0, ptr %out
  %global2 = tail call i64 @__sinter_global_id(i32 2)
  store volatile i64 %global2, ptr %out
  %local1 = tail call i64 @__sinter_local_id(i32 1)
  store volatile i64 %local1, ptr %out
  %group2 = tail call i64 @__sinter_group_id(i32 2)
  store volatile i64 %group2, ptr %out
  %range2 = tail call i64 @__sinter_global_range(i32 2)
  store volatile i64 %range2, ptr %out
  %local_range2 = tail call i64 @__sinter_local_range(i32 2)
  store volatile i64 %local_range2, ptr %out
  %group_range2 = tail call i64 @__sinter_group_range(i32 2)
  store volatile i64 %group_range2, ptr %out
  %offset2 = tail call i64 @__sinter_global_offset(i32 2)
  store volatile i64 %offset2, ptr %out
  %tile = tail call ptr @__sinter_local_base()
  %cell = getelementptr i8, ptr %tile, i64 256
  store volatile ptr %cell, ptr %out
  %scratch = tail call ptr @__sinter_group_scratch(i32 16)
  %mine = getelementptr i8, ptr %scratch, i64 8
  store volatile ptr %mine, ptr %out
  %d_at = getelementptr i8, ptr %block, i64 8
  %d = load i32, ptr %d_at
  %any = tail call i64 @__sinter_global_id(i32 %d)
  store volatile i64 %any, ptr %out
  ret void
}
