; For drivers that set values in a module, constants of the table become SPIR-V specialization constants, numbered in
; the table's order. The double is one constant, the six bytes are three constants. Constants that are not in the
; table have their defaults. Each constant is read by only one call.
; RUN: %opt -passes=sinter-specialization-ids %s | FileCheck %s --check-prefix=NAMED
; RUN: %opt -passes='sinter-specialization-ids,function(sroa,early-cse),sinter-join-specialization-ids' %s \
; RUN:   | FileCheck %s --check-prefix=JOINED
; RUN: sed 's/^; IN-OTHER: //' %s | not %opt -passes=sinter-specialization-ids,sinter-join-specialization-ids 2>&1 \
; RUN:   | FileCheck %s --check-prefix=BAD

; NAMED-LABEL: define void @kernel(
; NAMED-NOT: sinter_specialization
; NAMED-DAG: alloca [1 x i64], align 16
; NAMED-DAG: alloca [3 x i16], align 16
; NAMED-DAG: call spir_func i64 @_Z20__spirv_SpecConstantil(i32 0, i64 0)
; NAMED-DAG: call spir_func i16 @_Z20__spirv_SpecConstantis(i32 1, i16 0)
; NAMED-DAG: call spir_func i16 @_Z20__spirv_SpecConstantis(i32 2, i16 0)
; NAMED-DAG: call spir_func i16 @_Z20__spirv_SpecConstantis(i32 3, i16 0)
; NAMED: load i32, ptr @nine

; JOINED-LABEL: define void @kernel(
; JOINED: call spir_func i64 @_Z20__spirv_SpecConstantil(i32 0, i64 0)
; JOINED-NOT: @_Z20__spirv_SpecConstantil(i32 0
; JOINED: br i1
; JOINED-LABEL: define void @other(

; BAD: LLVM ERROR: a function that is called as such reads a specialization constant

declare ptr @__sinter_specialization_constant(ptr, i64, ptr) memory(read)

@five = internal constant double 5.0
@six = internal constant [6 x i8] c"abcdef"
@nine = internal constant i32 9

define void @kernel(ptr %block, i1 %again) "sinter-kernel"="range<1>" {
  %factor.at = call ptr @__sinter_specialization_constant(ptr null, i64 17, ptr @five)
  %factor = load double, ptr %factor.at
  %letters.at = call ptr @__sinter_specialization_constant(ptr null, i64 18, ptr @six)
  %letter.at = getelementptr i8, ptr %letters.at, i64 4
  %letter = load i16, ptr %letter.at
  %shift.at = call ptr @__sinter_specialization_constant(ptr null, i64 19, ptr @nine)
  %shift = load i32, ptr %shift.at
  store double %factor, ptr %block
  store i16 %letter, ptr %block
  store i32 %shift, ptr %block
  br i1 %again, label %more, label %end
more:
  %same.at = call ptr @__sinter_specialization_constant(ptr null, i64 17, ptr @five)
  %same = load double, ptr %same.at
  store double %same, ptr %block
  br label %end
end:
  ret void
}

define void @other() {
; IN-OTHER: %factor.at = call ptr @__sinter_specialization_constant(ptr null, i64 17, ptr @five)
  ret void
}

!sinter.constants = !{!0, !1}
!0 = !{i64 17, !"\00\00\00\00\00\00\00\00"}
!1 = !{i64 18, !"\00\00\00\00\00\00"}
