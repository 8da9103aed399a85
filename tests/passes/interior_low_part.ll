; LLVM replaces a sum of 32-bit numbers that does not overflow by the low half of a 64-bit sum. If the low half equals
; the whole sum at both ends of a vector, the lanes store to consecutive elements. LLVM's loop vectorizer checks this as
; well, so the JIT makes no second version of a kernel for this reason alone.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=0>' %s | FileCheck %s --check-prefix=FITTING

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: icmp ult i64 {{%.*}}, 4294967296
; CHECK: inside:
; CHECK: store <4 x float>
; CHECK: outside:
; CHECK: "sinter-lanes"="4 lanes inside borders: 1 uniform, 1 consecutive"
; FITTING: "sinter-lanes"="scalar: left to the loop vectorizer"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<2>" {
  %data = load ptr, ptr %block
  %row = call i64 @__sinter_global_id(i32 1)
  %column = call i64 @__sinter_global_id(i32 2)
  %start = mul i64 %row, 2000
  %sum = add i64 %start, %column
  %high = shl i64 %sum, 32
  %offset = ashr exact i64 %high, 30
  %cell = getelementptr i8, ptr %data, i64 %offset
  store float 1.0, ptr %cell
  ret void
}
