; If a loop over work-items is declared parallel, LLVM's loop vectorizer treats the accesses of one work-item as
; independent, too. Here the vectorizer would load %old and %new together, although a store between the two loads may
; change %new. So loops are declared parallel only if the accesses of a work-item are known to be independent.
; RUN: %opt -passes=sinter-lower-cpu %s | FileCheck %s --implicit-check-not=llvm.loop.parallel_accesses
; RUN: sed 's/mul i64 %id, 2/mul i64 %id, 1/' %s | %opt -passes=sinter-lower-cpu | FileCheck %s --check-prefix=BESIDE
; RUN: sed 's/store float %sum, ptr %first/call void @llvm.donothing()/' %s | %opt -passes=sinter-lower-cpu | FileCheck %s --check-prefix=BESIDE

; CHECK: define {{.*}} @"sinter:kernel"(
; BESIDE: llvm.loop.parallel_accesses

declare i64 @__sinter_global_id(i32)
declare void @llvm.donothing()

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %in = load ptr, ptr %block
  %slot = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %slot
  %id = call i64 @__sinter_global_id(i32 2)
  %two = mul i64 %id, 2
  %next = add i64 %two, 1
  %old.p = getelementptr float, ptr %in, i64 %two
  %new.p = getelementptr float, ptr %in, i64 %next
  %first = getelementptr float, ptr %out, i64 %two
  %second = getelementptr float, ptr %out, i64 %next
  %old = load float, ptr %old.p
  %sum = fadd float %old, 1.0
  store float %sum, ptr %first
  %new = load float, ptr %new.p
  %difference = fsub float %new, %old
  store float %difference, ptr %second
  ret void
}
