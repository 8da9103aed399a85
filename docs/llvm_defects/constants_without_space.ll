; RUN: opt < %s -passes='infer-address-spaces,verify' -S | FileCheck %s

; An address that is computed from a generic constant alone may be anywhere, so values that it is joined with stay
; generic.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@table = internal constant [8 x float] zeroinitializer

; CHECK-LABEL: define float @element_of_table(
; CHECK: select i1 %c, ptr %element, ptr
define float @element_of_table(i1 %c, i64 %i) {
  %own = alloca float
  %element = getelementptr float, ptr @table, i64 %i
  %from = select i1 %c, ptr %element, ptr %own
  %value = load float, ptr %from
  ret float %value
}

; CHECK-LABEL: define float @walk_from_number(
; CHECK: select i1 %c, ptr %next, ptr
define float @walk_from_number(i1 %c) {
entry:
  %own = alloca float
  br label %loop
loop:
  %at = phi ptr [ inttoptr (i64 4096 to ptr), %entry ], [ %next, %loop ]
  %next = getelementptr i8, ptr %at, i64 1
  %byte = load i8, ptr %at
  %more = icmp eq i8 %byte, 0
  br i1 %more, label %loop, label %done
done:
  %from = select i1 %c, ptr %next, ptr %own
  %value = load float, ptr %from
  ret float %value
}

; CHECK-LABEL: define ptr @null_by_way_of_a_phi(
; CHECK: phi ptr
define ptr @null_by_way_of_a_phi(i1 %c) {
entry:
  %own = alloca float
  br label %first
first:
  %none = phi ptr [ null, %entry ]
  br i1 %c, label %done, label %second
second:
  br label %done
done:
  %result = phi ptr [ %own, %second ], [ %none, %first ]
  ret ptr %result
}
