; The argument block never changes, so loads from it are invariant, through any chain of offsets. Loads through
; pointers that are stored in the block are not invariant. Accesses get the access group of the parallel loop. Atomics
; do not get the access group. Accesses to private memory do not get it either, because all iterations of a work-item
; loop use the same private memory.
; RUN: %opt -passes=sinter-work-item-function %s | FileCheck %s

; CHECK: %data = load ptr, ptr %0, align 8, !invariant.load ![[EMPTY:[0-9]+]], !llvm.access.group ![[GROUP:[0-9]+]]
; CHECK: %scale = load float, ptr %scale_at, align 4, !invariant.load ![[EMPTY]], !llvm.access.group ![[GROUP]]
; CHECK: %x = load float, ptr %cell, align 4, !llvm.access.group ![[GROUP]]{{$}}
; CHECK: store float %y, ptr %private_cell, align 4{{$}}
; CHECK: %z = load float, ptr %private_cell, align 4{{$}}
; CHECK: store float %z, ptr %cell, align 4, !llvm.access.group ![[GROUP]]{{$}}
; CHECK: atomicrmw add ptr %data, i32 1 seq_cst, align 4{{$}}
; CHECK: !sinter.access_group = !{![[GROUP]]}
; CHECK-DAG: ![[GROUP]] = distinct !{}
; CHECK-DAG: ![[EMPTY]] = !{}

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %private = alloca [8 x float]
  %data = load ptr, ptr %block
  %inner = getelementptr i8, ptr %block, i64 8
  %scale_at = getelementptr i8, ptr %inner, i64 4
  %scale = load float, ptr %scale_at
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %x = load float, ptr %cell
  %y = fmul float %x, %scale
  %index = urem i64 %id, 8
  %private_cell = getelementptr float, ptr %private, i64 %index
  store float %y, ptr %private_cell
  %z = load float, ptr %private_cell
  store float %z, ptr %cell
  atomicrmw add ptr %data, i32 1 seq_cst
  ret void
}
