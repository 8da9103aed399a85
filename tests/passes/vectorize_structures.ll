; Each lane loads the four fields of its own structure at once, whatever their order in the code. The loads are not
; combined if a store in between may change a field, if only some lanes read, or if a field is not read.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[A:%.*]] = load <4 x float>, ptr {{.*}}, align 16
; CHECK: [[B:%.*]] = load <4 x float>, ptr {{.*}}, align 16
; CHECK: [[C:%.*]] = load <4 x float>, ptr {{.*}}, align 16
; CHECK: [[D:%.*]] = load <4 x float>, ptr {{.*}}, align 16
; CHECK: shufflevector <4 x float> [[A]], <4 x float> [[C]], <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: shufflevector <4 x float> [[A]], <4 x float> [[C]], <4 x i32> <i32 2, i32 6, i32 3, i32 7>
; CHECK: shufflevector <4 x float> [[B]], <4 x float> [[D]], <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: shufflevector <4 x float> [[B]], <4 x float> [[D]], <4 x i32> <i32 2, i32 6, i32 3, i32 7>
; CHECK-NOT: load <4 x float>
; CHECK: "sinter-lanes"="4 lanes: {{[0-9]+}} uniform, 2 consecutive, 4 transposed, 12 gathered"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %at.out
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %out, i64 %id
  %x.p = getelementptr { float, float, float, float, float, float, float, float }, ptr %data, i64 %id
  %y.p = getelementptr i8, ptr %x.p, i64 4
  %z.p = getelementptr i8, ptr %x.p, i64 8
  %w.p = getelementptr i8, ptr %x.p, i64 12
  %z = load float, ptr %z.p
  %x = load float, ptr %x.p, align 16
  %w = load float, ptr %w.p
  %y = load float, ptr %y.p
  %xy = fsub float %x, %y
  %zw = fdiv float %z, %w
  %whole = fadd float %xy, %zw
  %a.p = getelementptr i8, ptr %x.p, i64 1024
  %b.p = getelementptr i8, ptr %x.p, i64 1028
  %c.p = getelementptr i8, ptr %x.p, i64 1032
  %d.p = getelementptr i8, ptr %x.p, i64 1036
  %a = load float, ptr %a.p
  %b = load float, ptr %b.p
  store float %whole, ptr %cell
  %c = load float, ptr %c.p
  %d = load float, ptr %d.p
  %e.p = getelementptr i8, ptr %x.p, i64 2048
  %f.p = getelementptr i8, ptr %x.p, i64 2052
  %g.p = getelementptr i8, ptr %x.p, i64 2056
  %i.p = getelementptr i8, ptr %x.p, i64 2064
  %e = load float, ptr %e.p
  %f = load float, ptr %f.p
  %g = load float, ptr %g.p
  %i = load float, ptr %i.p
  %ab = fsub float %a, %b
  %cd = fdiv float %c, %d
  %ef = fsub float %e, %f
  %gi = fdiv float %g, %i
  %abcd = fadd float %ab, %cd
  %efgi = fadd float %ef, %gi
  %sum = fadd float %abcd, %efgi
  %some = fcmp olt float %sum, 1.0
  br i1 %some, label %then, label %done
then:
  %k.p = getelementptr i8, ptr %x.p, i64 4096
  %l.p = getelementptr i8, ptr %x.p, i64 4100
  %m.p = getelementptr i8, ptr %x.p, i64 4104
  %n.p = getelementptr i8, ptr %x.p, i64 4108
  %k = load float, ptr %k.p
  %l = load float, ptr %l.p
  %m = load float, ptr %m.p
  %n = load float, ptr %n.p
  %kl = fsub float %k, %l
  %mn = fdiv float %m, %n
  %klmn = fadd float %kl, %mn
  br label %done
done:
  %result = phi float [ %sum, %entry ], [ %klmn, %then ]
  store float %result, ptr %cell
  ret void
}
