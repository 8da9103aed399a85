; Together, the elements that the lanes load fill one vector or two vectors, but not in the order of the lanes. The code
; loads whole vectors and rearranges their elements. In three cases, the code gathers instead: some element belongs to
; no lane, memory is written between two loads, or the load is behind a branch whose condition differs between lanes.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[PARTNERS:%.*]] = load <4 x i32>, ptr
; CHECK: shufflevector <4 x i32> [[PARTNERS]], <4 x i32> {{.*}}, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
; CHECK: [[BACKWARDS:%.*]] = load <4 x i32>, ptr
; CHECK: shufflevector <4 x i32> [[BACKWARDS]], <4 x i32> {{.*}}, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
; CHECK: [[LOW:%.*]] = load <4 x i32>, ptr
; CHECK: [[HIGH:%.*]] = load <4 x i32>, ptr
; CHECK: shufflevector <4 x i32> [[LOW]], <4 x i32> [[HIGH]], <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: shufflevector <4 x i32> [[LOW]], <4 x i32> [[HIGH]], <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK: call <4 x i32> @llvm.masked.gather
; CHECK: store i32 0
; CHECK: call <4 x i32> @llvm.masked.gather
; CHECK: call <4 x i32> @llvm.masked.gather
; CHECK: call <4 x i32> @llvm.masked.gather
; CHECK: "sinter-lanes"="4 lanes: {{[0-9]+}} uniform, {{[0-9]+}} consecutive, 4 rearranged, 4 gathered"

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %at.out
  %at.flag = getelementptr i8, ptr %block, i64 16
  %flag = load ptr, ptr %at.flag
  %id = call i64 @__sinter_local_id(i32 2)
  %partner = xor i64 %id, 2
  %partner.p = getelementptr i32, ptr %data, i64 %partner
  %a = load i32, ptr %partner.p
  %back = sub i64 100, %id
  %back.p = getelementptr i32, ptr %data, i64 %back
  %b = load i32, ptr %back.p
  %pair = shl i64 %id, 1
  %x.p = getelementptr i32, ptr %data, i64 %pair
  %y.p = getelementptr i8, ptr %x.p, i64 4
  %x = load i32, ptr %x.p
  %y = load i32, ptr %y.p
  %far.p = getelementptr i8, ptr %x.p, i64 1024
  %farther.p = getelementptr i8, ptr %x.p, i64 1028
  %c = load i32, ptr %far.p
  store i32 0, ptr %flag
  %d = load i32, ptr %farther.p
  %last.p = getelementptr i8, ptr %x.p, i64 2048
  %alone = load i32, ptr %last.p
  %s1 = add i32 %a, %b
  %s2 = mul i32 %x, %y
  %s3 = mul i32 %c, %d
  %s4 = xor i32 %s1, %s2
  %s5 = xor i32 %s3, %alone
  %s6 = add i32 %s4, %s5
  %negative = icmp slt i32 %s6, 0
  br i1 %negative, label %then, label %done

then:
  %there.p = getelementptr i8, ptr %partner.p, i64 4096
  %there = load i32, ptr %there.p
  br label %done

done:
  %sum = phi i32 [ %s6, %0 ], [ %there, %then ]
  %out.p = getelementptr i32, ptr %out, i64 %id
  store i32 %sum, ptr %out.p
  ret void
}
