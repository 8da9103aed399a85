; Vectors pay if lanes access consecutive memory. They don't pay if each lane gathers for only two operations. The
; test checks only the numbers of the analysis. No code is generated.
; RUN: %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s | FileCheck %s
; RUN: sed 's/%place = mul i64 %id, 1$/%place = mul i64 %id, %id/' %s | %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' | FileCheck %s --check-prefix=GATHERS

declare i64 @__sinter_global_id(i32)

; CHECK: %near: strided by 4
; CHECK: cost: [[ONE:[0-9.]+]] for one, {{[0-9.]+}} for all: wide
; GATHERS: %near: varying
; GATHERS: cost: {{[0-9.]+}} for one, {{[0-9.]+}} for all: {{[a-z]}}
; GATHERS-NOT: for all: wide
define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %place = mul i64 %id, 1
  %near = getelementptr float, ptr %data, i64 %place
  %value = load float, ptr %near
  %twice = fadd float %value, %value
  store float %twice, ptr %near
  ret void
}
