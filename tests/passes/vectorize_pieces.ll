; Lanes store structures. If the structures are consecutive, the code interleaves the fields and stores whole
; vectors, and loads work in the same way. If the structures are not consecutive, each lane stores its own 16 bytes. The
; stores are not combined if a load between them may read the stored values, or if a field is not written.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[A:%.*]] = load <4 x float>, ptr {{.*}}, align 16
; CHECK: [[B:%.*]] = load <4 x float>, ptr {{.*}}, align 16
; CHECK: [[C:%.*]] = load <4 x float>, ptr {{.*}}, align 16
; CHECK: [[D:%.*]] = load <4 x float>, ptr {{.*}}, align 16
; CHECK: [[AB0:%.*]] = shufflevector <4 x float> [[A]], <4 x float> [[B]], <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: [[AB1:%.*]] = shufflevector <4 x float> [[A]], <4 x float> [[B]], <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK: shufflevector <4 x float> {{.*}}, <4 x float> {{.*}}, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: shufflevector <4 x float> {{.*}}, <4 x float> {{.*}}, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
; CHECK-COUNT-8: store <4 x float> {{.*}}, align 4
; CHECK-NOT: store <4 x float>
; CHECK: "sinter-lanes"="4 lanes: {{[0-9]+}} uniform, 12 transposed, 1 gathered, 7 scattered"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %at.out
  %at.far = getelementptr i8, ptr %block, i64 16
  %far = load ptr, ptr %at.far
  %id = call i64 @__sinter_global_id(i32 2)
  %x.p = getelementptr { float, float, float, float }, ptr %data, i64 %id
  %y.p = getelementptr i8, ptr %x.p, i64 4
  %z.p = getelementptr i8, ptr %x.p, i64 8
  %w.p = getelementptr i8, ptr %x.p, i64 12
  %x = load float, ptr %x.p, align 16
  %y = load float, ptr %y.p
  %z = load float, ptr %z.p
  %w = load float, ptr %w.p
  %a.p = getelementptr { float, float, float, float }, ptr %out, i64 %id
  %b.p = getelementptr i8, ptr %a.p, i64 4
  %c.p = getelementptr i8, ptr %a.p, i64 8
  %d.p = getelementptr i8, ptr %a.p, i64 12
  store float %w, ptr %a.p
  store float %z, ptr %b.p
  store float %y, ptr %c.p
  store float %x, ptr %d.p
  %e.p = getelementptr { float, float, float, float, float, float, float, float }, ptr %far, i64 %id
  %f.p = getelementptr i8, ptr %e.p, i64 4
  %g.p = getelementptr i8, ptr %e.p, i64 8
  %h.p = getelementptr i8, ptr %e.p, i64 12
  store float %x, ptr %h.p
  store float %y, ptr %g.p
  store float %z, ptr %f.p
  store float %w, ptr %e.p
  %i.p = getelementptr i8, ptr %a.p, i64 1024
  %j.p = getelementptr i8, ptr %a.p, i64 1028
  %k.p = getelementptr i8, ptr %a.p, i64 1032
  %l.p = getelementptr i8, ptr %a.p, i64 1036
  store float %w, ptr %i.p
  store float %z, ptr %j.p
  %between = load float, ptr %x.p
  store float %between, ptr %k.p
  store float %x, ptr %l.p
  %m.p = getelementptr i8, ptr %a.p, i64 2048
  %n.p = getelementptr i8, ptr %a.p, i64 2052
  %o.p = getelementptr i8, ptr %a.p, i64 2056
  store float %w, ptr %m.p
  store float %z, ptr %n.p
  store float %x, ptr %o.p
  ret void
}
