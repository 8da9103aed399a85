; The work-items of a group add up a row together, and the first vector of them adds up their sums. If registers can hold
; all sums, sums are in memory only while remaining iterations run, in which not all work-items take part. Both the
; barrier behind these iterations and the copy of the kept values for them are needed for this. Without them, the sums
; of each row went through memory twice.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>,sinter-optimise' %s | FileCheck %s

; CHECK-LABEL: define internal void @"sinter:kernel"(
; CHECK: alloca [1152 x i8]
; CHECK-NOT: alloca
; CHECK-NOT: store
; Only the remaining iterations find the sums in memory.
; CHECK: store i64 {{.*}}, ptr %kept
; CHECK-COUNT-16: store <16 x float> {{.*}}kept
; CHECK: call <16 x float> @llvm.masked.load
; CHECK-COUNT-16: load <16 x float>, ptr {{.*}}kept
; CHECK: call void @llvm.lifetime.end.p0(ptr nonnull %kept)
; CHECK-NOT: kept
; CHECK-COUNT-15: fadd <16 x float>
; The result is the only other store.
; CHECK: store <16 x float>
; CHECK-NOT: store
; CHECK: {{^}}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_group_id(i32)
declare ptr @__sinter_group_scratch(i32)
declare void @__sinter_barrier(i32, i32) convergent

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %data = load ptr, ptr %block
  %at.out = getelementptr i8, ptr %block, i64 16
  %out = load ptr, ptr %at.out
  %at.count = getelementptr i8, ptr %block, i64 8
  %count = load i64, ptr %at.count
  %local = call i64 @__sinter_local_id(i32 2)
  %group = call i64 @__sinter_group_id(i32 2)
  %scratch = call ptr @__sinter_group_scratch(i32 8)
  %first = mul i64 %group, %count
  %row = getelementptr float, ptr %data, i64 %first
  br label %head

head:
  %i = phi i64 [ %local, %start ], [ %next, %body ]
  %sum = phi float [ 0.0, %start ], [ %more, %body ]
  %goes.on = icmp ult i64 %i, %count
  br i1 %goes.on, label %body, label %behind

body:
  %at = getelementptr float, ptr %row, i64 %i
  %x = load float, ptr %at
  %more = fadd float %sum, %x
  %next = add i64 %i, 256
  br label %head

behind:
  %slot = getelementptr float, ptr %scratch, i64 %local
  store float %sum, ptr %slot
  call void @__sinter_barrier(i32 2, i32 2)
  %is.first = icmp ult i64 %local, 16
  br i1 %is.first, label %combine, label %end

combine:
  %place = phi i64 [ %local, %behind ], [ %next.place, %combine ]
  %all = phi float [ 0.0, %behind ], [ %all.more, %combine ]
  %slot.of = getelementptr float, ptr %scratch, i64 %place
  %value = load float, ptr %slot.of
  %all.more = fadd float %all, %value
  %next.place = add i64 %place, 16
  %again = icmp ult i64 %next.place, 256
  br i1 %again, label %combine, label %write

write:
  %column = shl i64 %group, 4
  %result = add i64 %column, %local
  %to = getelementptr float, ptr %out, i64 %result
  store float %all.more, ptr %to
  br label %end

end:
  ret void
}

!sinter.groups = !{!0}
!0 = !{!"\01\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\00\01\00\00\00\00\00\00", !""}
