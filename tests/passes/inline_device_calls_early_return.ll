; The function has several returns, a helper with a private array, and a call in a loop. The array moves to the kernel
; and is allocated once, not once per iteration.
; RUN: %opt -passes=sinter-inline-device-calls %s | FileCheck %s

; CHECK-LABEL: define void @kernel(
; CHECK-NEXT: entry:
; CHECK-NEXT: %cells.i = alloca [4 x i32]
; CHECK: loop:
; CHECK-NOT: alloca
; CHECK: %id.i = call i64 @__sinter_local_id(i32 2)
; CHECK: phi i32 [ %cell.i, %inside.i ], [ -1, %outside.i ]
; All calls of the function are gone.
; CHECK-NOT: @pick(

declare i64 @__sinter_local_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %x = call i32 @pick(i64 %i)
  %at = getelementptr i32, ptr %block, i64 %i
  store i32 %x, ptr %at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %done
done:
  ret void
}

define internal i32 @pick(i64 %i) {
  %cells = alloca [4 x i32]
  %id = call i64 @__sinter_local_id(i32 2)
  %fits = icmp ult i64 %i, 4
  br i1 %fits, label %inside, label %outside
inside:
  %at = getelementptr i32, ptr %cells, i64 %i
  store i64 %id, ptr %at
  %cell = load i32, ptr %cells
  ret i32 %cell
outside:
  ret i32 -1
}
