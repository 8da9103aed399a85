; 32-bit arithmetic on ids is consecutive if nothing can wrap. If only some lanes are on, lane 0 may be off and wrap: a
; difference wraps first in the lane with the smallest id.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s
; RUN: %opt -passes='sinter-work-item-function<wide>,sinter-vectorize<wide;lanes=4>' %s | FileCheck %s --check-prefix=WIDE

; CHECK: "sinter-lanes"="4 lanes: {{[0-9]}} uniform, 2 consecutive, 1 gathered"
; WIDE: outside:
; WIDE-COUNT-2: call <4 x float> @llvm.masked.gather.v4f32
; WIDE: "sinter-lanes"="4 lanes inside borders:

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data = load ptr, ptr %block
  %more = getelementptr i8, ptr %block, i64 8
  %k = load i32, ptr %more
  %id = call i64 @__sinter_global_id(i32 2)
  %narrow = trunc i64 %id to i32
  %n1 = add nsw i32 %narrow, 1
  %w1 = sext i32 %n1 to i64
  %p1 = getelementptr float, ptr %data, i64 %w1
  %x = load float, ptr %p1
  %odd = and i32 %narrow, 1
  %c = icmp ne i32 %odd, 0
  br i1 %c, label %some, label %join
some:
  %n2 = sub nuw i32 %narrow, %k
  %w2 = zext i32 %n2 to i64
  %p2 = getelementptr float, ptr %data, i64 %w2
  %y = load float, ptr %p2
  %z = fadd float %x, %y
  br label %join
join:
  %v = phi float [ %x, %entry ], [ %z, %some ]
  %far = getelementptr i8, ptr %data, i64 4000
  %q = getelementptr float, ptr %far, i64 %id
  store float %v, ptr %q
  ret void
}
