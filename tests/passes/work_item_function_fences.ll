; Fences become LLVM fences, in helper functions, too. Relaxed fences order nothing and are removed.
; RUN: %opt -passes=sinter-work-item-function %s | FileCheck %s --implicit-check-not='call void @__sinter_fence'

; CHECK-LABEL: define internal void @publish()
; CHECK-NEXT: fence seq_cst
; CHECK-NEXT: ret void
; CHECK-LABEL: define internal i32 @kernel.work_item(
; CHECK-NEXT: call void @publish()
; CHECK-NEXT: fence seq_cst
; CHECK-NEXT: ret i32 0

declare void @__sinter_fence(i32, i32)

define internal void @publish() {
  call void @__sinter_fence(i32 2, i32 3)
  ret void
}

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  call void @publish()
  call void @__sinter_fence(i32 0, i32 3)
  call void @__sinter_fence(i32 4, i32 4)
  ret void
}
