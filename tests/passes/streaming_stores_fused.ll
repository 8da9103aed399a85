; The arguments of a fused kernel are in several blocks. A member's stores to an array bypass the cache only if no
; member reads the array.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0;fused>' %s | FileCheck %s

; CHECK-LABEL: define {{.*}} @kernel.work_item.wide.streaming(
; CHECK: store <{{2|4|8}} x double> {{.*}}, ptr %pc, align {{16|32|64}}, !nontemporal
; CHECK-NOT: ptr %pa, align {{[0-9]+}}, !nontemporal
; CHECK: store <{{2|4|8}} x double> {{.*}}, ptr %pa, align 8
; CHECK-NOT: nontemporal
; CHECK: ret i32 0

; CHECK-LABEL: define internal void @"sinter:kernel"(
; CHECK: call i32 @kernel.work_item.wide.streaming(

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %blocks) "sinter-kernel"="range<1>" {
  %first = load ptr, ptr %blocks, !invariant.load !0
  %second_at = getelementptr i8, ptr %blocks, i64 8
  %second = load ptr, ptr %second_at, !invariant.load !0
  %a = load ptr, ptr %first, !invariant.load !0
  %b_at = getelementptr i8, ptr %first, i64 8
  %b = load ptr, ptr %b_at, !invariant.load !0
  %c = load ptr, ptr %second, !invariant.load !0
  %id = call i64 @__sinter_global_id(i32 2)
  %pa = getelementptr double, ptr %a, i64 %id
  %pb = getelementptr double, ptr %b, i64 %id
  %pc = getelementptr double, ptr %c, i64 %id
  %x = load double, ptr %pb
  %y = fmul double %x, 3.0
  store double %y, ptr %pc
  %z = load double, ptr %pa
  %w = fadd double %z, %y
  store double %w, ptr %pa
  ret void
}

!0 = !{}
