#pragma once
/// The lists of steps: a kernel's way for the CPU, and that of several kernels to one. The compile service runs all
/// steps of a list in order (pipeline.hpp, fusion.hpp), opt each one of the CPU's by its name behind "sinter-"
/// (tools/pass_plugin.cpp).

#include "kernel_state.hpp"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

struct lowering_step {
  const char* name;
  const char* contract;  ///< what holds from here on
  llvm::Error (*run)(kernel_state&);
};
/// From a module with the kernel to one with @sinter_kernel_info and the code it points to.
llvm::ArrayRef<lowering_step> lowering_steps();

struct finishing_step {
  const char* name;
  const char* contract;
  void (*run)(finishing_state&);
};
/// From there to what code is selected for.
llvm::ArrayRef<finishing_step> finishing_steps();

struct fusion_state;
struct fusion_step {
  const char* name;
  const char* contract;
  llvm::Error (*run)(fusion_state&);
};
/// From the members of a fusion in one module to one kernel there (fusion.hpp).
llvm::ArrayRef<fusion_step> fusion_steps();

}  // namespace sinter::jit
