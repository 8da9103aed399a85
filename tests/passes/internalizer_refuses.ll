; If a kernel uses a pointer for anything but accesses to its elements, the pointer's memory is not promoted. An
; attribute gives the reason, and the kernel is unchanged.
; RUN: %opt -passes=sinter-internalize %s | FileCheck %s --check-prefix=GOOD
; RUN: sed 's/^; stored: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,STORED
; RUN: sed 's/^; exchanged: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,STORED
; RUN: sed 's/^; compared: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,COMPARED
; RUN: sed 's/^; integer: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,INTEGER
; RUN: sed 's/^; volatile: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,VOLATILE
; RUN: sed 's/^; volatile_load: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,VOLATILE
; RUN: sed 's/^; indirect: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,INDIRECT
; RUN: sed 's/^; declared: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,DECLARED
; RUN: sed 's/^; recursive: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,RECURSIVE
; RUN: sed 's/^; mixed: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,MIXED
; RUN: sed 's/^; null: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,MIXED
; RUN: sed 's/^; length: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,LENGTH
; RUN: sed 's/^; long: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,LENGTH
; RUN: sed 's/^; wide: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,WIDE
; RUN: sed 's/^; wide_store: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,WIDE
; RUN: sed 's/^; copied: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,HIDDEN
; RUN: sed 's/^; copied_any: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,HIDDEN
; RUN: sed 's/^; handed: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,HIDDEN
; RUN: sed 's/^; word: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,HIDDEN
; RUN: sed 's/^; element: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefixes=BAD,HIDDEN
; RUN: sed 's/^; beside: //' %s | %opt -passes=sinter-internalize | FileCheck %s --check-prefix=GOOD

; GOOD: %promoted = alloca [8 x i8]
; GOOD-NOT: sinter-not-internalized
; BAD-LABEL: define void @fused(
; BAD-NOT: %promoted
; BAD: store i32 1, ptr %argument
; STORED: "sinter-not-internalized"="the pointer is stored to memory"
; COMPARED: "sinter-not-internalized"="the pointer is compared"
; INTEGER: "sinter-not-internalized"="the pointer becomes an integer"
; VOLATILE: "sinter-not-internalized"="a volatile access"
; INDIRECT: "sinter-not-internalized"="the pointer is handed to an indirect call"
; DECLARED: "sinter-not-internalized"="the pointer is handed to 'unknown'"
; RECURSIVE: "sinter-not-internalized"="{{.*}}recursive{{.*}}"
; MIXED: "sinter-not-internalized"="the pointer is mixed with another one"
; LENGTH: "sinter-not-internalized"="a block copy of unknown or larger size"
; HIDDEN: "sinter-not-internalized"="a copy of the captured object holds the pointer"
; WIDE: "sinter-not-internalized"="an access that is larger than the new memory"

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @unknown(ptr)
declare void @use(i64)

define internal void @recursive(ptr %data) noinline {
  %next = getelementptr i32, ptr %data, i64 1
  store i32 5, ptr %data
  call void @recursive(ptr %next)
  ret void
}

define void @fused(ptr %blocks) !sycl.kernel.fused !0 !sycl.kernel.param !1 !sycl.kernel.promote !2 !sycl.kernel.promote.localsize !3 !sycl.kernel.promote.elemsize !4 {
entry:
  %block0 = load ptr, ptr %blocks, !invariant.load !{}
  %temporary0 = load ptr, ptr %block0
  %block1_at = getelementptr ptr, ptr %blocks, i64 1
  %block1 = load ptr, ptr %block1_at, !invariant.load !{}
  %at1 = getelementptr i8, ptr %block1, i64 8
  %temporary1 = load ptr, ptr %at1
  %other_at = getelementptr i8, ptr %block0, i64 16
  %other = load ptr, ptr %other_at
  %number_at = getelementptr i8, ptr %block0, i64 24
  %number = load i64, ptr %number_at
  %yes = icmp eq i64 %number, 0
  store i32 1, ptr %temporary0
  %p = getelementptr i32, ptr %temporary1, i64 %number
  store i32 2, ptr %p
; stored:   store ptr %p, ptr %other
; exchanged:   %was = atomicrmw xchg ptr %other, ptr %p monotonic
; compared:   %same = icmp eq ptr %p, %other
; integer:   %integer = ptrtoint ptr %p to i64
; volatile:   store volatile i32 3, ptr %p
; volatile_load:   %read = load volatile i32, ptr %p
; indirect:   call void %other(ptr %p)
; declared:   call void @unknown(ptr %p)
; recursive:   call void @recursive(ptr %p)
; mixed:   %merged = select i1 %yes, ptr %p, ptr %other
; mixed:   store i32 4, ptr %merged
; null:   %merged = select i1 %yes, ptr %p, ptr null
; null:   store i32 4, ptr %merged
; length:   call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %number, i1 false)
; long:   call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 9, i1 false)
; copied:   %copy = alloca [16 x i8]
; copied:   call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %block1, i64 9, i1 false)
; copied_any:   %copy = alloca [16 x i8]
; copied_any:   call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %other_at, i64 %number, i1 false)
; copied_any:   call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %block0, i64 %number, i1 false)
; handed:   call void @unknown(ptr %block1)
; word:   %word = load i64, ptr %at1
; word:   call void @use(i64 %word)
; element:   %element = getelementptr ptr, ptr %block0, i64 %number
; element:   %any = load ptr, ptr %element
; element:   store i32 5, ptr %any
; beside:   %copy = alloca [16 x i8]
; beside:   call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %other_at, i64 16, i1 false)
; beside:   %element = getelementptr i32, ptr %other_at, i64 %number
; beside:   %value = load i32, ptr %element
; beside:   store i32 %value, ptr %other
; wide:   %four = load <4 x i32>, ptr %p, align 4
; wide_store:   store <4 x i32> zeroinitializer, ptr %p, align 4
  ret void
}

!0 = !{!"first", !"second"}
!1 = !{!{!{i64 0, i64 0}, !{i64 1, i64 8}}}
!2 = !{!"private"}
!3 = !{i64 2}
!4 = !{i64 4}
