; Constants that are set become numbers, other constants get their defaults, and no code reads the table. If the
; values are unknown, the code searches the table.
; RUN: %opt -passes=sinter-specialization-constants,sinter-inline-device-calls,sinter-work-item-function,sinter-cpu-entry,sinter-optimise \
; RUN:   %s | FileCheck %s --check-prefix=SET
; RUN: sed '/^!0 = /d; s/^!sinter.constants.*/!sinter.constants = !{}/' %s \
; RUN:   | %opt -passes=sinter-specialization-constants,sinter-inline-device-calls,sinter-work-item-function,sinter-cpu-entry,sinter-optimise \
; RUN:   | FileCheck %s --check-prefix=UNSET
; RUN: sed '/^!0 = /d; /^!sinter.constants/d' %s | %opt -passes=sinter-specialization-constants | FileCheck %s --check-prefix=SEARCH
; RUN: sed 's/^!0 = .*/!0 = !{i64 1}/' %s | not %opt -passes=sinter-specialization-constants 2>&1 \
; RUN:   | FileCheck %s --check-prefix=BAD

; SET-NOT: sinter_specialization
; SET: define {{.*}} @entry(
; SET: mul i32 {{.*}}, 6
; SET: add i32 {{.*}}, 9

; UNSET-NOT: sinter_specialization
; UNSET: define {{.*}} @entry(
; UNSET: mul i32 {{.*}}, 5
; UNSET: add i32 {{.*}}, 9

; SEARCH: define internal ptr @sinter.find_constant(ptr
; SEARCH: icmp eq i64

; BAD: LLVM ERROR: !sinter.constants has to name nodes of a 64-bit key and a string

declare ptr @__sinter_specialization_constant(ptr, i64, ptr) memory(read)
declare i64 @__sinter_global_id(i32)

@five = internal constant i32 5
@nine = internal constant i32 9

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %place = getelementptr i8, ptr %block, i64 8
  %table = load ptr, ptr %place
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr i32, ptr %data, i64 %id
  %scale.at = call ptr @__sinter_specialization_constant(ptr %table, i64 17, ptr @five)
  %scale = load i32, ptr %scale.at
  %shift.at = call ptr @__sinter_specialization_constant(ptr %table, i64 18, ptr @nine)
  %shift = load i32, ptr %shift.at
  %old = load i32, ptr %cell
  %scaled = mul i32 %old, %scale
  %new = add i32 %scaled, %shift
  store i32 %new, ptr %cell
  ret void
}

!sinter.constants = !{!0}
!0 = !{i64 17, !"\06\00\00\00"}
