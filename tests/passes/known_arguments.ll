; A local accessor contains bytes that are equal in all launches of the code: the offset, and the length of rows. These
; bytes become constants. Other bytes are still loaded. If a load needs known and unknown bytes, the load stays. If the
; table has no bytes, all loads stay. Arguments in the table of constants become constants as well
; (abi::specialization_of_argument). If a part of the block is copied, the known bytes are stored to the copy
; afterwards. Memory to which an argument points may have known bytes, too (abi::specialization_of_memory). Here, these
; are 12 bytes at the address that is stored at offset 32.
; RUN: %opt -passes=sinter-known-arguments %s | FileCheck %s
; RUN: sed '/^!sinter.groups/d' %s | %opt -passes=sinter-known-arguments | FileCheck %s --check-prefix=ANY
; RUN: sed 's/8:16/8/' %s | not %opt -passes=sinter-known-arguments 2>&1 | FileCheck %s --check-prefix=BAD

; CHECK-LABEL: @kernel(
; CHECK: load ptr, ptr %block
; CHECK-NOT: load i64, ptr %offset_at
; CHECK-NOT: load <2 x i64>
; CHECK: [[BOTH:%.*]] = load <2 x i64>, ptr %pitch_at
; CHECK: store volatile i64 64, ptr %data
; CHECK: store volatile i32 16, ptr %data
; CHECK: store volatile <2 x i64> <i64 64, i64 16>, ptr %data
; CHECK: store volatile <2 x i64> [[BOTH]], ptr %data
; CHECK: store volatile i32 7, ptr %data
; CHECK: store volatile i16 {{%.*}}, ptr %data
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 8 %copy, ptr %pitch_at, i64 14, i1 false)
; CHECK-NEXT: [[FIRST:%.*]] = getelementptr inbounds i8, ptr %copy, i64 0
; CHECK-NEXT: store i32 16, ptr [[FIRST]], align 8
; CHECK-NEXT: [[SECOND:%.*]] = getelementptr inbounds i8, ptr %copy, i64 4
; CHECK-NEXT: store i32 0, ptr [[SECOND]], align 4
; CHECK-NEXT: [[THIRD:%.*]] = getelementptr inbounds i8, ptr %copy, i64 8
; CHECK-NEXT: store i32 7, ptr [[THIRD]], align 8
; CHECK-NEXT: store volatile
; CHECK: store volatile i32 305419896, ptr %data
; CHECK: store volatile i32 %{{.*}}, ptr %data
; CHECK: store volatile i64 %handle, ptr %data
; CHECK: store volatile i32 %{{.*}}, ptr %data

; ANY-LABEL: @kernel(
; ANY: load i64, ptr %offset_at
; ANY: load i32, ptr %pitch_at
; ANY: load <2 x i64>, ptr %offset_at
; ANY: store volatile i32 7, ptr %data

; BAD: attribute "sinter-local-accessors" has to be "OFFSET:SIZE,..."

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" "sinter-local-accessors"="8:16" {
  %data = load ptr, ptr %block
  %offset_at = getelementptr i8, ptr %block, i64 8
  %offset = load i64, ptr %offset_at
  %pitch_at = getelementptr i64, ptr %offset_at, i64 1
  %pitch = load i32, ptr %pitch_at
  %whole = load <2 x i64>, ptr %offset_at
  %beyond = load <2 x i64>, ptr %pitch_at
  store volatile i64 %offset, ptr %data
  store volatile i32 %pitch, ptr %data
  store volatile <2 x i64> %whole, ptr %data
  store volatile <2 x i64> %beyond, ptr %data
  %size_at = getelementptr i8, ptr %block, i64 24
  %size = load i32, ptr %size_at
  %other_at = getelementptr i8, ptr %block, i64 28
  %other = load i16, ptr %other_at
  store volatile i32 %size, ptr %data
  store volatile i16 %other, ptr %data
  %copy = alloca [16 x i8], align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %copy, ptr %pitch_at, i64 14, i1 false)
  store volatile i32 1, ptr %data
  %handle_at = getelementptr i8, ptr %block, i64 32
  %handle = load i64, ptr %handle_at
  %record = inttoptr i64 %handle to ptr
  %traits_at = getelementptr i8, ptr %record, i64 12
  %traits = load i32, ptr %traits_at
  %pitch_of_rows_at = getelementptr i8, ptr %record, i64 16
  %pitch_of_rows = load i32, ptr %pitch_of_rows_at
  %next_at = getelementptr i8, ptr %block, i64 40
  %next = load ptr, ptr %next_at
  %next_traits_at = getelementptr i8, ptr %next, i64 12
  %next_traits = load i32, ptr %next_traits_at
  store volatile i32 %traits, ptr %data
  store volatile i32 %pitch_of_rows, ptr %data
  store volatile i64 %handle, ptr %data
  store volatile i32 %next_traits, ptr %data
  ret void
}

!sinter.groups = !{!0}
!0 = !{!"", !"\40\00\00\00\00\00\00\00\10\00\00\00\00\00\00\00"}

!sinter.constants = !{!1, !2, !3}
!1 = !{i64 -4611686018427387880, !"\07\00\00\00"}
!2 = !{i64 28, !"\09\00"}
!3 = !{i64 -4611685962592813024, !"\78\56\34\12"}
