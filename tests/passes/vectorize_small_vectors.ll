; clang makes vectors of small structures that a kernel passes by value. These vectors are split, and each of their
; elements becomes a vector with one value for each lane.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK-LABEL: define {{.*}} @kernel.work_item.wide(
; CHECK-NOT: <2 x float>
; CHECK: fmul <4 x float>
; CHECK-NOT: <2 x float>
; CHECK: fadd <4 x float>
; CHECK-NOT: <2 x float>
; CHECK: ret i32 0
; CHECK: "sinter-lanes"="4 lanes

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %in = load ptr, ptr %block
  %slot = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %slot
  %id = call i64 @__sinter_global_id(i32 2)
  %place = getelementptr [2 x float], ptr %in, i64 %id
  %value = load <2 x float>, ptr %place
  %turned = shufflevector <2 x float> %value, <2 x float> poison, <2 x i32> <i32 1, i32 0>
  %product = fmul <2 x float> %value, %turned
  %sum = fadd <2 x float> %product, <float 1.0, float 2.0>
  %to = getelementptr [2 x float], ptr %out, i64 %id
  store <2 x float> %sum, ptr %to
  ret void
}
