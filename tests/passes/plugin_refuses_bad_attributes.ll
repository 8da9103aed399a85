; Only test files have such attributes. A mistake in an attribute must be an error, so that the test does not pass by
; accident.
; RUN: not %opt -passes=sinter-work-item-function,sinter-cpu-entry %s 2>&1 | FileCheck %s --check-prefix=SHAPE
; RUN: not %opt -passes=sinter-cpu-entry %s 2>&1 | FileCheck %s --check-prefix=ORDER
; RUN: not %opt -passes='sinter-cpu-entry<narrow>' %s 2>&1 | FileCheck %s --check-prefix=PARAMETER
; RUN: sed 's/range<4>/range<1>/' %s | not %opt -passes='sinter-host-links' 2>&1 | FileCheck %s --check-prefix=IMPORTS
; RUN: sed 's/sinter-kernel/sinter-colonel/' %s | not %opt -passes=sinter-select-kernel 2>&1 \
; RUN:   | FileCheck %s --check-prefix=KERNEL

; SHAPE: "sinter-kernel" has to be single_task, range<1..3> or nd_range<1..3>, not 'range<4>'
; ORDER: no function with attribute "sinter-work-item": run sinter-work-item-function before
; PARAMETER: unknown pass name 'sinter-cpu-entry<narrow>'
; IMPORTS: !sinter.imports has to name one node of strings
; KERNEL: expected one function with attribute "sinter-kernel", found 0

define void @kernel(ptr %block) "sinter-kernel"="range<4>" {
  ret void
}

!sinter.imports = !{!0}
!0 = !{i32 1}
