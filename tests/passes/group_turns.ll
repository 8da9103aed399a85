; Work-items in groups of 256 add up elements by the step of the grid. After every eighth iteration, the work-items of a
; group meet, and the next one of 16 groups continues. So the 16 groups together read eight rows of 16 KiB. Each group
; has a part of the context.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; Groups also take turns if the loop is followed by an atomic addition whose old value is not used.
; RUN: sed -e 's/;ADDS//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=TURNS
; Four groups of 1024 work-items take turns, and groups of 4096 do not.
; RUN: sed -e 's/"256"/"1024"/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=FOUR
; RUN: sed -e 's/"256"/"4096"/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=ALONE
; Groups run one after the other if a group may wait for another group, takes the old value of an atomic, prints, or
; uses local memory. There is only one copy of local memory, which all groups would share.
; RUN: sed -e 's/;WAITS//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=ALONE
; RUN: sed -e 's/;TAKES//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=ALONE
; RUN: sed -e 's/;SHOWS//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=ALONE
; RUN: sed -e 's/;LOCAL//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=ALONE
; Groups also run one after the other if each group reads contiguous rows, because such loops over rows are long anyway,
; or if the group size, and so the size of the context, is not known.
; RUN: sed -e 's/global_range(i32 2)/local_range(i32 2)/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' \
; RUN:   | FileCheck %s --check-prefix=ALONE
; RUN: sed -e 's/"sinter-work-group-size"="256"//' %s | %opt -passes='sinter-lower-cpu<lanes=0>' \
; RUN:   | FileCheck %s --check-prefix=ALONE
; RUN: env SINTER_PASSES=-group-turns %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s --check-prefix=ALONE

; CHECK: define internal i32 @kernel.work_item.region1.wide(
; CHECK: add nuw nsw i32 [[TURN:%.*]], 1
; CHECK: icmp eq i32 [[TURN]], 7
; CHECK: define internal void @"sinter:kernel"(
; CHECK: %next_of_groups = alloca [16 x i32]
; CHECK: call i64 @llvm.umin.i64(i64 %{{.*}}, i64 16)
; CHECK: call void @llvm.memset.p0.i64(ptr align 4 %next_of_groups, i8 0, i64 64, i1 false)
; CHECK: turn:
; CHECK: add nuw i64 %{{.*}}, %member
; CHECK: [[PART:%.*]] = mul nuw i64 %member{{[0-9]*}}, 1152
; CHECK: [[OWN:%.*]] = getelementptr inbounds i8, ptr %context, i64 [[PART]]
; CHECK: switch i32
; CHECK-NEXT: i32 0, label
; CHECK-NEXT: i32 1, label
; CHECK: call i32 @kernel.work_item.region0.wide({{.*}}ptr [[OWN]]
; CHECK: call i32 @kernel.work_item.region1.wide({{.*}}ptr [[OWN]]

; TURNS: turn:
; FOUR: %next_of_groups = alloca [4 x i32]
; ALONE: define internal void @"sinter:kernel"(
; ALONE-NOT: next_of_groups

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_global_range(i32)
declare i64 @__sinter_local_range(i32)
declare ptr @__sinter_local_base()
declare i32 @puts(ptr)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" "sinter-work-group-size"="256" {
start:
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 16
  %out = load ptr, ptr %at.out
  %at.count = getelementptr i8, ptr %block, i64 8
  %count = load i64, ptr %at.count
  %id = call i64 @__sinter_global_id(i32 2)
  %at.own = getelementptr float, ptr %out, i64 %id
  %all = call i64 @__sinter_global_range(i32 2)
  ;LOCAL %local = call ptr @__sinter_local_base()
  ;LOCAL store i32 1, ptr %local
  br label %head

head:
  %i = phi i64 [ %id, %start ], [ %next, %body ]
  %sum = phi float [ 0.0, %start ], [ %more, %body ]
  %inside = icmp ult i64 %i, %count
  br i1 %inside, label %body, label %done

body:
  %from = getelementptr float, ptr %data, i64 %i
  %x = load float, ptr %from
  %more = fadd float %sum, %x
  %next = add i64 %i, %all
  br label %head

done:
  store float %sum, ptr %at.own
  ;ADDS %unused = atomicrmw add ptr %at.out, i32 1 monotonic
  ;TAKES %ticket = atomicrmw add ptr %at.out, i32 1 monotonic
  ;TAKES store i32 %ticket, ptr %at.own
  ;WAITS %flag = load atomic i32, ptr %at.out acquire, align 4
  ;WAITS store i32 %flag, ptr %at.own
  ;SHOWS %shown = call i32 @puts(ptr %at.own)
  ret void
}
