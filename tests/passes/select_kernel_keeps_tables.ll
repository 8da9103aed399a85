; The pass keeps functions that the kernel reaches only through constant tables, and also keeps tables of tables and
; imported variables.
; RUN: %opt -passes=sinter-select-kernel %s | FileCheck %s

; CHECK-DAG: @outer = internal constant [1 x ptr] [ptr @table]
; CHECK-DAG: @table = internal constant [2 x ptr] [ptr @first, ptr @second]
; CHECK-DAG: @host_counter = external global i32
; CHECK-DAG: define internal i32 @first()
; CHECK-DAG: define internal i32 @second()

@outer = constant [1 x ptr] [ptr @table]
@table = weak_odr constant [2 x ptr] [ptr @first, ptr @second]
@host_counter = external global i32

define void @kernel(ptr %block) "sinter-kernel"="single_task" {
  %index = load i64, ptr %block
  %table = load ptr, ptr @outer
  %slot = getelementptr ptr, ptr %table, i64 %index
  %function = load ptr, ptr %slot
  %x = call i32 %function()
  store i32 %x, ptr @host_counter
  ret void
}

define i32 @first() {
  ret i32 1
}

define i32 @second() {
  ret i32 2
}
