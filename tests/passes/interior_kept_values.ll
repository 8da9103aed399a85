; A border may be computed from values that work-items read at their start, such as values that they keep across a
; barrier. The JIT makes a second version of the code, for work-items away from borders. The condition that chooses this
; version reads these values, too. If a write precedes the reads, this write may change the same memory, so the border
; is not computed early. Away from borders, no guard is left, so pairs in local memory are always stored
; (vectorize_local_stores.ll).
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s
; RUN: sed -e 's/;WRITE//' %s | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' \
; RUN:   | FileCheck %s --check-prefix=LATE

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[KEPT:%.*]] = load i64, ptr
; CHECK: [[BORDER:%.*]] = freeze i64 [[KEPT]]
; CHECK: icmp slt i64 {{.*}}, [[BORDER]]
; CHECK: br i1 {{%.*}}, label %inside, label %outside
; CHECK: inside:
; CHECK-NOT: masked
; CHECK: store <4 x i32>
; CHECK: outside:
; LATE: define {{.*}} @kernel.work_item.wide(
; LATE-NOT: inside:
; LATE: masked.scatter

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare ptr @__sinter_local_base()

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %data = load ptr, ptr %block
  %at.other = getelementptr i8, ptr %block, i64 8
  %elsewhere = load ptr, ptr %at.other
  ;WRITE store i64 1, ptr %elsewhere
  %kept = load i64, ptr %data
  %local = call ptr @__sinter_local_base()
  %id = call i64 @__sinter_local_id(i32 2)
  %fits = icmp slt i64 %id, %kept
  br i1 %fits, label %ask, label %done

ask:
  %pair = getelementptr { i32, i32 }, ptr %local, i64 %id
  %other = getelementptr i8, ptr %pair, i64 4
  %a = load i32, ptr %pair
  %b = load i32, ptr %other
  %wrong = icmp sgt i32 %a, %b
  br i1 %wrong, label %swap, label %done

swap:
  store i32 %b, ptr %pair
  store i32 %a, ptr %other
  br label %done

done:
  ret void
}
