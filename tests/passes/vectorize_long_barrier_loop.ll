; If a loop with a barrier is unrolled, the code has several barriers, and each barrier begins a region of its own. The
; JIT makes several versions of each region. So loops of up to 16 iterations are unrolled, and longer loops are not.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8;block=0>' %s | FileCheck %s

; CHECK-NOT: work_item.region2
; CHECK: @kernel.work_item.region1.wide(
; CHECK-NOT: work_item.region2

declare i64 @__sinter_local_id(i32)
declare ptr @__sinter_local_base()
declare void @__sinter_barrier(i32, i32) convergent

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" "sinter-local-accessors"="0:16" convergent {
entry:
  %offset = load i64, ptr %block
  %base = call ptr @__sinter_local_base()
  %values = getelementptr i8, ptr %base, i64 %offset
  %i = call i64 @__sinter_local_id(i32 2)
  %mine = getelementptr float, ptr %values, i64 %i
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %more, %loop ]
  %value = load float, ptr %mine
  %half = fmul float %value, 0.5
  store float %half, ptr %mine
  call void @__sinter_barrier(i32 2, i32 1)
  %more = add i32 %k, 1
  %again = icmp ult i32 %more, 17
  br i1 %again, label %loop, label %done

done:
  ret void
}
