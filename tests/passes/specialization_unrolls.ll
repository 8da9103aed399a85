; A loop over a tile whose size is a specialization constant is treated like a loop with a template parameter: it
; is unrolled, without a counter, and values that depend on the size become constants. Without a value, the loop
; is not unrolled.
; RUN: %opt -passes=sinter-specialization-constants,sinter-inline-device-calls,sinter-work-item-function,sinter-cpu-entry,sinter-optimise \
; RUN:   %s | FileCheck %s --check-prefix=KNOWN
; RUN: sed '/^!0 = /d; /^!sinter.constants/d' %s \
; RUN:   | %opt -passes=sinter-specialization-constants,sinter-inline-device-calls,sinter-work-item-function,sinter-cpu-entry,sinter-optimise \
; RUN:   | FileCheck %s --check-prefix=UNKNOWN

; KNOWN: define {{.*}} @entry(
; KNOWN-NOT: phi float
; KNOWN: fadd <{{[0-9]+}} x float>
; KNOWN-NOT: phi float
; KNOWN-NOT: sinter_specialization

; UNKNOWN: define {{.*}} @entry(
; UNKNOWN: phi float
; UNKNOWN-NOT: fadd <

declare ptr @__sinter_specialization_constant(ptr, i64, ptr) memory(read)
declare i64 @__sinter_global_id(i32)


define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %place = getelementptr i8, ptr %block, i64 8
  %size.at = call ptr @__sinter_specialization_constant(ptr null, i64 -9223372036854775791, ptr %place)
  %size = load i64, ptr %size.at
  %row = mul i64 %id, %size
  br label %head

head:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %inside = icmp ult i64 %k, %size
  br i1 %inside, label %body, label %done

body:
  %index = add i64 %row, %k
  %cell = getelementptr float, ptr %data, i64 %index
  %value = load float, ptr %cell
  %more = fadd float %sum, %value
  %next = add i64 %k, 1
  br label %head

done:
  %result = getelementptr float, ptr %data, i64 %id
  store float %sum, ptr %result
  ret void
}

!sinter.constants = !{!0}
!0 = !{i64 -9223372036854775791, !"\04\00\00\00\00\00\00\00"}
