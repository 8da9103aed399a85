; Lanes that skip the store of an iteration come to the store's block in a later iteration than the other lanes. So only
; some lanes are on in this block, and the counter behind the loop differs between lanes.
; RUN: %opt -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s 2>&1 | FileCheck %s

; CHECK: block header: some lanes
; CHECK: block body: some lanes
; CHECK: block done: all lanes
; CHECK-NEXT: %last: varying; merge

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %out = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr i32, ptr %out, i64 %id
  br label %header
header:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %next = add i32 %k, 1
  %shift = zext i32 %k to i64
  %shifted = lshr i64 %id, %shift
  %bit = and i64 %shifted, 1
  %skips = icmp ne i64 %bit, 0
  br i1 %skips, label %latch, label %body
body:
  %mark = getelementptr i32, ptr %cell, i32 %k
  store i32 9, ptr %mark
  %stops = icmp ugt i32 %k, 5
  br i1 %stops, label %done, label %latch
latch:
  br label %header
done:
  %last = phi i32 [ %k, %body ]
  store i32 %last, ptr %cell
  ret void
}
