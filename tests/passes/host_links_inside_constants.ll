; Imports inside constant expressions and in phis. For a phi, the import is loaded at the end of the block from which
; its value comes.
; RUN: %opt -passes=sinter-host-links %s | FileCheck %s --implicit-check-not='@host_table'

; CHECK-LABEL: define i32 @kernel(
; CHECK: then:
; CHECK: [[THEN_TABLE:%.*]] = load ptr, ptr @sinter_imports
; CHECK: [[THEN_AT:%.*]] = getelementptr inbounds ptr, ptr [[THEN_TABLE]], i64 0
; CHECK: [[THEN:%.*]] = load ptr, ptr [[THEN_AT]]
; CHECK: br label %join
; CHECK: else:
; CHECK: [[ELSE_TABLE:%.*]] = load ptr, ptr @sinter_imports
; CHECK: [[ELSE_AT:%.*]] = getelementptr inbounds ptr, ptr [[ELSE_TABLE]], i64 0
; CHECK: [[BASE:%.*]] = load ptr, ptr [[ELSE_AT]]
; CHECK: [[ELSE:%.*]] = getelementptr i8, ptr [[BASE]], i64 8
; CHECK: join:
; CHECK-NEXT: phi ptr [ [[THEN]], %then ], [ [[ELSE]], %else ]

@host_table = external global [4 x i32]

define i32 @kernel(i1 %flag) "sinter-kernel"="single_task" {
  br i1 %flag, label %then, label %else
then:
  br label %join
else:
  br label %join
join:
  %at = phi ptr [ @host_table, %then ], [ getelementptr (i8, ptr @host_table, i64 8), %else ]
  %x = load i32, ptr %at
  ret i32 %x
}

!sinter.imports = !{!0}
!0 = !{!"host_table"}
