; Away from borders, clamping does not change a position. One version of the code (form) has no clamping. A vector of
; work-items runs this form if its first and its last work-item fulfil a condition. Other vectors run the form with
; clamping.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s
; The two bounds may be the operands of minimum and maximum in either order.
; RUN: sed 's/smin.i32(i32 %low, i32 %last)/smin.i32(i32 %last, i32 %low)/' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[END:%.*]] = add nuw nsw i64 %3, 3
; CHECK-DAG: icmp sge i32 {{%.*}}, {{[01]}}
; CHECK-DAG: icmp sle i32 {{%.*}}, [[LAST:%.*]]
; CHECK: br i1 {{%.*}}, label %inside, label %outside
; CHECK: inside:
; CHECK-NOT: smax
; CHECK-NOT: masked
; CHECK: load <4 x float>, ptr
; CHECK: store <4 x float>
; CHECK: outside:
; CHECK: masked.gather.v4f32
; CHECK: "sinter-lanes"="4 lanes inside borders: {{[0-9]}} uniform, 2 consecutive"

declare i64 @__sinter_global_id(i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %result.at = getelementptr i8, ptr %block, i64 8
  %result = load ptr, ptr %result.at
  %last.at = getelementptr i8, ptr %block, i64 16
  %last = load i32, ptr %last.at
  %id = call i64 @__sinter_global_id(i32 2)
  %x = trunc i64 %id to i32
  %left = add nsw i32 %x, -1
  %low = call i32 @llvm.smax.i32(i32 %left, i32 0)
  %clamped = call i32 @llvm.smin.i32(i32 %low, i32 %last)
  %index = sext i32 %clamped to i64
  %from = getelementptr float, ptr %data, i64 %index
  %value = load float, ptr %from
  %to = getelementptr float, ptr %result, i64 %id
  store float %value, ptr %to
  ret void
}
