; Work-items start at different positions. As long as all of them continue, they run the loop together without barriers.
; This first part of the loop needs no masks. Without this part, each access of the loop, which loads a tile with its
; border, would have a mask.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; If the loop ends with whole vectors, there is only one copy of the loop.
; RUN: sed -e 's/i32 %x, 66/i32 %x, 64/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' | FileCheck %s --check-prefix=WHOLE

; CHECK-LABEL: define {{.*}}region0.wide(
; CHECK: load <16 x float>
; CHECK: call <16 x float> @llvm.masked.load
; CHECK: ret i32 1

; WHOLE-LABEL: define {{.*}}region0.wide(
; WHOLE-NOT: masked.load
; WHOLE: load <16 x float>
; WHOLE-NOT: load <16 x float>
; WHOLE: ret i32 1

declare i64 @__sinter_local_id(i32)
declare i64 @__sinter_group_id(i32)
declare i64 @__sinter_local_range(i32)
declare ptr @__sinter_local_argument(i32)
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %in = load ptr, ptr %block
  %at.tile = getelementptr i8, ptr %block, i64 8
  %tile = load ptr, ptr %at.tile
  %at.out = getelementptr i8, ptr %block, i64 16
  %out = load ptr, ptr %at.out
  %id = call i64 @__sinter_local_id(i32 2)
  %lx = trunc i64 %id to i32
  br label %head

head:
  %x = phi i32 [ %lx, %start ], [ %next, %body ]
  %more = icmp slt i32 %x, 66
  br i1 %more, label %body, label %meet

body:
  %index = sext i32 %x to i64
  %from = getelementptr float, ptr %in, i64 %index
  %value = load float, ptr %from
  %to = getelementptr float, ptr %tile, i64 %index
  store float %value, ptr %to
  %next = add nsw i32 %x, 16
  br label %head

meet:
  call void @__sinter_barrier(i32 2, i32 2)
  %behind = getelementptr float, ptr %tile, i64 %id
  %after = getelementptr i8, ptr %behind, i64 8
  %result = load float, ptr %after
  %there = getelementptr float, ptr %out, i64 %id
  store float %result, ptr %there
  ret void
}
