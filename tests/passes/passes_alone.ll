; lower_for_cpu runs these steps only if they pay; here they run by name. The first step makes a form that runs several
; neighbouring vectors. The second step makes a form whose stores bypass the caches. The third step is for sub-groups
; that are not vectors: they then exchange values through memory.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>,sinter-register-blocking<lanes=4;block=2>,verify' %s | FileCheck %s --check-prefix=BLOCKED
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>,sinter-streaming-stores<lanes=4>,verify' %s | FileCheck %s --check-prefix=STREAMING
; RUN: sed 's/; exchange: //; s/"range<1>"/"nd_range<1>"/' %s \
; RUN:   | %opt -passes='sinter-work-item-function<sub-group=8>,sinter-exchange-through-memory<sub-group=8>,verify' | FileCheck %s --check-prefix=EXCHANGE

; BLOCKED: define {{.*}} @kernel.work_item.wide.blocked(
; BLOCKED-COUNT-2: store <4 x float>

; STREAMING: define {{.*}} @kernel.work_item.wide.streaming(
; STREAMING: store <4 x float> {{.*}} !nontemporal

; EXCHANGE: define {{.*}} @kernel.work_item(
; EXCHANGE: call void @__sinter_barrier(
; EXCHANGE-NOT: call {{.*}} @__sinter_sub_group

declare i64 @__sinter_global_id(i32)
declare i32 @__sinter_sub_group_shuffle_32(i32, i32) #0

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %in = load ptr, ptr %block
  %slot = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %slot
  %factor.at = getelementptr i8, ptr %block, i64 16
  %factors = load ptr, ptr %factor.at
  %id = call i64 @__sinter_global_id(i32 2)
  %from = getelementptr float, ptr %in, i64 %id
  %value = load float, ptr %from
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %k.next, %loop ]
  %sum = phi float [ %value, %0 ], [ %sum.next, %loop ]
  %factor.p = getelementptr float, ptr %factors, i64 %k
  %factor = load float, ptr %factor.p
  %sum.next = call float @llvm.fma.f32(float %sum, float %factor, float %value)
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, 100
  br i1 %more, label %loop, label %end
end:
  %to = getelementptr float, ptr %out, i64 %id
  ; exchange: %bits = bitcast float %sum.next to i32
  ; exchange: %other = call i32 @__sinter_sub_group_shuffle_32(i32 %bits, i32 3)
  ; exchange: store i32 %other, ptr %in
  store float %sum.next, ptr %to
  ret void
}

declare float @llvm.fma.f32(float, float, float)

attributes #0 = { convergent nounwind willreturn memory(none) }
