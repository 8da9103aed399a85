; LLVM widens numbers of 32 bits by two shifts: a << 32 >> 31 is consecutive if a is, unless the first shift loses bits.
; Without this, elements of two bytes with an `int` index would be gathered.
; RUN: %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s | FileCheck %s

declare i64 @__sinter_local_id(i32)

; CHECK-LABEL: shifts.work_item, 4 lanes
; CHECK: %low: strided by 1
; CHECK: %up: strided by 4294967296
; CHECK: %twice: strided by 2
; CHECK: %same: strided by 1
; CHECK: %no.sign: strided by 1
; A bit that differs between lanes is shifted out, or becomes the sign.
; CHECK: %lost: varying
; CHECK: %to.sign: strided by
; CHECK: %signs: varying
; CHECK: %without: strided by 8
; Not consecutive, because the sum may wrap:
; CHECK: %wrapped: varying
define void @shifts(ptr %data) "sinter-kernel"="nd_range<1>" {
  %id = call i64 @__sinter_local_id(i32 2)
  %any = load i64, ptr %data
  %low = and i64 %id, 1023
  %up = shl i64 %low, 32
  %twice = ashr i64 %up, 31
  %same = ashr i64 %up, 32
  %no.sign = lshr i64 %up, 32
  %lost = ashr i64 %up, 33
  %to.sign = shl i64 %low, 54
  %signs = ashr i64 %to.sign, 51
  %without = lshr i64 %to.sign, 51
  %sum = add i64 %up, %any
  %wrapped = ashr i64 %sum, 31
  %sum1 = add i64 %twice, %same
  %sum2 = add i64 %sum1, %no.sign
  %sum3 = add i64 %sum2, %lost
  %sum4 = add i64 %sum3, %signs
  %sum5 = add i64 %sum4, %wrapped
  %sum6 = add i64 %sum5, %without
  %place = getelementptr i64, ptr %data, i64 %id
  store i64 %sum6, ptr %place
  ret void
}
