; The work-items of a group number the elements of a tile, and compute rows and columns from the numbers. The pass makes
; the work-items go along the tile's rows instead, so that a vector's elements are consecutive in memory. In this test,
; 64 work-items share rows of 18 elements, so without the pass, half of a vector's lanes would be in the next row.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; The loop stays unchanged if an iteration may notice which work-item runs it: if iterations write to one address, read
; memory that the loop writes, write to memory that is not the group's, or use anything of the work-item except the
; element's number. The loop also stays unchanged if not all work-items run the loop together.
; RUN: sed -e 's/ptr %near, i64 %i$/ptr %near, i64 %low/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/load float, ptr %from/load float, ptr %near/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/ptr %near, i64 %i$/ptr %out, i64 %i/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/add i64 %first, %low/add i64 %id, %low/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/;TWICE//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/%i, 64/%i, 32/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/%id, %start/1, %start/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/;HEADER//' -e 's/store float %value, ptr %to/;/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/br label %head ;STAR[T]/%byte = trunc i64 %id to i8\n  %begin = zext i8 %byte to i64\n  br label %head/' -e 's/%id, %start/%begin, %start/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; If other work-items could notice the change by an access before or after the loop, a barrier is added.
; RUN: sed -e 's/;BEFORE//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=MEETS
; RUN: sed -e 's/;BEHIND//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=MEETS

; CHECK-NOT: work_item.region2
; CHECK: define internal i32 @kernel.work_item.region0.wide(
; CHECK-NOT: gather
; CHECK-NOT: udiv
; CHECK: load <16 x float>
; CHECK-NOT: work_item.region2

; STAYS-NOT: next.row
; STAYS: define internal void @"sinter:kernel"(
; STAYS-NOT: next.row

; MEETS: define internal i32 @kernel.work_item.region2

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_group_id(i32)
declare ptr @__sinter_local_base()
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" "sinter-work-group-size"="64" {
start:
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %at.out
  %at.pitch = getelementptr i8, ptr %block, i64 16
  %pitch = load i64, ptr %at.pitch
  %id = call i64 @__sinter_local_id(i32 2)
  %group = call i64 @__sinter_group_id(i32 2)
  %near = call ptr @__sinter_local_base()
  %first = mul i64 %group, 64
  %own = getelementptr float, ptr %near, i64 %id
  ;BEFORE store float 1.0, ptr %own
  br label %head ;START

head:
  %i = phi i64 [ %id, %start ], [ %next, %body ]
  ;HEADER %here = getelementptr float, ptr %near, i64 %i
  ;HEADER store float 4.0, ptr %here
  %more = icmp ult i64 %i, 324
  br i1 %more, label %body, label %done

body:
  %row = udiv i64 %i, 18
  %low = urem i64 %i, 18
  %before = mul i64 %row, %pitch
  %column = add i64 %first, %low
  %place = add i64 %before, %column
  %from = getelementptr float, ptr %data, i64 %place
  %value = load float, ptr %from
  %to = getelementptr float, ptr %near, i64 %i
  store float %value, ptr %to
  ;TWICE %second = getelementptr i8, ptr %to, i64 256
  ;TWICE store float 3.0, ptr %second
  %next = add nuw i64 %i, 64
  br label %head

done:
  ;BEHIND store float 2.0, ptr %own
  call void @__sinter_barrier(i32 2, i32 2)
  %mirror = sub i64 323, %id
  %other = getelementptr float, ptr %near, i64 %mirror
  %result = load float, ptr %other
  %place.out = add i64 %first, %id
  %to.out = getelementptr float, ptr %out, i64 %place.out
  store float %result, ptr %to.out
  ret void
}
