; A pointer that a select, a phi or a private table of pointers chooses among private arrays points to private memory,
; too. In a work-item loop, accesses through such a pointer depend on each other, so these accesses must not be declared
; parallel.
; RUN: %opt -passes=sinter-work-item-function %s | FileCheck %s

; CHECK: store i32 %x, ptr %selected_cell, align 4{{$}}
; CHECK: load i32, ptr %selected_cell, align 4{{$}}
; CHECK: store i32 %x, ptr %joined, align 4{{$}}
; CHECK: store i32 %x, ptr %found, align 4{{$}}

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %a = alloca [8 x i32]
  %b = alloca [8 x i32]
  %table = alloca [2 x ptr]
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr i32, ptr %data, i64 %id
  %x = load i32, ptr %cell
  %low = icmp slt i32 %x, 100
  %selected = select i1 %low, ptr %a, ptr %b
  %index = urem i64 %id, 8
  %selected_cell = getelementptr i32, ptr %selected, i64 %index
  store i32 %x, ptr %selected_cell
  %y = load i32, ptr %selected_cell
  store i32 %y, ptr %cell
  br i1 %low, label %then, label %join
then:
  br label %join
join:
  %joined = phi ptr [ %a, %then ], [ %b, %0 ]
  store i32 %x, ptr %joined
  %table1 = getelementptr ptr, ptr %table, i64 1
  store ptr %a, ptr %table
  store ptr %b, ptr %table1
  %table_cell = getelementptr ptr, ptr %table, i64 %index
  %found = load ptr, ptr %table_cell
  store i32 %x, ptr %found
  ret void
}
