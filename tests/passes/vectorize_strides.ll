; Kinds of addresses: consecutive, strided, uniform (the last lane's store wins), and any addresses with one base.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[A:%.*]] = load <4 x i32>
; CHECK: [[PAIR:%.*]] = getelementptr i8, ptr %{{.*}}, <4 x i64> <i64 0, i64 8, i64 16, i64 24>
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 [[PAIR]]
; CHECK: [[ANY:%.*]] = getelementptr float, ptr %{{.*}}, <4 x i64>
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 [[ANY]]
; CHECK: [[LAST:%.*]] = extractelement <4 x float> {{.*}}, i64 3
; CHECK: store float [[LAST]], ptr
; CHECK: "sinter-lanes"="4 lanes: {{[0-9]}} uniform, 1 consecutive, 2 gathered"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %more = getelementptr i8, ptr %block, i64 8
  %indices = load ptr, ptr %more
  %id = call i64 @__sinter_global_id(i32 2)
  %place = getelementptr i32, ptr %indices, i64 %id
  %index = load i32, ptr %place
  %pair = getelementptr { float, float }, ptr %data, i64 %id
  %first = load float, ptr %pair
  %wide = zext i32 %index to i64
  %other = getelementptr float, ptr %data, i64 %wide
  %second = load float, ptr %other
  %sum = fadd float %first, %second
  store float %sum, ptr %data
  ret void
}
