; Positions advance in loops whose number of iterations is known only at run time, as in windows of any radius. Away
; from borders, no position is clamped for any value of the counter. Away from borders, indices are added in 64 bits,
; because LLVM would combine the loop-invariant operands and lose the promise that the sum does not wrap.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s
; The counter may also go down.
; RUN: sed -e 's/%counter, 1$/%counter, -1/' -e 's/ %left, %entry/ %radius, %entry/' -e 's/sgt i32 %counter, %radius/slt i32 %counter, %left/' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s
; A counter with an unknown start has no bounds, so there is no separate version of the code for positions away from
; borders.
; RUN: sed -e 's/ %left, %entry/ %first, %entry/' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' | FileCheck %s --check-prefix=NONE

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: br i1 {{%.*}}, label %inside, label %outside
; CHECK: inside:
; CHECK-NOT: smax
; CHECK-NOT: gather
; CHECK: load <4 x float>, ptr
; CHECK: outside:
; CHECK: masked.gather.v4f32
; CHECK: "sinter-lanes"="4 lanes inside borders: {{[0-9]}} uniform, 2 consecutive"

; NONE-NOT: inside:

declare i64 @__sinter_global_id(i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="range<2>" {
entry:
  %data = load ptr, ptr %block
  %result.at = getelementptr i8, ptr %block, i64 8
  %result = load ptr, ptr %result.at
  %width.at = getelementptr i8, ptr %block, i64 16
  %width = load i32, ptr %width.at
  %radius.at = getelementptr i8, ptr %block, i64 20
  %radius = load i32, ptr %radius.at
  %row = call i64 @__sinter_global_id(i32 1)
  %id = call i64 @__sinter_global_id(i32 2)
  %y = trunc i64 %row to i32
  %x = trunc i64 %id to i32
  %first = load i32, ptr %data
  %left = sub nsw i32 0, %radius
  %line = mul nsw i32 %y, %width
  %last = add nsw i32 %width, -1
  br label %head

head:
  %counter = phi i32 [ %left, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %ends = icmp sgt i32 %counter, %radius
  br i1 %ends, label %end, label %body

body:
  %moved = add nsw i32 %x, %counter
  %low = call i32 @llvm.smax.i32(i32 %moved, i32 0)
  %clamped = call i32 @llvm.smin.i32(i32 %low, i32 %last)
  %place = add nsw i32 %line, %clamped
  %index = sext i32 %place to i64
  %from = getelementptr float, ptr %data, i64 %index
  %value = load float, ptr %from
  %more = fadd float %sum, %value
  %next = add nsw i32 %counter, 1
  br label %head

end:
  %own = add nsw i32 %line, %x
  %own.index = sext i32 %own to i64
  %to = getelementptr float, ptr %result, i64 %own.index
  store float %sum, ptr %to
  ret void
}
