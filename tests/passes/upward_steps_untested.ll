; If the counter and the step are added in front of the first test, a negative step may end the loop at once, without
; any overflow. The pass does not change such steps.
; RUN: %opt -passes='sinter-upward-steps' %s | FileCheck %s

; CHECK-NOT: llvm.smax

define i32 @latch(i32 %first, i32 %step, i32 %end) {
start:
  br label %head
head:
  %i = phi i32 [ %first, %start ], [ %next, %head ]
  %next = add nsw i32 %i, %step
  %inside = icmp slt i32 %next, %end
  br i1 %inside, label %head, label %done
done:
  ret i32 %next
}
define i32 @header(i32 %first, i32 %step, i32 %end) {
start:
  br label %head
head:
  %i = phi i32 [ %first, %start ], [ %next, %body ]
  %next = add nsw i32 %i, %step
  %inside = icmp slt i32 %i, %end
  br i1 %inside, label %body, label %done
body:
  br label %head
done:
  ret i32 %next
}
