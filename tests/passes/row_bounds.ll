; A kernel begins with a guard. Rows are shortened to the work-items that pass the guard, and the other work-items do
; not run.
; RUN: %opt -passes='sinter-lower-cpu<lanes=4>' %s | FileCheck %s
; The guard consists of two branches. The second branch tests the work-items that pass the first branch. In the RUN line
; after that, the guard's branch is reversed.
; RUN: sed 's/br i1 %passes, label %inside, label %end/br i1 %below, label %more, label %end/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s
; RUN: sed 's/icmp slt i32 %i, %n/icmp sge i32 %i, %n/; s/icmp sgt i32 %i, 0/icmp slt i32 %i, 1/; s/and i1/or i1/; s/br i1 %passes, label %inside, label %end/br i1 %passes, label %end, label %inside/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s
; The guard compares 64-bit or unsigned numbers.
; RUN: sed 's/icmp sgt i32 %i, 0/icmp ne i64 %id, 0/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s
; RUN: sed 's/icmp slt i32 %i, %n/icmp ult i32 %i, %n/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=UNSIGNED
; Within a row, the id of the second dimension is constant, so the guard selects the whole row or nothing.
; RUN: sed 's/range<1>/range<2>/; s/icmp slt i32 %i, %n/icmp slt i32 %j, %n/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=ROW

; Rows are not shortened in these cases: work-items that don't pass the guard do something, before the guard or in its
; other branch; the bound is not known before the launch; only the low half of an id is compared; there are groups,
; whose work-items may have to meet.
; RUN: sed 's/; BEFORE/store i32 1, ptr %data/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE
; RUN: sed 's/; INSTEAD/store i32 1, ptr %data/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE
; RUN: sed 's/%n = load i32, ptr %block/%n = load i32, ptr %data/; s/icmp sgt i32 %i, 0/icmp sgt i32 %i, %n/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE
; RUN: %opt -passes='sinter-lower-cpu<lanes=4;wide>' %s | FileCheck %s --check-prefix=NONE
; RUN: sed 's/range<1>/nd_range<1>/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE

; NONE-NOT: .row_bounds(
; NONE: define internal void @"sinter:kernel"(

; CHECK: define internal { i64, i64 } @kernel.work_item.row_bounds(ptr %0, i64 %1, i64 %2, {{.*}})
; CHECK: [[N:%.*]] = sext i32 {{%.*}} to i64
; CHECK: [[END:%.*]] = call i64 @llvm.smax.i64(i64 [[N]], i64 0)
; CHECK: insertvalue { i64, i64 } {{.*}}, i64 [[END]], 1
; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK-NOT: icmp
; CHECK: store <4 x i32>
; CHECK: ret i32
; The rest of a row begins with the work-items before the first whole vector.
; CHECK: define internal void @"sinter:kernel"(
; CHECK: [[LEFT:%.*]] = call { i64, i64 } @kernel.work_item.row_bounds(
; CHECK: extractvalue { i64, i64 } [[LEFT]], 1
; CHECK: extractvalue { i64, i64 } [[LEFT]], 0
; CHECK: %from = phi i64

; UNSIGNED: [[N:%.*]] = zext i32 {{%.*}} to i64
; UNSIGNED: insertvalue { i64, i64 } {{.*}}, i64 [[N]], 1

; ROW: define internal { i64, i64 } @kernel.work_item.row_bounds(ptr %0, i64 %1, i64 %2, {{.*}})
; ROW: [[J:%.*]] = trunc i64 %2 to i32
; ROW: [[BELOW:%.*]] = icmp slt i32 [[J]],
; ROW: [[HOLDS:%.*]] = freeze i1 [[BELOW]]
; ROW: select i1 [[HOLDS]], i64 -1, i64 0

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data.at = getelementptr i8, ptr %block, i64 8
  %data = load ptr, ptr %data.at
  %n = load i32, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %i = trunc i64 %id to i32
  %other = call i64 @__sinter_global_id(i32 1)
  %j = trunc i64 %other to i32
  %below = icmp slt i32 %i, %n
  %above = icmp sgt i32 %i, 0
  %passes = and i1 %above, %below
  ; BEFORE
  br i1 %passes, label %inside, label %end

more:
  br i1 %above, label %inside, label %end

inside:
  %to = getelementptr i32, ptr %data, i64 %id
  %from = getelementptr i32, ptr %to, i64 -1
  %value = load i32, ptr %from
  store i32 %value, ptr %to
  ret void

end:
  ; INSTEAD
  ret void
}
