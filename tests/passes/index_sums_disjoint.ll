; The row starts at a multiple of a power of two, and the column is smaller than this power. The row's start and the
; column have no bits in common, so LLVM adds them by `or`. Lane 0 may be off, but the indices of lanes that are on are
; consecutive. The pass shows this by turning `or` into a sum, so no lane gathers.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s
; If the numbers may have bits in common, `or` is not a sum.
; RUN: sed -e 's/or disjoint i64 %column, %begin/or i64 %column, %row/' %s | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s --check-prefix=ANY

; CHECK-NOT: gather
; CHECK: "sinter-lanes"="4 lanes{{.*}} 2 consecutive"
; ANY: gather

declare i64 @__sinter_global_id(i32)
declare i64 @__sinter_local_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<2>" {
entry:
  %data = load ptr, ptr %block
  %result.at = getelementptr i8, ptr %block, i64 8
  %result = load ptr, ptr %result.at
  %step.at = getelementptr i8, ptr %block, i64 16
  %step = load i64, ptr %step.at
  %row = call i64 @__sinter_global_id(i32 1)
  %begin = shl i64 %row, 12
  %id = call i64 @__sinter_local_id(i32 2)
  %any = icmp ult i64 %id, 4096
  br i1 %any, label %loop, label %end

loop:
  %column = phi i64 [ %id, %entry ], [ %next, %loop ]
  %place = or disjoint i64 %column, %begin
  %from = getelementptr float, ptr %data, i64 %place
  %value = load float, ptr %from
  %twice = fmul float %value, 2.0
  %to = getelementptr float, ptr %result, i64 %place
  store float %twice, ptr %to
  %next = add i64 %column, %step
  %goes_on = icmp ult i64 %next, 4096
  br i1 %goes_on, label %loop, label %end

end:
  ret void
}
