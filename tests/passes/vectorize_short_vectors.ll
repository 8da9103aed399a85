; clang returns structures of two to four floats as vectors of two. LLVM's loop vectorizer does not vectorize loops that
; load or store such vectors. So a kernel of plain operations, which would otherwise be left to the loop vectorizer,
; gets lanes. Elements that are put into a vector and taken out again do not count.
; RUN: SINTER_CPU=x86-64-v3 %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=0>' %s | FileCheck %s --check-prefixes=CHECK,EIGHT
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=0>' %s | FileCheck %s --check-prefixes=CHECK,SIXTEEN
; RUN: sed 's/store <2 x float> %both, /store float %back, /' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=0>' | FileCheck %s --check-prefix=ELEMENTS

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK-NOT: <2 x float>
; CHECK: "sinter-lanes"="
; EIGHT-SAME: 8 lanes:
; SIXTEEN-SAME: 16 lanes:
; ELEMENTS: "sinter-lanes"="scalar: left to the loop vectorizer"

declare i64 @__sinter_global_id(i32)
declare float @llvm.sqrt.f32(float)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %in = load ptr, ptr %block
  %out.at = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %out.at
  %id = call i64 @__sinter_global_id(i32 2)
  %x.p = getelementptr { float, float }, ptr %in, i64 %id
  %y.p = getelementptr i8, ptr %x.p, i64 4
  %x = load float, ptr %x.p
  %y = load float, ptr %y.p
  %root = call float @llvm.sqrt.f32(float %x)
  %quotient = fdiv float %y, %x
  %one = insertelement <2 x float> poison, float %root, i64 0
  %both = insertelement <2 x float> %one, float %quotient, i64 1
  %back = extractelement <2 x float> %both, i64 1
  %result = getelementptr { float, float }, ptr %out, i64 %id
  store <2 x float> %both, ptr %result, align 8
  ret void
}
