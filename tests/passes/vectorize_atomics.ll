; If the old value is not used, there is one atomic addition for all lanes. Otherwise the lanes add one after the other.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[SUM:%.*]] = call i32 @llvm.vector.reduce.add.v4i32(
; CHECK: atomicrmw add ptr %{{.*}}, i32 [[SUM]] monotonic
; CHECK-COUNT-4: atomicrmw add
; CHECK-NOT: atomicrmw
; CHECK: store <4 x i32>

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %more = getelementptr i8, ptr %block, i64 8
  %counter = load ptr, ptr %more
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr i32, ptr %data, i64 %id
  %x = load i32, ptr %cell
  %unused = atomicrmw add ptr %counter, i32 %x monotonic
  %old = atomicrmw add ptr %counter, i32 %x monotonic
  store i32 %old, ptr %cell
  ret void
}
