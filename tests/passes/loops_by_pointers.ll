; A loop that compares pointers has no counter that the pass could use to keep work-items together, so the loop is not
; changed.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s

; CHECK-NOT: region1(
; CHECK: define internal void @"sinter:kernel"(

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_global_range(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %data = load ptr, ptr %block
  %at.end = getelementptr i8, ptr %block, i64 8
  %end = load ptr, ptr %at.end
  %id = call i64 @__sinter_global_id(i32 2)
  %all = call i64 @__sinter_global_range(i32 2)
  %first = getelementptr float, ptr %data, i64 %id
  br label %head

head:
  %place = phi ptr [ %first, %start ], [ %next, %body ]
  %more = icmp ult ptr %place, %end
  br i1 %more, label %body, label %done

body:
  %x = load float, ptr %place
  %y = fadd float %x, 1.0
  store float %y, ptr %place
  %next = getelementptr float, ptr %place, i64 %all
  br label %head

done:
  ret void
}
