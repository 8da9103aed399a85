; Structures of seven shorts are copied as 64 bits and 48 bits. The number of lanes is still a power of two,
; because otherwise a row of a work-group would not consist of whole vectors.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=0>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: "sinter-lanes"="{{4|8}} lanes:

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %in = load ptr, ptr %block
  %slot = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %slot
  %id = call i64 @__sinter_global_id(i32 2)
  %from = getelementptr i48, ptr %in, i64 %id
  %value = load i48, ptr %from, align 2
  %start = uitofp i48 %value to float
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ %start, %entry ], [ %more, %loop ]
  %product = fmul float %sum, %sum
  %more = fadd float %product, 1.0
  %next = add i64 %k, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %exit, label %loop
exit:
  %to = getelementptr float, ptr %out, i64 %id
  store float %more, ptr %to
  ret void
}
