; If a launch accesses more memory than the cache holds, it runs another version of the code: stores to aligned
; addresses bypass the cache, and the code ends with a fence. Here, the cache holds 32 MB, and a work-item accesses 24
; bytes, where each array counts once. Stores to arrays that the kernel also reads are ordinary stores. If a kernel
; writes to several arrays, all its stores are ordinary.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; RUN: sed 's/^; several: //' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=SEVERAL

; CHECK-LABEL: define {{.*}} @kernel.work_item.wide.streaming(
; CHECK: [[ADDRESS:%.*]] = ptrtoint ptr [[TO:%.*]] to i64
; CHECK: [[LOW:%.*]] = and i64 [[ADDRESS]], [[MASK:31|63|15]]
; CHECK: [[ALIGNED:%.*]] = icmp eq i64 [[LOW]], 0
; CHECK: br i1 [[ALIGNED]], label %[[YES:.*]], label %[[NO:.*]]
; CHECK: [[YES]]:
; CHECK-NEXT: store <{{2|4|8}} x double> [[VALUE:%.*]], ptr [[TO]], align {{16|32|64}}, !nontemporal
; CHECK: [[NO]]:
; CHECK: store <{{2|4|8}} x double> [[VALUE]], ptr [[TO]], align 8
; CHECK-NOT: nontemporal
; CHECK: ret i32 0

; SEVERAL-NOT: streaming
; SEVERAL-NOT: nontemporal

; CHECK-LABEL: define internal void @"sinter:kernel"(
; CHECK: [[LARGE:%.*]] = icmp uge i64 {{%.*}}, 1398101
; CHECK: br i1 [[LARGE]],
; CHECK: call i32 @kernel.work_item.wide.streaming(
; CHECK: call i32 @kernel.work_item(
; CHECK: call void @llvm.x86.sse.sfence()

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %a = load ptr, ptr %block
  %b_at = getelementptr i8, ptr %block, i64 8
  %b = load ptr, ptr %b_at
  %c_at = getelementptr i8, ptr %block, i64 16
  %c = load ptr, ptr %c_at
  %id = call i64 @__sinter_global_id(i32 2)
  %pa = getelementptr double, ptr %a, i64 %id
  %pb = getelementptr double, ptr %b, i64 %id
  %pc = getelementptr double, ptr %c, i64 %id
  %x = load double, ptr %pb
  %y = fmul double %x, 3.0
  store double %y, ptr %pa
; several:   %d_at = getelementptr i8, ptr %block, i64 24
; several:   %d = load ptr, ptr %d_at
; several:   %pd = getelementptr double, ptr %d, i64 %id
; several:   store double %x, ptr %pd
  %z = load double, ptr %pc
  %w = fadd double %z, %y
  store double %w, ptr %pc
  ret void
}
