; Code for one local range has its own group scratch, and loops with few short iterations are unrolled. So values
; that work-items exchange stay in registers. Code for any range, and code for many work-items, uses the launch's
; scratch memory.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8>,sinter-optimise' %s | FileCheck %s
; RUN: sed '/^!sinter.groups/d' %s | %opt -passes='sinter-lower-cpu<lanes=8>' | FileCheck %s --check-prefix=ANY
; RUN: sed 's/40.00.00.00.00.00.00.00", !""}$/00\\04\\00\\00\\00\\00\\00\\00", !""}/' %s | %opt -passes='sinter-lower-cpu<lanes=8>' \
; RUN:   | FileCheck %s --check-prefix=MANY

; CHECK: @sinter_kernel_info = {{.*}} i64 0, i64 0, i64 0, i64 0, ptr null, ptr null }
; CHECK-LABEL: define internal void @"sinter:kernel"(
; CHECK-NOT: alloca
; CHECK-COUNT-8: store <8 x float> %.splat
; CHECK-NOT: alloca
; CHECK: {{^}}}

; ANY: @sinter_kernel_info = {{.*}} i64 0, i64 64, i64 0, i64 0, ptr null, ptr null }
; ANY-LABEL: define internal void @"sinter:kernel"(
; ANY-NOT: alloca [

; MANY: @sinter_kernel_info = {{.*}} i64 0, i64 64, i64 0, i64 0, ptr null, ptr null }
; MANY-LABEL: define internal void @"sinter:kernel"(
; MANY-NOT: alloca [

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_id(i32)
declare ptr @__sinter_group_scratch(i32)
declare void @__sinter_barrier(i32, i32) convergent

; All work-items read the value of one work-item.
define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %i = call i64 @__sinter_global_id(i32 2)
  %local = call i64 @__sinter_local_id(i32 2)
  %scratch = call ptr @__sinter_group_scratch(i32 64)
  %mine = getelementptr float, ptr %data, i64 %i
  %value = load float, ptr %mine
  %slot = getelementptr float, ptr %scratch, i64 %local
  store float %value, ptr %slot
  call void @__sinter_barrier(i32 2, i32 2)
  %other_slot = getelementptr float, ptr %scratch, i64 21
  %taken = load float, ptr %other_slot
  store float %taken, ptr %mine
  ret void
}

!sinter.groups = !{!0}
!0 = !{!"\01\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\40\00\00\00\00\00\00\00", !""}
