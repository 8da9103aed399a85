#pragma once
/// Finds kernels in a host module and copies the code that they reach into a module of its own.

#include <memory>
#include <string>
#include <vector>

#include "kernel_layout.hpp"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

namespace sinter::capture {

struct captured_kernel {
  llvm::Function* host_function = nullptr;
  llvm::GlobalVariable* descriptor = nullptr;
  kernel_layout layout;
  std::string symbol;  ///< name of the kernel in the device module
};

/// Kernels whose descriptor has no image and is not marked as refused, in module order.
std::vector<captured_kernel> find_kernels(llvm::Module& host);

/// Functions that other files may call from their kernels (SYCL_EXTERNAL), in module order.
std::vector<llvm::Function*> find_exports(llvm::Module& host);

/// Functions that work-items may run for several groups (abi::turns_annotation).
llvm::StringSet<> names_of_turns(llvm::Module& host);

/// Copies the kernels, the exports and everything that they reach. Variables that can change, and functions without a
/// body, are only declared in the copy. Facts about the host (target attributes, linkage, constructors) are left out.
/// Kernels and exports are external in the copy; everything else is internal. Declarations of SYCL_EXTERNAL functions
/// have the attribute external_attribute and are convergent, because these functions may contain barriers.
std::unique_ptr<llvm::Module> extract_device_module(llvm::Module& host, llvm::ArrayRef<captured_kernel> kernels,
                                                    llvm::ArrayRef<llvm::Function*> exports);

inline constexpr llvm::StringLiteral external_attribute = "sinter.external";
/// Functions of the host module that are in an image already have this attribute.
inline constexpr llvm::StringLiteral exported_attribute = "sinter.exported";

} // namespace sinter::capture
