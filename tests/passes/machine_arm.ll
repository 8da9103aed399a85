; Code for 64-bit Arm, which the test generates on any machine. With NEON, vectors have four floats. With SVE of a known
; length, vectors have eight or sixteen floats. With SVE, stores behind conditions and gathers use predicates.
; Non-temporal stores need no fence. The code calls no functions of x86-64's libmvec and uses no x86-64 instructions.
; The code calls SLEEF's math functions. With NEON, it calls the NEON functions. With SVE, it calls the functions for
; any vector length, which take a mask. SLEEF's sinh overflows too early, so the code calls libm's sinh lane by lane.
; RUN: SINTER_CPU=aarch64:neoverse-n1 %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s --check-prefix=NEON --implicit-check-not=x86 --implicit-check-not=_ZGV{{[a-mo-z]}}
; RUN: SINTER_CPU=aarch64:neoverse-v1:256 %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s --check-prefix=SVE --implicit-check-not=x86 --implicit-check-not=_ZGV{{[a-rt-z]}}
; RUN: SINTER_CPU=aarch64:neoverse-v1:256 %opt -passes='sinter-lower-cpu<lanes=0>' %s | llc -mtriple=aarch64-linux-gnu | FileCheck %s --check-prefix=CODE

; NEON: call aarch64_vector_pcs <4 x float> @_ZGVnN4v_sinf(<4 x float>
; NEON-COUNT-4: call float @sinhf(float
; NEON: store <4 x float>
; SVE-DAG: call <8 x float> @llvm.masked.gather.v8f32.v8p0(
; SVE-DAG: [[PASSED:%.*]] = {{.*}}call <vscale x 4 x float> @llvm.vector.insert.nxv4f32.v8f32(<vscale x 4 x float> poison
; SVE-DAG: call <vscale x 4 x float> @_ZGVsMxv_sinf(<vscale x 4 x float> [[PASSED]], <vscale x 4 x i1> splat (i1 true))
; SVE-DAG: call void @llvm.masked.store.v8f32.p0(
; SVE: vscale_range(2,2)
; CODE-DAG: ld1w { z{{[0-9]+}}.s }, p{{[0-9]}}/z, [x{{[0-9]+}}, z{{[0-9]+}}.s, {{[su]}}xtw #2]
; CODE-DAG: bl _ZGVsMxv_sinf
; CODE-DAG: st1w { z{{[0-9]+}}.s }, p{{[0-9]}}, [x

declare i64 @__sinter_global_id(i32)
declare float @__sinter_math_sin_f32(float)
declare float @__sinter_math_exp_f32(float)
declare float @__sinter_math_sinh_f32(float)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data = load ptr, ptr %block
  %places_at = getelementptr i8, ptr %block, i64 8
  %places = load ptr, ptr %places_at
  %to_at = getelementptr i8, ptr %block, i64 16
  %to = load ptr, ptr %to_at
  %id = call i64 @__sinter_global_id(i32 2)
  %place_at = getelementptr i32, ptr %places, i64 %id
  %place = load i32, ptr %place_at
  %far = sext i32 %place to i64
  %cell = getelementptr float, ptr %data, i64 %far
  %old = load float, ptr %cell
  %sine = call float @__sinter_math_sin_f32(float %old)
  %power = call float @__sinter_math_exp_f32(float %sine)
  %small = fcmp olt float %old, 1.0
  br i1 %small, label %change, label %done
change:
  %other = getelementptr float, ptr %to, i64 %id
  store float %power, ptr %other
  br label %done
done:
  %more = getelementptr i8, ptr %to, i64 65536
  %kept = getelementptr float, ptr %more, i64 %id
  %steep = call float @__sinter_math_sinh_f32(float %sine)
  store float %steep, ptr %kept
  ret void
}
