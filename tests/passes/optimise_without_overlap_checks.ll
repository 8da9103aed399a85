; Loops over work-items are declared parallel for this purpose: work-items become vector lanes without a check at run
; time whether arrays overlap.
; RUN: %opt -passes=sinter-lower-cpu,sinter-optimise %s \
; RUN:   | FileCheck %s --implicit-check-not=memcheck --implicit-check-not=diff.check --implicit-check-not=scevcheck

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
  %source = getelementptr float, ptr %from, i64 %id
  %x = load float, ptr %source
  %y = fadd float %x, 1.0
  %target = getelementptr float, ptr %to, i64 %id
  store float %y, ptr %target
  ret void
}
