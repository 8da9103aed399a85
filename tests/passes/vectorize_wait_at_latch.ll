; Lanes that leave an inner loop wait at the outer loop's latch. If all lanes wait, the inner loop is skipped, but the
; latch needs the inner loop's values.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>,verify' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: call i1 @llvm.vector.reduce.or.v4i1(
; CHECK-NEXT: br i1 %{{.*}}, label %active{{.*}}, label %latch
; CHECK: latch:
; CHECK-NEXT: [[REST:%.*]] = phi <4 x i32> [ [[INNER:%.*]], %stores ], [ poison, %inner.preheader ]
; CHECK: select <4 x i1> {{.*}}, <4 x i32> [[REST]],

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data = load ptr, ptr %block
  %count.at = getelementptr i8, ptr %block, i64 8
  %count = load i32, ptr %count.at
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr i32, ptr %data, i64 %id
  %first = load i32, ptr %cell
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %more, %latch ]
  %sum = phi i32 [ %first, %entry ], [ %rest, %latch ]
  %leaves = icmp slt i32 %sum, 0
  br i1 %leaves, label %done, label %body

body:
  br label %inner

inner:
  %k = phi i32 [ 0, %body ], [ %next, %inner ]
  %x = phi i32 [ %sum, %body ], [ %y, %inner ]
  %z = mul i32 %x, %x
  %y = sub i32 %z, %k
  %next = add i32 %k, 1
  %again = icmp ult i32 %next, %count
  br i1 %again, label %inner, label %behind

behind:
  %rest = phi i32 [ %y, %inner ]
  %odd = icmp ugt i32 %rest, 99
  br i1 %odd, label %stores, label %latch

stores:
  store i32 %rest, ptr %cell
  br label %latch

latch:
  %more = add i32 %i, 1
  %goes.on = icmp ult i32 %more, %first
  br i1 %goes.on, label %loop, label %done

done:
  %result = phi i32 [ %sum, %loop ], [ %rest, %latch ]
  store i32 %result, ptr %cell
  ret void
}
