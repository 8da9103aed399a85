; Behind a guard nearly all vectors store with all lanes: a plain store does then. Behind a question about data, which is
; answered at random, the store stays as it is.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>,sinter-guarded-stores,verify' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[ALL:%.*]] = call i1 @llvm.vector.reduce.and.v4i1(<4 x i1> [[MASK:%.*]])
; CHECK: br i1 [[ALL]], label %[[PLAIN:.*]], label %[[MASKED:.*]]
; CHECK: [[PLAIN]]:
; CHECK-NEXT: store <4 x float> [[VALUE:%.*]], ptr [[PLACE:%.*]], align 4
; CHECK: [[MASKED]]:
; CHECK-NEXT: call void @llvm.masked.store.v4f32.p0(<4 x float> [[VALUE]], ptr align 4 [[PLACE]], <4 x i1> [[MASK]])
; CHECK-NOT: llvm.vector.reduce.and
; CHECK: call void @llvm.masked.store
; CHECK-NOT: sinter.guarded
; CHECK: ret

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %data = load ptr, ptr %block
  %more = getelementptr i8, ptr %block, i64 8
  %count = load i64, ptr %more
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %old = load float, ptr %cell
  %new = fmul float %old, %old
  %inside = icmp ult i64 %id, %count
  br i1 %inside, label %put, label %next
put:
  store float %new, ptr %cell
  br label %next
next:
  %small = fcmp olt float %old, 1.0
  br i1 %small, label %change, label %done
change:
  %other = getelementptr i8, ptr %cell, i64 65536
  store float %new, ptr %other
  br label %done
done:
  ret void
}
