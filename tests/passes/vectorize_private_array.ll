; If each lane computes its own index, each lane has its own copy of private variables. The copies of the lanes follow
; each other in memory.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: alloca [256 x i8], align 64
; CHECK: getelementptr i8, ptr %{{.*}}, <4 x i64> <i64 0, i64 64, i64 128, i64 192>
; CHECK: call void @llvm.masked.scatter.v4i32
; CHECK: call <4 x i32> @llvm.masked.gather.v4i32

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %array = alloca [16 x i32]
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr i32, ptr %data, i64 %id
  %x = load i32, ptr %cell
  %low = and i32 %x, 15
  %index = zext i32 %low to i64
  %limit = getelementptr i8, ptr %block, i64 8
  %n = load i64, ptr %limit
  %far = add i64 %id, %n
  %own = and i64 %far, 15
  %there = getelementptr i32, ptr %array, i64 %own
  store i32 %x, ptr %there
  %place = getelementptr i32, ptr %array, i64 %index
  %y = load i32, ptr %place
  store i32 %y, ptr %cell
  ret void
}
