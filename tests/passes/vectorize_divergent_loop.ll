; Lanes leave a loop in different iterations. The loop ends when no lane is left, and each lane keeps the value of its
; own last iteration. The counter is the same for all lanes that are still in the loop.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[MASK:%.*]] = phi <4 x i1> [ splat (i1 true), {{.*}} ], [ [[STAY:%[^,]*]],
; CHECK-DAG: phi i32
; CHECK-DAG: phi <4 x float>
; CHECK: [[STAY]] = select <4 x i1> [[MASK]], <4 x i1> {{.*}}, <4 x i1> zeroinitializer
; CHECK: [[LEAVE:%.*]] = select <4 x i1> [[MASK]], <4 x i1> {{.*}}, <4 x i1> zeroinitializer
; CHECK: select <4 x i1> [[LEAVE]], <4 x i32>
; CHECK: [[ANY:%.*]] = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> [[STAY]])
; CHECK: br i1 [[ANY]],
; CHECK: store <4 x i32>

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data = load ptr, ptr %block
  %more = getelementptr i8, ptr %block, i64 8
  %counts = load ptr, ptr %more
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %count = getelementptr i32, ptr %counts, i64 %id
  %x = load float, ptr %cell
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %n1, %loop ]
  %v = phi float [ %x, %entry ], [ %v1, %loop ]
  %v1 = fmul float %v, %v
  %n1 = add i32 %n, 1
  %c = fcmp olt float %v1, 100.0
  br i1 %c, label %loop, label %done
done:
  store i32 %n1, ptr %count
  ret void
}
