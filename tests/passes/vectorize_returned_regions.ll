; A region of a sub-group kernel returns the number of the next region, and lanes may have returned it from several
; places. The entry goes only to regions that the region may really return: if it went to all regions, LLVM would see
; loops around the kernel, which take long to compile, and values would be kept in memory for them.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0;sub-group=8>' %s | FileCheck %s

; CHECK-LABEL: define internal void @"sinter:kernel"(
; CHECK: switch i32 {{.*}}, label %impossible [
; CHECK-NEXT: i32 1, label %region
; CHECK-NEXT: i32 2, label %region
; CHECK-NEXT: ]
; A lane that runs its loop to the end returns 0, and the other number is for all lanes.
; CHECK: switch i32 {{.*}}, label %impossible [
; CHECK-NEXT: i32 0, label %group_done
; CHECK-NEXT: i32 4, label %region
; CHECK-NEXT: ]
; CHECK-NOT: switch
; CHECK: {{^}}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare void @__sinter_barrier(i32, i32) convergent
declare i32 @__sinter_sub_group_shuffle_32(i32, i32) convergent

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %data = load ptr, ptr %block
  %at.count = getelementptr i8, ptr %block, i64 8
  %count = load i32, ptr %at.count
  %local = call i64 @__sinter_local_id(i32 2)
  %cell = getelementptr i32, ptr %data, i64 %local
  %own = load i32, ptr %cell
  %of.first = call i32 @__sinter_sub_group_shuffle_32(i32 %own, i32 0)
  store i32 %of.first, ptr %cell
  %is.small = icmp ult i32 %count, 10
  br i1 %is.small, label %one, label %two

one:
  call void @__sinter_barrier(i32 2, i32 2)
  store i32 1, ptr %cell
  br label %both

two:
  call void @__sinter_barrier(i32 2, i32 2)
  store i32 2, ptr %cell
  br label %both

both:
  call void @__sinter_barrier(i32 2, i32 2)
  %is.odd = trunc i32 %count to i1
  br i1 %is.odd, label %last, label %loop

loop:
  %i = phi i32 [ %own, %both ], [ %next, %loop ]
  %next = add i32 %i, %count
  %at = getelementptr i32, ptr %data, i32 %i
  store i32 %i, ptr %at
  %goes.on = icmp slt i32 %next, 1000
  br i1 %goes.on, label %loop, label %end

last:
  call void @__sinter_barrier(i32 2, i32 2)
  store i32 3, ptr %cell
  br label %end

end:
  ret void
}
