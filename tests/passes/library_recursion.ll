; A function that calls itself becomes a loop over stack frames. Values that are needed after a call are stored in the
; frame of their call level, and so are the function's arrays. A return continues behind the call that started its
; level. At the first level, a return leaves the function. Without the pass, devices without a call stack would refuse
; std::sort.
; RUN: %opt -passes=sinter-library-recursion,verify %s | FileCheck %s

declare void @note(ptr)

; CHECK-LABEL: define i32 @sum(
; CHECK-NOT: call i32 @sum
; CHECK: %frames = alloca [[[BYTES:[0-9]+]] x i8]
; CHECK: %level = alloca i32
; CHECK: store i32 0, ptr %level
; CHECK: icmp ult i32 %{{.*}}, 64
; CHECK: too.deep:
; CHECK-NEXT: call void @__sinter_trap(
; CHECK: leave:
; CHECK: back:
; CHECK: switch i32
; CHECK: done:
; CHECK: ret i32
define i32 @sum(i32 %n) {
entry:
  %array = alloca [4 x i32], align 16
  store i32 %n, ptr %array
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %more
more:
  %once = sub i32 %n, 1
  %first = call i32 @sum(i32 %once)
  %half = lshr i32 %n, 1
  %second = call i32 @sum(i32 %half)
  call void @note(ptr %array)
  %both = add i32 %first, %second
  %all = add i32 %both, %n
  br label %end
end:
  %result = phi i32 [ 1, %entry ], [ %all, %more ]
  ret i32 %result
}

; The call is in a loop. The loop's counter is a phi, whose value is needed after the call returns.
; CHECK-LABEL: define void @halves(
; CHECK-NOT: call void @halves
; CHECK: %frames = alloca
; CHECK: ret void
define void @halves(ptr %first, ptr %last) {
entry:
  br label %head
head:
  %end = phi ptr [ %last, %entry ], [ %middle, %body ]
  %to = ptrtoint ptr %end to i64
  %from = ptrtoint ptr %first to i64
  %size = sub i64 %to, %from
  %large = icmp ugt i64 %size, 16
  br i1 %large, label %body, label %done
body:
  %half = lshr i64 %size, 1
  %middle = getelementptr i8, ptr %first, i64 %half
  call void @note(ptr %middle)
  call void @halves(ptr %middle, ptr %end)
  br label %head
done:
  ret void
}

; A function that does not call itself is not changed.
; CHECK-LABEL: define i32 @plain(
; CHECK-NEXT: call i32 @sum(i32 3)
define i32 @plain() {
  %result = call i32 @sum(i32 3)
  ret i32 %result
}
