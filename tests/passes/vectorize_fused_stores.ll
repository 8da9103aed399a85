; If a kernel's stores are not consecutive, LLVM's loop vectorizer handles the kernel. If the kernel is fused with other
; kernels, however, Sinter's own vectorizer handles the kernel.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s --check-prefix=ALONE
; RUN: %opt -passes='sinter-lower-cpu<lanes=0;fused>' %s | FileCheck %s --check-prefix=FUSED
; RUN: sed 's/mul i64 %id, 2/mul i64 %id, 1/' %s | %opt -passes='sinter-lower-cpu<lanes=0;fused>' | FileCheck %s --check-prefix=ALONE

; ALONE-NOT: .wide(
; FUSED-LABEL: define internal void @"sinter:kernel"(
; FUSED: call i32 @kernel.work_item.wide(

declare i64 @__sinter_global_id(i32)
declare float @llvm.sqrt.f32(float)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %in = load ptr, ptr %block, !invariant.load !0
  %out_at = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %out_at, !invariant.load !0
  %id = call i64 @__sinter_global_id(i32 2)
  %pin = getelementptr float, ptr %in, i64 %id
  %x = load float, ptr %pin
  %y = call float @llvm.sqrt.f32(float %x)
  %z = fdiv float %y, 3.0
  %w = fdiv float 1.0, %z
  %place = mul i64 %id, 2
  %pout = getelementptr float, ptr %out, i64 %place
  store float %w, ptr %pout
  ret void
}

!0 = !{}
