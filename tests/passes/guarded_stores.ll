; Behind a guard on ids, nearly all vectors run with all lanes or with none. So code that uses the mask gets a copy
; without a mask, and is skipped if no lane is on. Behind a condition on data, which differs randomly between
; lanes, the store keeps its mask.
; RUN: SINTER_CPU=x86-64-v3 %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>,sinter-guarded-stores,verify' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[ANY:%.*]] = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> [[MASK:%.*]])
; CHECK: br i1 [[ANY]]
; CHECK: [[ALL:%.*]] = call i1 @llvm.vector.reduce.and.v4i1(<4 x i1> [[MASK]])
; CHECK: br i1 [[ALL]], label %[[PLAIN:.*]], label %[[MASKED:.*]]
; CHECK: [[MASKED]]:
; CHECK-NEXT: [[READ:%.*]] = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 [[SIDE:%.*]], <4 x i1> [[MASK]]
; CHECK-NEXT: [[SUM:%.*]] = fadd <4 x float> [[VALUE:%.*]], [[READ]]
; CHECK-NEXT: call void @llvm.masked.store.v4f32.p0(<4 x float> [[SUM]], ptr align 4 [[PLACE:%.*]], <4 x i1> [[MASK]])
; CHECK-NOT: llvm.vector.reduce.and
; CHECK: call void @llvm.masked.store
; CHECK-NOT: sinter.guarded
; CHECK: ret
; CHECK: [[PLAIN]]:
; CHECK-NEXT: [[READ:%.*]] = load <4 x float>, ptr [[SIDE]], align 4
; CHECK-NEXT: [[SUM:%.*]] = fadd <4 x float> [[VALUE]], [[READ]]
; CHECK-NEXT: store <4 x float> [[SUM]], ptr [[PLACE]], align 4

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
  %side = getelementptr i8, ptr %cell, i64 131072
  %read = load float, ptr %side
  %sum = fadd float %new, %read
  store float %sum, ptr %cell
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
