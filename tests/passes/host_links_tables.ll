; Imports and runtime functions become loads from tables that the loader fills. The index in a table is the position in
; the import list, in which unused imports count as well. Nothing refers to the host by name any more, and a trap is
; still a call that does not return.
; RUN: %opt -passes=sinter-host-links %s | FileCheck %s --implicit-check-not='@host_' --implicit-check-not=__sinter

; CHECK-DAG: @sinter_imports = internal global ptr null
; CHECK-DAG: @sinter_runtime = internal global ptr null
; CHECK-LABEL: define void @kernel(
; CHECK: [[IMPORTS:%.*]] = load ptr, ptr @sinter_imports, align 8, !invariant.load
; CHECK: [[COUNTER_AT:%.*]] = getelementptr inbounds ptr, ptr [[IMPORTS]], i64 2
; CHECK: [[COUNTER:%.*]] = load ptr, ptr [[COUNTER_AT]], align 8, !invariant.load
; CHECK: store i32 1, ptr [[COUNTER]]
; CHECK: [[FUNCTION_AT:%.*]] = getelementptr inbounds ptr, ptr {{%.*}}, i64 0
; CHECK: [[FUNCTION:%.*]] = load ptr, ptr [[FUNCTION_AT]], align 8, !invariant.load
; CHECK: call i32 [[FUNCTION]](i32 5)
; CHECK: [[RUNTIME:%.*]] = load ptr, ptr @sinter_runtime, align 8, !invariant.load
; CHECK: [[TRAP_AT:%.*]] = getelementptr inbounds ptr, ptr [[RUNTIME]], i64 0
; CHECK: [[TRAP:%.*]] = load ptr, ptr [[TRAP_AT]]
; CHECK: call void [[TRAP]](ptr null) #[[NORETURN:[0-9]+]]
; CHECK: [[ASSERT_AT:%.*]] = getelementptr inbounds ptr, ptr {{%.*}}, i64 1
; CHECK: [[ASSERT:%.*]] = load ptr, ptr [[ASSERT_AT]]
; CHECK: call void [[ASSERT]](ptr null, ptr null, i32 7, ptr null) #[[NORETURN]]
; CHECK: attributes #[[NORETURN]] = { noreturn nounwind }

declare i32 @host_function(i32)
@host_counter = external global i32
declare void @__sinter_trap(ptr)
declare void @__sinter_assert_fail(ptr, ptr, i32, ptr)

define void @kernel(ptr %block) "sinter-kernel"="single_task" {
  store i32 1, ptr @host_counter
  %x = call i32 @host_function(i32 5)
  %bad = icmp eq i32 %x, 0
  br i1 %bad, label %trap, label %assert
trap:
  call void @__sinter_trap(ptr null)
  unreachable
assert:
  call void @__sinter_assert_fail(ptr null, ptr null, i32 7, ptr null)
  unreachable
}

!sinter.imports = !{!0}
!0 = !{!"host_function", !"unused_function", !"host_counter"}
