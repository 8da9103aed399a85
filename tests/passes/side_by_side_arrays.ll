; All lanes index the array by the same counter, so all lanes' elements with the same index become one vector. If each
; lane computes its own index, the layout is the same, and the lanes gather.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s --check-prefixes=CHECK,BOTH
; LLVM may write the index in bytes, too.
; RUN: sed 's/getelementptr i32, ptr %array, i64 %k/getelementptr i8, ptr %array, i64 %bytes/' %s | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s --check-prefixes=BYTES,BOTH
; The layout does not change if elements are read two at a time, if other code may see the array, or if single bytes are
; read.
; RUN: sed 's/^  %y = load i32, ptr %place/  %pair = load i64, ptr %place\n  %y = trunc i64 %pair to i32/' %s | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s --check-prefix=APART
; RUN: sed 's/store i32 %y, ptr %cell/store ptr %place, ptr %cell/' %s | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s --check-prefix=APART
; RUN: sed 's/getelementptr i32, ptr %array, i64 %k/getelementptr i8, ptr %array, i64 %k/' %s | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s --check-prefix=APART

; BOTH: define {{.*}} @kernel.work_item.wide(
; BOTH: [[ALL:%.*]] = alloca [256 x i8], align 64
; CHECK: [[K:%.*]] = phi i64 [ 0,
; CHECK: [[NEAR:%.*]] = mul i64 [[K]], 4
; CHECK: [[FAR:%.*]] = mul i64 [[NEAR]], 4
; CHECK: [[HERE:%.*]] = getelementptr i8, ptr [[ALL]], i64 [[FAR]]
; CHECK: store <4 x i32> {{.*}}, ptr [[HERE]], align 4
; BYTES: store <4 x i32> {{.*}}, align 4
; Addresses have steps of 4 bytes per lane and 16 bytes per element.
; BOTH: getelementptr i8, ptr [[ALL]], <4 x i64> <i64 0, i64 4, i64 8, i64 12>
; BOTH: call <4 x i32> @llvm.masked.gather.v4i32
; BOTH-NOT: scatter

; APART: define {{.*}} @kernel.work_item.wide(
; APART: alloca [256 x i8], align 64
; APART: call void @llvm.masked.scatter.v4i32

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %array = alloca [16 x i32]
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr i32, ptr %data, i64 %id
  %x = load i32, ptr %cell
  %limit = getelementptr i8, ptr %block, i64 8
  %n = load i64, ptr %limit
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %bytes = shl i64 %k, 2
  %there = getelementptr i32, ptr %array, i64 %k
  store i32 %x, ptr %there
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %loop, label %done
done:
  %low = and i32 %x, 15
  %index = zext i32 %low to i64
  %place = getelementptr i32, ptr %array, i64 %index
  %y = load i32, ptr %place
  store i32 %y, ptr %cell
  ret void
}
