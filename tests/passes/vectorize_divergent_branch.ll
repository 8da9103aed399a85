; Both sides of the branch run under their masks. A side that no lane takes is skipped. Selects merge the values of both
; sides.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=8>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[COND:%.*]] = fcmp olt <8 x float>
; CHECK: call void @llvm.masked.store.v8f32
; CHECK: call i1 @llvm.vector.reduce.or.v8i1
; In lanes that are off, divisions divide by one.
; CHECK: [[DIVISOR:%.*]] = select <8 x i1> {{.*}}, <8 x i32> {{.*}}, <8 x i32> splat (i32 1)
; CHECK: udiv <8 x i32> {{.*}}, [[DIVISOR]]
; CHECK: select <8 x i1> {{.*}}, <8 x i32>

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data = load ptr, ptr %block
  %more = getelementptr i8, ptr %block, i64 8
  %numbers = load ptr, ptr %more
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %number = getelementptr i32, ptr %numbers, i64 %id
  %x = load float, ptr %cell
  %n = load i32, ptr %number
  %c = fcmp olt float %x, 0.0
  br i1 %c, label %negative, label %positive
negative:
  %y = fneg float %x
  store float %y, ptr %cell
  br label %join
positive:
  %d = udiv i32 77, %n
  br label %join
join:
  %r = phi i32 [ 5, %negative ], [ %d, %positive ]
  store i32 %r, ptr %number
  ret void
}
