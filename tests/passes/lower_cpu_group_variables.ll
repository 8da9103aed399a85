; In local memory, the variables of a group come before the local accessors. Each variable has the alignment that it
; needs. Calls with equal keys refer to the same variable, even if a pass has copied the call, or if unoptimised code
; keeps the key on the stack. The runtime adds the size of the variables to the local memory of each group.
; RUN: %opt -passes=sinter-lower-cpu %s | FileCheck %s

; Offset 0: a, 4 bytes. Offset 256: b, 8 bytes aligned to 256. Offset 320: c. The sum is rounded up to a multiple of
; 256.
; CHECK: @sinter_kernel_info = {{.*}} i64 0, i64 0, i64 512, i64 0, ptr null
; CHECK-LABEL: define internal i32 @kernel.work_item(
; CHECK: [[A:%.*]] = getelementptr inbounds i8, ptr [[LOCAL:%.*]], i64 0
; CHECK: store volatile i32 1, ptr [[A]]
; CHECK: [[B:%.*]] = getelementptr inbounds i8, ptr [[LOCAL]], i64 256
; CHECK: store volatile i64 5, ptr [[B]]
; CHECK: [[AGAIN:%.*]] = getelementptr inbounds i8, ptr [[LOCAL]], i64 0
; CHECK: store volatile i32 2, ptr [[AGAIN]]
; CHECK: [[C:%.*]] = getelementptr inbounds i8, ptr [[LOCAL]], i64 320
; CHECK: store volatile i8 6, ptr [[C]]
; CHECK: [[BASE:%.*]] = getelementptr inbounds i8, ptr [[LOCAL]], i64 512
; CHECK: store volatile i32 7, ptr [[BASE]]

@a = internal constant i8 0
@b = internal constant i8 0
@c = internal constant i8 0

declare ptr @__sinter_local_base()
declare ptr @__sinter_group_variable(ptr, i32, i32)
declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %first = call ptr @__sinter_group_variable(ptr @a, i32 4, i32 4)
  store volatile i32 1, ptr %first
  %second = call ptr @__sinter_group_variable(ptr @b, i32 8, i32 256)
  store volatile i64 5, ptr %second
  %slot = alloca ptr
  store ptr @a, ptr %slot
  %kept = load ptr, ptr %slot
  %again = call ptr @__sinter_group_variable(ptr %kept, i32 4, i32 4)
  store volatile i32 2, ptr %again
  %third = call ptr @__sinter_group_variable(ptr @c, i32 1, i32 1)
  store volatile i8 6, ptr %third
  %base = call ptr @__sinter_local_base()
  store volatile i32 7, ptr %base
  ret void
}
