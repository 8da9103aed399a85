; Two cases of a switch lead to one block, whose phi has an import. Both edges must get the same load, because
; otherwise the phi is invalid.
; RUN: %opt -passes=sinter-host-links %s | FileCheck %s

; CHECK: switch i32
; CHECK: phi ptr [ [[VALUE:%.*]], %0 ], [ [[VALUE]], %0 ], [ null, %other ]

@host_table = external global [4 x i32]

define void @kernel(ptr %block) "sinter-kernel"="single_task" {
  %x = load i32, ptr %block
  switch i32 %x, label %other [
    i32 1, label %join
    i32 2, label %join
  ]
other:
  br label %join
join:
  %at = phi ptr [ @host_table, %0 ], [ @host_table, %0 ], [ null, %other ]
  store ptr %at, ptr %block
  ret void
}

!sinter.imports = !{!0}
!0 = !{!"host_table"}
