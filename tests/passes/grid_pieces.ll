; The loop's step is the grid's size, and its iterations are independent. Each group then takes a contiguous part of
; the iterations, if written memory does not overlap with read memory. In the changed loop, the step is the group's
; size.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; The loop stays unchanged if the program could notice the change: if the memory is also accessed outside of the loop,
; or if an iteration depends on its work-item, reads another iteration's element, counts iterations, or keeps a value
; for the next one.
; RUN: sed -e 's/;BEFORE//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/%value, 1.0/%value, %group.value/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/ptr %data, i64 %i$/ptr %data, i64 %other/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/;KEEPS//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; The comparison may have its operands swapped. The id and the step may be computed from the ids, the number and the
; size of groups, or the step may be a constant.
; RUN: sed -e 's/icmp ult i64 %i, %count/icmp ugt i64 %count, %i/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s
; RUN: sed -e 's/%id, %start/%product, %start/' -e 's/%i, %all/%i, %grid/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s
; RUN: sed -e 's/%i, %all/%i, 65536/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s
; In these tests, the loop does not start at the work-item's id. In the first test, the start is computed with another
; row length than the group's size and the sum may wrap; in the second one, the group's part of the id is added twice.
; RUN: sed -e 's/%id, %start/%product, %start/' -e 's/%i, %all/%i, %grid/' -e 's/mul i64 %group, %size/mul i64 %group, %count/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/%id, %start/%product, %start/' -e 's/%i, %all/%i, %grid/' -e 's/%row, %own.id/%row, %id/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; The loop also stays unchanged in these cases: some groups skip the loop and leave their elements unchanged; the header
; accesses memory and runs once more than the body; the start is an id that is truncated to 8 bits.
; RUN: sed -e 's/br label %head ;STAR[T]/br i1 %odd, label %head, label %done/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/;HEADER//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS
; RUN: sed -e 's/br label %head ;STAR[T]/%byte = trunc i64 %id to i8\n  %begin = zext i8 %byte to i64\n  br label %head/' -e 's/%id, %start/%begin, %start/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=STAYS

; The code compares the ends of the written and the read memory.
; CHECK: define internal i32 @kernel.work_item.region0(
; CHECK: [[OUT:%.*]] = ptrtoint ptr %out to i64
; CHECK: [[DATA:%.*]] = ptrtoint ptr %{{.*}} to i64
; CHECK: icmp ule i64 %{{.*}}, [[DATA]]
; CHECK: icmp ule i64 %{{.*}}, [[OUT]]
; CHECK: udiv i64 {{.*}}, %15
; CHECK: call i64 @llvm.umin.i64(

; STAYS-NOT: call i64 @llvm.umin.i64(
; STAYS: define internal void @"sinter:kernel"(
; STAYS-NOT: call i64 @llvm.umin.i64(

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_group_id(i32)
declare i64 @__sinter_global_range(i32)
declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_local_range(i32)
declare i64 @__sinter_group_range(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %data = load ptr, ptr %block
  %at.count = getelementptr i8, ptr %block, i64 8
  %count = load i64, ptr %at.count
  %at.out = getelementptr i8, ptr %block, i64 16
  %out = load ptr, ptr %at.out
  %id = call i64 @__sinter_global_id(i32 2)
  %all = call i64 @__sinter_global_range(i32 2)
  %group = call i64 @__sinter_group_id(i32 2)
  %size = call i64 @__sinter_local_range(i32 2)
  %groups = call i64 @__sinter_group_range(i32 2)
  %own.id = call i64 @__sinter_local_id(i32 2)
  %row = mul i64 %group, %size
  %product = add i64 %row, %own.id
  %grid = mul i64 %groups, %size
  %group.value = uitofp i64 %group to float
  ;BEFORE store float 2.0, ptr %out
  %odd = trunc i64 %group to i1
  br label %head ;START

head:
  %i = phi i64 [ %id, %start ], [ %next, %body ]
  ;KEEPS %own = phi float [ 0.0, %start ], [ %sum, %body ]
  ;HEADER %first = getelementptr float, ptr %out, i64 %i
  ;HEADER store float 3.0, ptr %first
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %done

body:
  %other = xor i64 %i, 1
  %from = getelementptr float, ptr %data, i64 %i
  %value = load float, ptr %from
  %sum = fadd float %value, 1.0
  ;KEEPS %used = fadd float %own, %sum
  %to = getelementptr float, ptr %out, i64 %i
  store float %sum, ptr %to
  ;KEEPS store float %used, ptr %to
  %next = add i64 %i, %all
  br label %head

done:
  ret void
}
