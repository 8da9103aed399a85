; Lanes load three of every four floats (sycl::float3). Whole vectors are loaded, but not the float behind the last
; lane's three, because it may be behind the end of memory. Loads are not combined if the lanes' floats are further
; apart, or if only some lanes load. Stores are not combined.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s
; RUN: sed 's/{ float, float, float, float }/{ float, float, float, float, float }/' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s --check-prefix=APART
; RUN: sed 's/br i1 true/br i1 %some/' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s --check-prefix=APART

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[A:%.*]] = load <4 x float>, ptr
; CHECK: [[B:%.*]] = load <4 x float>, ptr
; CHECK: [[C:%.*]] = load <4 x float>, ptr
; CHECK: [[D:%.*]] = call <4 x float> @llvm.masked.load.v4f32.p0(ptr {{.*}}, <4 x i1> <i1 true, i1 true, i1 true, i1 false>, <4 x float> poison)
; CHECK: shufflevector <4 x float> [[A]], <4 x float> [[B]], <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: shufflevector <4 x float> [[C]], <4 x float> [[D]], <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: "sinter-lanes"="4 lanes: {{[0-9]+}} uniform, 3 transposed, 3 scattered, 1 lane by lane"
; APART: "sinter-lanes"="4 lanes: {{[0-9]+}} uniform, 3 gathered, 3 scattered, 1 lane by lane"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %in = load ptr, ptr %block
  %out.at = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %out.at
  %flags.at = getelementptr i8, ptr %block, i64 16
  %flags = load ptr, ptr %flags.at
  %id = call i64 @__sinter_global_id(i32 2)
  %flag.p = getelementptr i32, ptr %flags, i64 %id
  %flag = load volatile i32, ptr %flag.p
  %some = icmp ne i32 %flag, 0
  br i1 true, label %inside, label %end

inside:
  %x.p = getelementptr { float, float, float, float }, ptr %in, i64 %id
  %y.p = getelementptr i8, ptr %x.p, i64 4
  %z.p = getelementptr i8, ptr %x.p, i64 8
  %y = load float, ptr %y.p
  %z = load float, ptr %z.p
  %x = load float, ptr %x.p
  %a = fsub float %x, %y
  %b = fdiv float %y, %z
  %c = fmul float %z, %x
  %a.p = getelementptr { float, float, float, float }, ptr %out, i64 %id
  %b.p = getelementptr i8, ptr %a.p, i64 4
  %c.p = getelementptr i8, ptr %a.p, i64 8
  store float %a, ptr %a.p
  store float %b, ptr %b.p
  store float %c, ptr %c.p
  br label %end

end:
  ret void
}
