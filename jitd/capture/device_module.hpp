#pragma once
/// Finds kernels in a host module and copies what they reach into a module of its own.

#include <memory>
#include <string>
#include <vector>

#include "kernel_layout.hpp"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace sinter::capture {

struct captured_kernel {
  llvm::Function* host_function = nullptr;
  llvm::GlobalVariable* descriptor = nullptr;
  kernel_layout layout;
  std::string symbol;  ///< name of the kernel in the device module
};

/// Kernels with a descriptor that has no image yet, in module order.
std::vector<captured_kernel> find_kernels(llvm::Module& host);

/// A copy of the kernels and of everything they reach. Constants and functions come along; variables that can change and
/// functions without a body stay declarations. Host-only facts (target attributes, linkage, constructors) are gone;
/// kernels are external, the rest is internal.
std::unique_ptr<llvm::Module> extract_device_module(const llvm::Module& host, llvm::ArrayRef<captured_kernel> kernels);

} // namespace sinter::capture
