; With two branches, even a kernel of plain operations gets lanes, because LLVM's loop vectorizer would turn both
; branches into masks, even the uniform one.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=0>' %s | FileCheck %s
; RUN: sed 's/br i1 %first, label %change, label %next/br label %change/' %s \
; RUN:   | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=0>' | FileCheck %s --check-prefix=ONE

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: br i1 %first{{.*}}, label
; CHECK: call {{.*}} @llvm.masked.store.
; CHECK: "sinter-lanes"="{{[0-9]+}} lanes:
; ONE: "sinter-lanes"="scalar: left to the loop vectorizer"

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<2>" {
  %data = load ptr, ptr %block
  %row = call i64 @__sinter_global_id(i32 1)
  %column = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %column
  %first = icmp ne i64 %row, 0
  br i1 %first, label %change, label %next

change:
  %old = load float, ptr %cell
  %new = fadd float %old, 1.0
  store float %new, ptr %cell
  br label %next

next:
  %inside = icmp ult i64 %column, 1000
  br i1 %inside, label %put, label %end

put:
  %other = getelementptr float, ptr %cell, i64 4096
  store float 2.0, ptr %other
  br label %end

end:
  ret void
}
