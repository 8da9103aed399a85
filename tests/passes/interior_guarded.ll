; If a guard keeps a border's value from being used, the operands of the value may be poison. The condition that chooses
; the code for work-items away from borders runs before the guard, so shifts in the condition are frozen. This condition
; never reads elements of an array among the arguments.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s
; RUN: sed -e 's/;ARRAY//' -e 's/sgt i64 %id, %border/sgt i64 %id, %element/' %s | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s --check-prefix=ARRAY

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[BORDER:%.*]] = shl i64 3, [[SHIFT:%.*]]
; CHECK: [[KNOWN:%.*]] = freeze i64 [[BORDER]]
; CHECK: icmp {{s[gl][te]}} i64 {{.*}}, [[KNOWN]]
; CHECK: inside:
; ARRAY: define {{.*}} @kernel.work_item.wide(
; ARRAY-NOT: inside:

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %data = load ptr, ptr %block
  %at.shift = getelementptr i8, ptr %block, i64 8
  %shift = load i64, ptr %at.shift
  %border = shl i64 3, %shift
  ;ARRAY %at.border = getelementptr i64, ptr %at.shift, i64 %shift
  %id = call i64 @__sinter_global_id(i32 2)
  %fits = icmp ult i64 %shift, 32
  br i1 %fits, label %ask, label %done

ask:
  ;ARRAY %element = load i64, ptr %at.border
  %inside = icmp sgt i64 %id, %border
  br i1 %inside, label %store, label %done

store:
  %to = getelementptr float, ptr %data, i64 %id
  store float 1.0, ptr %to
  br label %done

done:
  ret void
}
