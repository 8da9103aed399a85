; A stencil with unsigned indices. A launch is usual if no index wraps. In usual launches, the indices are treated like
; `int` indices, so neighbouring work-items access consecutive memory. A function tests whether a launch is usual.
; RUN: %opt -passes='sinter-lower-cpu<lanes=4>' %s | FileCheck %s
; If ids may have more than 32 bits, nothing is known about the indices.
; RUN: %opt -passes='sinter-lower-cpu<lanes=4;wide>' %s | FileCheck %s --check-prefix=NONE
; If a number is read while the kernel runs, nothing is known about the indices either.
; RUN: sed 's/%n = load i32, ptr %block/%n = load i32, ptr %data/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE
; An id of another dimension is the same for all lanes, whether it wraps or not, so no second form is needed.
; RUN: sed 's/global_id(i32 2)/global_id(i32 0)/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE

; CHECK: define internal i1 @kernel.work_item.{{[0-9]+}}.is_usual(ptr %0, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9)
; The smallest id is the offset. Behind the branch, the smallest id is at least 1.
; CHECK: [[END:%.*]] = add i64 %5, %2
; CHECK: [[LAST:%.*]] = sub i64 [[END]], 1
; CHECK: [[ZERO:%.*]] = icmp eq i64 %5, 0
; CHECK: [[NEXT:%.*]] = add i64 %5, 1
; CHECK: [[RAISED:%.*]] = call i64 @llvm.smax.i64(i64 %5, i64 [[NEXT]])
; CHECK: [[FIRST:%.*]] = select i1 {{%.*}}, i64 [[RAISED]], i64 %5
; CHECK: [[ABOVE:%.*]] = add i64 [[FIRST]], -1
; CHECK: icmp sge i64 {{%.*}}, 0
; CHECK: ret i1

; CHECK: define {{.*}} @kernel.work_item.{{[0-9]+}}.wide(
; CHECK-NOT: gather
; CHECK: load <4 x i32>
; CHECK-NOT: scatter
; CHECK: define internal void @"sinter:kernel.usual"(
; CHECK: define {{.*}} @kernel.work_item.{{[0-9.]*}}wide{{.*}}(
; CHECK: gather
; CHECK: define internal void @"sinter:kernel.any"(
; CHECK: define internal void @"sinter:kernel"(
; CHECK: [[CHOICE:%.*]] = call i1 @kernel.work_item.{{[0-9]+}}.is_usual(
; CHECK: br i1 [[CHOICE]]

; NONE-NOT: is_usual

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<2>" {
  %data.at = getelementptr i8, ptr %block, i64 8
  %data = load ptr, ptr %data.at
  %out.at = getelementptr i8, ptr %block, i64 16
  %out = load ptr, ptr %out.at
  %n = load i32, ptr %block
  %id0 = call i64 @__sinter_global_id(i32 1)
  %id1 = call i64 @__sinter_global_id(i32 2)
  %i = trunc i64 %id0 to i32
  %j = trunc i64 %id1 to i32
  %inside = icmp ne i32 %i, 0
  br i1 %inside, label %work, label %end

work:
  %above = add i32 %i, -1
  %row = mul i32 %above, %n
  %sum = add i32 %row, %j
  %index = zext i32 %sum to i64
  %from = getelementptr i32, ptr %data, i64 %index
  %value = load i32, ptr %from
  %to = getelementptr i32, ptr %out, i64 %index
  store i32 %value, ptr %to
  br label %end

end:
  ret void
}
