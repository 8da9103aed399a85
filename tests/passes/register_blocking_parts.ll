; Rows that take different branches are not run by one body, even on request.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8;block=4>' %s | FileCheck %s --implicit-check-not=.blocked

; CHECK: define {{.*}} @kernel.work_item.wide(

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<2>" {
entry:
  %data = load ptr, ptr %block
  %row = call i64 @__sinter_global_id(i32 1)
  %column = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %column
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %x = load float, ptr %cell
  %y = fadd float %x, 1.0
  store float %y, ptr %cell
  %k1 = add i64 %k, 1
  %c = icmp ult i64 %k1, %row
  br i1 %c, label %loop, label %done
done:
  ret void
}
