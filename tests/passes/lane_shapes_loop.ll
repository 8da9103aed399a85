; Tests the values of a loop, in the loop and behind it.
; RUN: %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s | FileCheck %s

declare i64 @__sinter_global_id(i32)

; Lanes leave a loop in different iterations, so behind the loop their values come from different iterations.
; CHECK-LABEL: leaves.work_item, 4 lanes
; CHECK: block loop: some lanes, which part here, and leave the loop one by one
; CHECK: %i: uniform
; CHECK: block end: all lanes
; CHECK: %last: varying
define void @leaves(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %id
  br i1 %more, label %loop, label %end
end:
  %last = phi i64 [ %i, %loop ]
  %address = getelementptr i64, ptr %data, i64 %id
  store i64 %last, ptr %address
  ret void
}
