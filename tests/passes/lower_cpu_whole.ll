; Runs all steps. The module defines @sinter_kernel_info (contract, flags, entry, context, scratch and private bytes,
; imports, runtime), no device call is left, and the code is for this machine.
; RUN: %opt -passes='sinter-lower-cpu<check-barriers>' %s | FileCheck %s --implicit-check-not='call {{.*}}@__sinter'

; CHECK-DAG: @sinter_kernel_info = constant {{.*}} ptr @"sinter:kernel", i64 64, i64 16, i64 0, i64 0, ptr null,{{.*}}runtime }
; CHECK-DAG: @sinter_runtime = internal global ptr null
; CHECK-DAG: c"kernel 'kernel' (test.cpp:1): work-items of one work-group stop at different group_barriers, or some
; CHECK: define internal i32 @kernel.work_item.region0({{.*}} #[[REGION:[0-9]+]]
; CHECK: define internal void @sinter.divergent_barrier() #
; CHECK: define internal void @"sinter:kernel"(
; CHECK: attributes #[[REGION]] = { {{.*}}"target-cpu"=

declare i64 @__sinter_local_id(i32)
declare ptr @__sinter_local_base()
declare void @__sinter_barrier(i32, i32)
declare ptr @__sinter_group_scratch(i32)
declare float @__sinter_math_cbrt_f32(float)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_local_id(i32 2)
  %tile = call ptr @__sinter_local_base()
  %cell = getelementptr float, ptr %tile, i64 %id
  %x = load float, ptr %data
  store float %x, ptr %cell
  %slots = call ptr @__sinter_group_scratch(i32 16)
  store float %x, ptr %slots
  call void @wait()
  %more = call ptr @__sinter_group_scratch(i32 4)
  store float %x, ptr %more
  %y = load float, ptr %tile
  %root = call float @__sinter_math_cbrt_f32(float %y)
  %sum = fadd float %x, %root
  store float %sum, ptr %data
  ret void
}

define internal void @wait() {
  call void @__sinter_barrier(i32 2, i32 2)
  ret void
}
