; In virtual tables that a kernel reaches, the slots for type_info and functions become null if no code that the kernel
; reaches may read them. Offsets of virtual bases and other constants stay, and so do tables of other kernels.
; RUN: sed 's/@stores(/@kernel(/' %s | %opt -passes=sinter-unread-slots | FileCheck %s --check-prefix=UNREAD
; RUN: sed 's/@reads_offset(/@kernel(/' %s | %opt -passes=sinter-unread-slots | FileCheck %s --check-prefix=UNREAD
; RUN: sed 's/@calls_library(/@kernel(/' %s | %opt -passes=sinter-unread-slots | FileCheck %s --check-prefix=UNREAD
; RUN: sed 's/@calls_virtually(/@kernel(/' %s | %opt -passes=sinter-unread-slots | FileCheck %s --check-prefix=READ
; RUN: sed 's/@asks_for_type(/@kernel(/' %s | %opt -passes=sinter-unread-slots | FileCheck %s --check-prefix=READ
; RUN: sed 's/@asks_known(/@kernel(/' %s | %opt -passes=sinter-unread-slots | FileCheck %s --check-prefix=READ
; RUN: sed 's/@casts(/@kernel(/' %s | %opt -passes=sinter-unread-slots | FileCheck %s --check-prefix=READ
; RUN: sed 's/@calls_host(/@kernel(/' %s | %opt -passes=sinter-unread-slots | FileCheck %s --check-prefix=READ
; RUN: sed 's/@through_helper(/@kernel(/' %s | %opt -passes=sinter-unread-slots | FileCheck %s --check-prefix=READ

; UNREAD: @_ZTV1a = internal constant { [4 x ptr] } { [4 x ptr] [ptr inttoptr (i64 40 to ptr), ptr null, ptr null, ptr null] }
; UNREAD: @_ZTV1b = internal constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @_ZTI1a, ptr @member] }
; UNREAD: @others = internal constant [1 x ptr] [ptr @_ZTI1a]
; READ: @_ZTV1a = internal constant { [4 x ptr] } { [4 x ptr] [ptr inttoptr (i64 40 to ptr), ptr null, ptr @_ZTI1a, ptr @member] }
@_ZTV1a = internal constant { [4 x ptr] } { [4 x ptr] [ptr inttoptr (i64 40 to ptr), ptr null, ptr @_ZTI1a, ptr @member] }
@_ZTV1b = internal constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @_ZTI1a, ptr @member] }
@others = internal constant [1 x ptr] [ptr @_ZTI1a]
@_ZTI1a = internal constant { ptr, ptr } { ptr getelementptr inbounds (ptr, ptr @_ZTVN10__cxxabiv117__class_type_infoE, i64 2), ptr null }
@_ZTVN10__cxxabiv117__class_type_infoE = external global [0 x ptr]

declare ptr @__dynamic_cast(ptr, ptr, ptr, i64)
declare void @of_host(ptr)
declare double @of_numbers(double)
declare i32 @memcmp(ptr, ptr, i64)
declare void @__sinter_barrier(i32, i32)

; The virtual table refers to this function, but this does not mean that the kernel reaches it.
define internal i32 @member(ptr %self) {
  %table = load ptr, ptr %self
  %slot = load ptr, ptr %table
  %r = call i32 %slot(ptr %self)
  ret i32 %r
}

define void @stores(ptr %block) {
  %object = alloca [4 x { ptr, i32 }]
  %i = load i64, ptr %block
  %at = getelementptr [4 x { ptr, i32 }], ptr %object, i64 0, i64 %i
  store ptr getelementptr inbounds (i8, ptr @_ZTV1a, i64 24), ptr %at
  store ptr @others, ptr %block
  call void @__sinter_barrier(i32 1, i32 1)
  ret void
}

define void @reads_offset(ptr %block) {
  %object = alloca ptr
  store ptr getelementptr inbounds (i8, ptr @_ZTV1a, i64 24), ptr %object
  store ptr @others, ptr %block
  %table = load ptr, ptr %object
  %place = getelementptr i8, ptr %table, i64 -24
  %offset = load i64, ptr %place
  store i64 %offset, ptr %block
  ret void
}

define void @calls_library(ptr %block) {
  store ptr getelementptr inbounds (i8, ptr @_ZTV1a, i64 24), ptr %block
  store ptr @others, ptr %block
  %same = call i32 @memcmp(ptr %block, ptr %block, i64 8)
  %number = call double @of_numbers(double 1.0)
  ret void
}

define void @calls_virtually(ptr %block) {
  store ptr getelementptr inbounds (i8, ptr @_ZTV1a, i64 24), ptr %block
  %table = load ptr, ptr %block
  %slot = load ptr, ptr %table
  %r = call i32 %slot(ptr %block)
  ret void
}

define void @asks_for_type(ptr %block) {
  store ptr getelementptr inbounds (i8, ptr @_ZTV1a, i64 24), ptr %block
  %table = load ptr, ptr %block
  %place = getelementptr ptr, ptr %table, i64 -1
  %type = load ptr, ptr %place
  store ptr %type, ptr %block
  ret void
}

define void @asks_known(ptr %block) {
  %type = load ptr, ptr getelementptr inbounds (i8, ptr @_ZTV1a, i64 16)
  store ptr %type, ptr %block
  ret void
}

define void @casts(ptr %block) {
  store ptr getelementptr inbounds (i8, ptr @_ZTV1a, i64 24), ptr %block
  %other = call ptr @__dynamic_cast(ptr %block, ptr null, ptr null, i64 0)
  ret void
}

define void @calls_host(ptr %block) {
  store ptr getelementptr inbounds (i8, ptr @_ZTV1a, i64 24), ptr %block
  call void @of_host(ptr %block)
  ret void
}

define internal void @helper(ptr %object) {
  %r = call i32 @member(ptr %object)
  ret void
}

define void @through_helper(ptr %block) {
  store ptr getelementptr inbounds (i8, ptr @_ZTV1a, i64 24), ptr %block
  call void @helper(ptr %block)
  ret void
}
