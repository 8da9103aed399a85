; RUN: llc -O3 < %s -mcpu=sm_90 -mattr=+ptx80 | FileCheck %s

; The kernel keeps an address of its parameter, so LLVM copies the parameter in a loop. The first load is marked
; invariant, and LLVM takes it for a load of the copy before the loop. No instruction sets the address of the store.

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: .entry keeps_address(
; CHECK: ld.{{param|local}}.b64 [[TO:%rd[0-9]+]],
; CHECK: cvta.to.global.u64 [[GLOBAL:%rd[0-9]+]], [[TO]];
; CHECK: st.global.b64 {{\[}}[[GLOBAL]]],
define ptx_kernel void @keeps_address(ptr byval([456 x i8]) align 8 %parameter) {
  %kept = alloca ptr
  %second = getelementptr inbounds i8, ptr %parameter, i64 8
  store volatile ptr %second, ptr %kept
  %to = load ptr, ptr %parameter, align 8, !invariant.load !0
  %global = addrspacecast ptr %to to ptr addrspace(1)
  %again = load volatile ptr, ptr %kept
  %value = load i64, ptr %again
  store i64 %value, ptr addrspace(1) %global
  ret void
}
!0 = !{}
