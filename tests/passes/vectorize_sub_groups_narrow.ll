; Each lane reads a value of 16 bits from any lane. On some machines, LLVM 22 can't select a permutation of elements
; that are narrower than their indices. So the values are permuted as 32 bits, and as floats, because LLVM would narrow
; integers again.
; RUN: %opt -passes='sinter-work-item-function<sub-group=16>,sinter-vectorize<sub-group=16>' %s | FileCheck %s
; RUN: %opt -passes='sinter-lower-cpu<lanes=0;sub-group=16>,sinter-optimise' %s \
; RUN:   | FileCheck %s --check-prefix=LATER

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[X:%.*]] = load <16 x i16>
; CHECK: [[LONGER:%.*]] = zext <16 x i16> [[X]] to <16 x i32>
; CHECK: [[FLOATS:%.*]] = bitcast <16 x i32> [[LONGER]] to <16 x float>
; CHECK: [[FIRST:%.*]] = extractelement <16 x float> [[FLOATS]], i32
; CHECK-NEXT: insertelement <16 x float> poison, float [[FIRST]], i64 0
; CHECK: trunc <16 x i32> {{.*}} to <16 x i16>
; CHECK: ret i32

; LATER-NOT: insertelement <16 x i16>
; LATER: insertelement <16 x float>
; LATER-NOT: insertelement <16 x i16>

declare i64 @__sinter_global_id(i32)
declare i32 @__sinter_sub_group_local_id()
declare i16 @__sinter_sub_group_shuffle_16(i16, i32) #0

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %place = getelementptr i16, ptr %data, i64 %id
  %x = load i16, ptr %place
  %narrow = trunc i64 %id to i32
  %other = mul i32 %narrow, 6
  %taken = call i16 @__sinter_sub_group_shuffle_16(i16 %x, i32 %other) #0
  store i16 %taken, ptr %place
  ret void
}
attributes #0 = { convergent nounwind willreturn memory(none) }
