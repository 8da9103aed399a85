; Math functions for all lanes come from libmvec. If libmvec's vectors have fewer lanes, several calls are made. Lanes
; then also compute the rest of a row, so that results do not depend on where a row ends. libmvec's cbrt of floats is
; not precise enough.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: call <4 x float> @_ZGVbN4v_expf(
; CHECK-COUNT-4: call float @__sinter_math_cbrt_f32(
; CHECK: define {{.*}} @kernel.work_item.tail({{.*}}, i64 %
; CHECK: %active = icmp ult <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK: call <4 x float> @llvm.masked.load.v4f32
; CHECK: call <4 x float> @_ZGVbN4v_expf(

declare i64 @__sinter_global_id(i32)
declare float @llvm.exp.f32(float)
declare float @__sinter_math_cbrt_f32(float) memory(none) willreturn nounwind

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %cell
  %y = call float @llvm.exp.f32(float %x)
  %z = call float @__sinter_math_cbrt_f32(float %y)
  store float %z, ptr %cell
  ret void
}
