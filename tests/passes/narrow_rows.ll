; Each work-item adds up products of bytes along its own row. Lanes would gather each byte, but LLVM can vectorize
; along the row. So work-items run one by one, and LLVM must not unroll the loop before the loop is vectorized.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; For numbers of 32 bits, lanes are faster: they load 16 bytes at a time and transpose the loaded numbers.
; RUN: sed -e 's/i8, ptr/i32, ptr/' -e 's/load i8/load i32/' -e 's/sext i8 %\(.*\) to i32/add i32 %\1, 0/' %s \
; RUN:   | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=LANES
; Lanes are also faster if the bytes of all lanes are consecutive.
; RUN: sed -e 's/mul i64 %id, 32/add i64 %id, 0/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=LANES
; If the loop reads only a few bytes, LLVM unrolls it, as if the bytes were members of a structure.
; RUN: sed -e 's/%i, 32$/%i, 4/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=FEW
; SINTER_PASSES can turn the pass off.
; RUN: SINTER_PASSES=-narrow-rows %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s --check-prefix=FEW
; The pass accepts other integer operations than additions, too.
; RUN: sed -e 's/add i32 %sum, %product/xor i32 %sum, %product/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s

; CHECK-NOT: work_item.wide
; CHECK: sext i8
; CHECK: br {{.*}}, !llvm.loop [[LOOP:![0-9]+]]
; CHECK-NOT: work_item.wide
; CHECK: [[LOOP]] = distinct !{[[LOOP]], {{.*}}[[STAYS:![0-9]+]]
; CHECK: [[STAYS]] = !{!"llvm.loop.unroll.disable", i32 1}
; FEW-NOT: llvm.loop.unroll.disable", i32 1
; LANES: work_item.wide
; LANES-NOT: llvm.loop.unroll.disable", i32 1

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
start:
  %rows = load ptr, ptr %block
  %at.factors = getelementptr i8, ptr %block, i64 8
  %factors = load ptr, ptr %at.factors
  %at.out = getelementptr i8, ptr %block, i64 16
  %out = load ptr, ptr %at.out
  %id = call i64 @__sinter_global_id(i32 2)
  %first = mul i64 %id, 32
  br label %head

head:
  %i = phi i64 [ 0, %start ], [ %next, %body ]
  %sum = phi i32 [ 0, %start ], [ %more, %body ]
  %any = icmp ult i64 %i, 32
  br i1 %any, label %body, label %done

body:
  %place = add i64 %first, %i
  %at.number = getelementptr i8, ptr %rows, i64 %place
  %number = load i8, ptr %at.number
  %wide = sext i8 %number to i32
  %at.factor = getelementptr i8, ptr %factors, i64 %i
  %factor = load i8, ptr %at.factor
  %times = sext i8 %factor to i32
  %product = mul i32 %wide, %times
  %more = add i32 %sum, %product
  %next = add i64 %i, 1
  br label %head

done:
  %at.result = getelementptr i32, ptr %out, i64 %id
  store i32 %sum, ptr %at.result
  ret void
}
