; Lanes with an id below 2767 stay in the inner loop. The other lanes leave the inner loop, and come back to the inner
; loop's header from the outer loop. All lanes meet at the header, but in different iterations: the counter behind the
; inner loop differs between lanes.
; RUN: %opt -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s 2>&1 | FileCheck %s

; CHECK: block header: some lanes
; CHECK: %n: varying; merge
; CHECK: block body: some lanes
; CHECK-NEXT: %n2: varying; merge
; CHECK: block done: all lanes
; CHECK-NEXT: %sum2: varying; merge

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %out = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr i32, ptr %out, i64 %id
  %skips = icmp ult i64 %id, 2767
  br label %outer
outer:
  %sum = phi i32 [ 7, %entry ], [ %sum1, %body ]
  %first = phi i32 [ 4, %entry ], [ %n2, %body ]
  br label %header
header:
  %n = phi i32 [ %first, %outer ], [ %n1, %test ]
  %n1 = add i32 %n, -1
  %more = icmp sgt i32 %n, 0
  br i1 %more, label %test, label %done
test:
  br i1 %skips, label %header, label %body
body:
  %n2 = phi i32 [ %n1, %test ]
  %sum1 = mul i32 %sum, 3
  br label %outer
done:
  %sum2 = phi i32 [ %sum, %header ]
  store i32 %sum2, ptr %cell
  ret void
}
