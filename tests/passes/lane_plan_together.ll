; Loads that are combined have the same `group` or `piece` in the plan. A piece has 16 bytes and holds four elements of
; a row. A row's fifth element is gathered.
; RUN: %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s | FileCheck %s --implicit-check-not=wrong:

; CHECK-LABEL: together.work_item, 4 lanes
; CHECK: %partner: varying; group 0
; CHECK: %even: varying; group 1
; CHECK: %odd: varying; group 1
; CHECK: %a: varying; piece 0
; CHECK: %b: varying; piece 0
; CHECK: %c: varying; piece 0
; CHECK: %d: varying; piece 0
; CHECK: %e: varying; gather
; CHECK: call: consecutive

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @together(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %at.out
  %id = call i64 @__sinter_local_id(i32 2)
  %partner.id = xor i64 %id, 2
  %partner.p = getelementptr i32, ptr %data, i64 %partner.id
  %partner = load i32, ptr %partner.p
  %pair = shl i64 %id, 1
  %even.p = getelementptr i32, ptr %data, i64 %pair
  %odd.p = getelementptr i8, ptr %even.p, i64 4
  %even = load i32, ptr %even.p
  %odd = load i32, ptr %odd.p
  %row = mul i64 %id, 5
  %a.p = getelementptr i32, ptr %data, i64 %row
  %b.p = getelementptr i8, ptr %a.p, i64 4
  %c.p = getelementptr i8, ptr %a.p, i64 8
  %d.p = getelementptr i8, ptr %a.p, i64 12
  %e.p = getelementptr i8, ptr %a.p, i64 16
  %a = load i32, ptr %a.p
  %b = load i32, ptr %b.p
  %c = load i32, ptr %c.p
  %d = load i32, ptr %d.p
  %e = load i32, ptr %e.p
  %to = getelementptr {i64, i64}, ptr %out, i64 %id
  %from = getelementptr {i64, i64}, ptr %data, i64 %id
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 16, i1 false)
  ret void
}
