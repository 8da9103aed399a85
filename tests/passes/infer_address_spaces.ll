; The pass infers an address space for a pointer if all objects to which the pointer may refer are in this space. The
; code must stay valid and right if a constant or a rounded address has no address space (docs/llvm_defects.md: LLVM
; forgets an operand, or treats a generic number as an address of local memory).
; RUN: %opt -passes='sinter-infer-address-spaces,verify' %s \
; RUN:   | FileCheck --implicit-check-not=freeze --implicit-check-not=sinter.hidden %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = internal constant [8 x float] zeroinitializer
@known = internal addrspace(1) constant [8 x float] zeroinitializer
@shared = internal addrspace(3) global [8 x float] poison

declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare <2 x float> @llvm.masked.gather.v2f32.v2p0(<2 x ptr>, <2 x i1>, <2 x float>)


; The pointer is an element of a generic constant, or private memory: the access stays generic.
; CHECK-LABEL: define float @element(
; CHECK: %from = select i1 %c, ptr %element, ptr %{{.*}}
; CHECK: load float, ptr %from
define float @element(i1 %c, i64 %i) {
  %own = alloca float
  %element = getelementptr float, ptr @table, i64 %i
  %from = select i1 %c, ptr %element, ptr %own
  %value = load float, ptr %from
  ret float %value
}

; With a known element, the access stays generic, too: LLVM alone would treat it as an access to private memory.
; CHECK-LABEL: define float @known_element(
; CHECK: %from = select i1 %c, ptr getelementptr (i8, ptr @table, i64 4), ptr %{{.*}}
; CHECK: load float, ptr %from
define float @known_element(i1 %c) {
  %own = alloca float
  %from = select i1 %c, ptr getelementptr (i8, ptr @table, i64 4), ptr %own
  %value = load float, ptr %from
  ret float %value
}

; The pointer is a table in a known address space, or other global memory: the access is global.
; CHECK-LABEL: define float @global(
; CHECK: load float, ptr addrspace(1)
define float @global(i1 %c, i64 %i, ptr addrspace(1) %in) {
  %element = getelementptr float, ptr addrspacecast (ptr addrspace(1) @known to ptr), i64 %i
  %generic = addrspacecast ptr addrspace(1) %in to ptr
  %from = select i1 %c, ptr %element, ptr %generic
  %value = load float, ptr %from
  ret float %value
}

; The pointer is a global table, or private memory: the access stays generic.
; CHECK-LABEL: define float @global_or_private(
; CHECK: load float, ptr %from
define float @global_or_private(i1 %c, i64 %i) {
  %own = alloca float
  %element = getelementptr float, ptr addrspacecast (ptr addrspace(1) @known to ptr), i64 %i
  %from = select i1 %c, ptr %element, ptr %own
  %value = load float, ptr %from
  ret float %value
}

; The pointer is null or global: null is the same number in both address spaces, so the access is global.
; CHECK-LABEL: define float @best(
; CHECK: %best = phi ptr addrspace(1)
; CHECK: load float, ptr addrspace(1) %best
define float @best(i1 %c, ptr addrspace(1) %in) {
entry:
  %generic = addrspacecast ptr addrspace(1) %in to ptr
  br i1 %c, label %some, label %done
some:
  br label %done
done:
  %best = phi ptr [ null, %entry ], [ %generic, %some ]
  %none = icmp eq ptr %best, null
  br i1 %none, label %end, label %read
read:
  %value = load float, ptr %best
  ret float %value
end:
  ret float 0.0
}

; The pointer is null or local: the access stays generic, because the first variable of a group may have address 0 in
; local memory.
; CHECK-LABEL: define i1 @no_shared_element(
; CHECK: %best = phi ptr [ null, %entry ]
; CHECK: icmp eq ptr %best, null
define i1 @no_shared_element(i1 %c, i64 %i) {
entry:
  %place = getelementptr float, ptr addrspace(3) @shared, i64 %i
  %generic = addrspacecast ptr addrspace(3) %place to ptr
  br i1 %c, label %some, label %done
some:
  br label %done
done:
  %best = phi ptr [ null, %entry ], [ %generic, %some ]
  %none = icmp eq ptr %best, null
  ret i1 %none
}

; CHECK-LABEL: define i1 @compared_with_number(
; CHECK: icmp eq ptr {{%.*}}, inttoptr (i64 -1 to ptr)
define i1 @compared_with_number(i64 %i) {
  %place = getelementptr float, ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 %i
  %none = icmp eq ptr %place, inttoptr (i64 -1 to ptr)
  ret i1 %none
}

; CHECK-LABEL: define float @number_or_private(
; CHECK: %from = select i1 %c, ptr inttoptr (i64 4096 to ptr), ptr %{{.*}}
define float @number_or_private(i1 %c) {
  %own = alloca float
  %from = select i1 %c, ptr inttoptr (i64 4096 to ptr), ptr %own
  %value = load float, ptr %from
  ret float %value
}

; CHECK-LABEL: define float @walk(
; CHECK: %from = select i1 %c, ptr %next, ptr %{{.*}}
define float @walk(i1 %c) {
entry:
  %own = alloca float
  br label %loop
loop:
  %at = phi ptr [ inttoptr (i64 4096 to ptr), %entry ], [ %next, %loop ]
  %next = getelementptr i8, ptr %at, i64 1
  %byte = load i8, ptr %at
  %more = icmp eq i8 %byte, 0
  br i1 %more, label %loop, label %done
done:
  %from = select i1 %c, ptr %next, ptr %own
  %value = load float, ptr %from
  ret float %value
}

; CHECK-LABEL: define float @nowhere(
; CHECK: %element = getelementptr i8, ptr poison, i64 %i
define float @nowhere(i1 %c, i64 %i) {
  %own = alloca float
  %element = getelementptr i8, ptr poison, i64 %i
  %from = select i1 %c, ptr %element, ptr %own
  %value = load float, ptr %from
  ret float %value
}

; CHECK-LABEL: define float @never_reached(
; CHECK-NOT: getelementptr
; CHECK: load float, ptr addrspace(5)
define float @never_reached(i1 %c) {
  %own = alloca float
  br label %done
never:
  %itself = getelementptr i8, ptr %itself, i64 1
  br i1 %c, label %never, label %done
done:
  %from = phi ptr [ %own, %0 ], [ %itself, %never ]
  %value = load float, ptr %from
  ret float %value
}

; CHECK-LABEL: define float @rounded(
; CHECK-NOT: ptrmask
; CHECK: load float, ptr addrspace(5)
define float @rounded(i1 %c, i64 %i) {
  %first = alloca [8 x float]
  %second = alloca [8 x float]
  %element = getelementptr float, ptr %second, i64 %i
  %down = call ptr @llvm.ptrmask.p0.i64(ptr %element, i64 -16)
  %from = select i1 %c, ptr %down, ptr %first
  %value = load float, ptr %from
  ret float %value
}

; CHECK-LABEL: define ptr @way_of_a_number(
; CHECK: select i1 %c, ptr %element, ptr %{{.*}}
define ptr @way_of_a_number(i1 %c, i64 %i) {
  %own = alloca float
  %element = getelementptr float, ptr @table, i64 %i
  %number = ptrtoint ptr %element to i64
  %again = inttoptr i64 %number to ptr
  %from = select i1 %c, ptr %again, ptr %own
  ret ptr %from
}

; CHECK-LABEL: define <2 x float> @several(
; CHECK: select i1 %c, <2 x ptr> %elements, <2 x ptr> %{{.*}}
define <2 x float> @several(i1 %c, <2 x i64> %i) {
  %own = alloca [8 x float]
  %own.elements = getelementptr float, ptr %own, <2 x i64> %i
  %elements = getelementptr float, ptr @table, <2 x i64> %i
  %from = select i1 %c, <2 x ptr> %elements, <2 x ptr> %own.elements
  %values = call <2 x float> @llvm.masked.gather.v2f32.v2p0(<2 x ptr> align 4 %from, <2 x i1> splat (i1 true), <2 x float> poison)
  ret <2 x float> %values
}
