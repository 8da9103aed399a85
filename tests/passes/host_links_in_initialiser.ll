; An import is in the initialiser of a constant table, as in `static int (*const steps[])(int) = {first, second};`.
; The host's addresses are known only when the module is loaded, so no initialiser may refer to an import.
; RUN: %opt -passes=sinter-host-links %s | FileCheck %s --implicit-check-not='@host_' --implicit-check-not=badref

; CHECK: @sinter_imports = internal global ptr null
; CHECK: define i32 @kernel(

@steps = internal constant [2 x ptr] [ptr @host_first, ptr @host_second]
declare i32 @host_first(i32)
declare i32 @host_second(i32)

define i32 @kernel(i64 %index) "sinter-kernel"="single_task" {
  %at = getelementptr ptr, ptr @steps, i64 %index
  %step = load ptr, ptr %at
  %x = call i32 %step(i32 1)
  ret i32 %x
}

!sinter.imports = !{!0}
!0 = !{!"host_first", !"host_second"}
