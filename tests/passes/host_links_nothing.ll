; A module that needs nothing from the host gets no tables, although its image imports something for another kernel.
; RUN: %opt -passes=sinter-host-links %s | FileCheck %s --implicit-check-not=sinter_

; CHECK: define void @kernel(

define void @kernel(ptr %block) "sinter-kernel"="single_task" {
  ret void
}

!sinter.imports = !{!0}
!0 = !{!"other_function"}
