; With narrow ids, users' 32-bit arithmetic such as out[i] = in[i + 1] with int i is an affine index. So loads are
; contiguous, and the code does not check at run time whether the index wraps.
; RUN: %opt -passes=sinter-lower-cpu,sinter-optimise %s | FileCheck %s --implicit-check-not=scevcheck

; CHECK-LABEL: define{{.*}} @"sinter:kernel"(
; CHECK: vector.body:
; CHECK: load <{{[0-9]+}} x float>, ptr
; CHECK: fadd <{{[0-9]+}} x float>
; CHECK: store <{{[0-9]+}} x float> {{.*}}, ptr

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %from = load ptr, ptr %block
  %to_at = getelementptr i8, ptr %block, i64 8
  %to = load ptr, ptr %to_at
  %id = call i64 @__sinter_global_id(i32 2)
  %narrow = trunc i64 %id to i32
  %next = add nsw i32 %narrow, 1
  %index = sext i32 %next to i64
  %source = getelementptr float, ptr %from, i64 %index
  %x = load float, ptr %source
  %y = fadd float %x, 1.0
  %target = getelementptr float, ptr %to, i64 %id
  store float %y, ptr %target
  ret void
}
