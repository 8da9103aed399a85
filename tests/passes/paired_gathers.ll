; Two gathers of neighbouring elements become one gather of pairs if they have the same mask and nothing is written in
; between. The cost of a gather depends on the number of elements. If the index may wrap between the two elements, the
; second element may be far away, so there are still two gathers.
; RUN: %opt -mtriple=x86_64-linux-gnu -passes='sinter-paired-gathers,verify' %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, <8 x i1>, <8 x float>)
declare <8 x i16> @llvm.masked.gather.v8i16.v8p0(<8 x ptr>, <8 x i1>, <8 x i16>)
declare <8 x float> @llvm.sqrt.v8f32(<8 x float>)

; The indices are known not to wrap.
; CHECK-LABEL: define <8 x float> @next(
; CHECK: [[FIRST:%.*]] = getelementptr float, ptr %table, <8 x i64> %near
; CHECK: [[PAIR:%.*]] = call <8 x i64> @llvm.masked.gather.v8i64.v8p0(<8 x ptr> align 4 [[FIRST]], <8 x i1> %mask, <8 x i64> poison)
; CHECK-NEXT: [[BOTH:%.*]] = bitcast <8 x i64> [[PAIR]] to <16 x float>
; CHECK-NEXT: [[A:%.*]] = shufflevector <16 x float> [[BOTH]], <16 x float> poison, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
; CHECK-NEXT: [[B:%.*]] = shufflevector <16 x float> [[BOTH]], <16 x float> poison, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
; CHECK-NEXT: fsub <8 x float> [[B]], [[A]]
define <8 x float> @next(ptr %table, <8 x i32> %step, <8 x i1> %mask) #0 {
  %near = zext <8 x i32> %step to <8 x i64>
  %first = getelementptr float, ptr %table, <8 x i64> %near
  %a = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %first, <8 x i1> %mask, <8 x float> poison)
  %later = add nuw <8 x i32> %step, splat (i32 1)
  %far = zext <8 x i32> %later to <8 x i64>
  %second = getelementptr float, ptr %table, <8 x i64> %far
  %b = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %second, <8 x i1> %mask, <8 x float> poison)
  %difference = fsub <8 x float> %b, %a
  ret <8 x float> %difference
}

; The elements of all lanes are contiguous, so one vector is loaded.
; CHECK-LABEL: define <8 x float> @row(
; CHECK: [[START:%.*]] = getelementptr i8, ptr %table, i64 44
; CHECK-NEXT: load <8 x float>, ptr [[START]], align 4
define <8 x float> @row(ptr %table) #0 {
  %start = getelementptr i8, ptr %table, i64 40
  %places = getelementptr i8, ptr %start, <8 x i64> <i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32>
  %row = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %places, <8 x i1> splat (i1 true), <8 x float> poison)
  ret <8 x float> %row
}

; One element is elsewhere, or only some lanes load.
; CHECK-LABEL: define <8 x float> @no_row(
; CHECK-COUNT-2: @llvm.masked.gather.
define <8 x float> @no_row(ptr %table, <8 x i1> %mask) #0 {
  %places = getelementptr i8, ptr %table, <8 x i64> <i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 36>
  %one = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %places, <8 x i1> splat (i1 true), <8 x float> poison)
  %row = getelementptr float, ptr %table, <8 x i64> <i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11>
  %other = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %row, <8 x i1> %mask, <8 x float> poison)
  %sum = fadd <8 x float> %one, %other
  ret <8 x float> %sum
}

; The second gather reads the element in front of the first gather's element.
; CHECK-LABEL: define <8 x float> @before(
; CHECK: [[START:%.*]] = getelementptr i8, <8 x ptr> %first, i64 -4
; CHECK-NEXT: [[PAIR:%.*]] = call <8 x i64> @llvm.masked.gather.v8i64.v8p0(<8 x ptr> align 4 [[START]],
; CHECK-NEXT: [[BOTH:%.*]] = bitcast
; CHECK-NEXT: [[B:%.*]] = shufflevector <16 x float> [[BOTH]], <16 x float> poison, <8 x i32> <i32 0,
; CHECK-NEXT: [[A:%.*]] = shufflevector <16 x float> [[BOTH]], <16 x float> poison, <8 x i32> <i32 1,
; CHECK-NEXT: fsub <8 x float> [[B]], [[A]]
define <8 x float> @before(ptr %table, <8 x i64> %step, <8 x i1> %mask) #0 {
  %first = getelementptr float, ptr %table, <8 x i64> %step
  %a = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %first, <8 x i1> %mask, <8 x float> poison)
  %earlier = add <8 x i64> %step, splat (i64 -1)
  %second = getelementptr float, ptr %table, <8 x i64> %earlier
  %b = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %second, <8 x i1> %mask, <8 x float> poison)
  %difference = fsub <8 x float> %b, %a
  ret <8 x float> %difference
}

; The indices are at most 4096, so adding 1 can't wrap.
; CHECK-LABEL: define <8 x float> @bounded(
; CHECK-COUNT-1: @llvm.masked.gather.v8i64.v8p0(
; CHECK-NOT: @llvm.masked.gather
; CHECK: ret
define <8 x float> @bounded(ptr %table, <8 x float> %x) #0 {
  %negative = fcmp olt <8 x float> %x, zeroinitializer
  %low = select <8 x i1> %negative, <8 x float> zeroinitializer, <8 x float> %x
  %large = fcmp ogt <8 x float> %low, splat (float 1.0)
  %part = select <8 x i1> %large, <8 x float> splat (float 1.0), <8 x float> %low
  %root = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %part)
  %place = fmul <8 x float> %root, splat (float 4096.0)
  %step = fptoui <8 x float> %place to <8 x i32>
  %near = zext <8 x i32> %step to <8 x i64>
  %first = getelementptr float, ptr %table, <8 x i64> %near
  %a = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %first, <8 x i1> splat (i1 true), <8 x float> poison)
  %later = add <8 x i32> %step, splat (i32 1)
  %far = zext <8 x i32> %later to <8 x i64>
  %second = getelementptr float, ptr %table, <8 x i64> %far
  %b = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %second, <8 x i1> splat (i1 true), <8 x float> poison)
  %sum = fsub <8 x float> %b, %a
  ret <8 x float> %sum
}

; The indices have no known bound.
; CHECK-LABEL: define <8 x float> @unbounded(
; CHECK-COUNT-2: @llvm.masked.gather.v8f32.v8p0(
; CHECK: ret
define <8 x float> @unbounded(ptr %table, <8 x float> %x) #0 {
  %positive = fcmp ogt <8 x float> %x, zeroinitializer
  %low = select <8 x i1> %positive, <8 x float> %x, <8 x float> zeroinitializer
  %step = fptoui <8 x float> %low to <8 x i32>
  %near = zext <8 x i32> %step to <8 x i64>
  %first = getelementptr float, ptr %table, <8 x i64> %near
  %a = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %first, <8 x i1> splat (i1 true), <8 x float> poison)
  %later = add <8 x i32> %step, splat (i32 1)
  %far = zext <8 x i32> %later to <8 x i64>
  %second = getelementptr float, ptr %table, <8 x i64> %far
  %b = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %second, <8 x i1> splat (i1 true), <8 x float> poison)
  %sum = fsub <8 x float> %b, %a
  ret <8 x float> %sum
}

; Between the two gathers, a store may change the second element.
; CHECK-LABEL: define <8 x float> @written(
; CHECK-COUNT-2: @llvm.masked.gather.v8f32.v8p0(
; CHECK: ret
define <8 x float> @written(ptr %table, <8 x i64> %step, ptr %q) #0 {
  %first = getelementptr float, ptr %table, <8 x i64> %step
  %a = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %first, <8 x i1> splat (i1 true), <8 x float> poison)
  store float 1.0, ptr %q
  %later = add <8 x i64> %step, splat (i64 1)
  %second = getelementptr float, ptr %table, <8 x i64> %later
  %b = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %second, <8 x i1> splat (i1 true), <8 x float> poison)
  %sum = fsub <8 x float> %b, %a
  ret <8 x float> %sum
}

; The gathers have different masks, or their elements are not neighbours.
; CHECK-LABEL: define <8 x float> @others(
; CHECK-COUNT-3: @llvm.masked.gather.v8f32.v8p0(
; CHECK: ret
define <8 x float> @others(ptr %table, <8 x i64> %step, <8 x i1> %mask) #0 {
  %first = getelementptr float, ptr %table, <8 x i64> %step
  %a = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %first, <8 x i1> splat (i1 true), <8 x float> poison)
  %later = add <8 x i64> %step, splat (i64 1)
  %second = getelementptr float, ptr %table, <8 x i64> %later
  %b = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %second, <8 x i1> %mask, <8 x float> poison)
  %far = add <8 x i64> %step, splat (i64 3)
  %third = getelementptr float, ptr %table, <8 x i64> %far
  %c = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %third, <8 x i1> %mask, <8 x float> poison)
  %half = fsub <8 x float> %b, %a
  %sum = fadd <8 x float> %half, %c
  ret <8 x float> %sum
}

; The members of a structure have 16 bits. Two neighbouring members together have 32 bits, and the machine has gathers
; for 32 bits.
; CHECK-LABEL: define <8 x i16> @members(
; CHECK: call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 2
; CHECK: @llvm.masked.gather.v8i16.v8p0(
; CHECK: ret
define <8 x i16> @members(ptr %pixels) #0 {
  %red_at = getelementptr i8, ptr %pixels, <8 x i64> <i64 0, i64 8, i64 16, i64 24, i64 32, i64 40, i64 48, i64 56>
  %red = call <8 x i16> @llvm.masked.gather.v8i16.v8p0(<8 x ptr> align 2 %red_at, <8 x i1> splat (i1 true), <8 x i16> poison)
  %greens = getelementptr i8, ptr %pixels, i64 2
  %green_at = getelementptr i8, ptr %greens, <8 x i64> <i64 0, i64 8, i64 16, i64 24, i64 32, i64 40, i64 48, i64 56>
  %green = call <8 x i16> @llvm.masked.gather.v8i16.v8p0(<8 x ptr> align 2 %green_at, <8 x i1> splat (i1 true), <8 x i16> poison)
  %blues = getelementptr i8, ptr %pixels, i64 4
  %blue_at = getelementptr i8, ptr %blues, <8 x i64> <i64 0, i64 8, i64 16, i64 24, i64 32, i64 40, i64 48, i64 56>
  %blue = call <8 x i16> @llvm.masked.gather.v8i16.v8p0(<8 x ptr> align 2 %blue_at, <8 x i1> splat (i1 true), <8 x i16> poison)
  %some = add <8 x i16> %red, %green
  %all = add <8 x i16> %some, %blue
  ret <8 x i16> %all
}

attributes #0 = { "target-cpu"="znver4" }
