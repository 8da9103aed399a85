; The accesses are behind a branch whose condition differs between lanes. Whole vectors would access memory for lanes
; that are off.
; RUN: %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s | FileCheck %s --implicit-check-not=wrong:

; CHECK-LABEL: apart.work_item, 4 lanes
; CHECK: block then: some lanes, jumped over when there are none, to end
; CHECK: %partner: varying; gather
; CHECK: %a: varying; gather
; CHECK: store: last lane
; CHECK: block end: all lanes
; CHECK: %which: varying; merge

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)

define void @apart(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_local_id(i32 2)
  %low = and i64 %id, 1
  %is.odd = icmp eq i64 %low, 1
  br i1 %is.odd, label %then, label %end
then:
  %partner.id = xor i64 %id, 2
  %partner.p = getelementptr i32, ptr %data, i64 %partner.id
  %partner = load i32, ptr %partner.p
  %row = mul i64 %id, 5
  %a.p = getelementptr i32, ptr %data, i64 %row
  %b.p = getelementptr i8, ptr %a.p, i64 4
  %c.p = getelementptr i8, ptr %a.p, i64 8
  %d.p = getelementptr i8, ptr %a.p, i64 12
  %a = load i32, ptr %a.p
  %b = load i32, ptr %b.p
  %c = load i32, ptr %c.p
  %d = load i32, ptr %d.p
  store i32 %a, ptr %data
  br label %end
end:
  %which = phi i32 [ 0, %entry ], [ %partner, %then ]
  ret void
}
