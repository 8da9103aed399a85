#pragma once
/// Finds needs of functions in other files that the calling kernel does not declare.
///
/// Input: the linked module, before anything is inlined, with the metadata that capture writes to kernels and to
/// functions that they may call: sycl_used_aspects, sycl_declared_aspects, intel_reqd_sub_group_size,
/// sycl_fixed_targets; and names of aspects in sycl_aspects. Output: warnings in the words of the design that DPC++
/// follows. Refuses nothing: SYCL 2020 5.8.2 calls such programs ill-formed and asks for no diagnostic.

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

namespace sinter::jit {

struct linked_kernel {
  std::string symbol;
  std::string name;  ///< for people
};

/// Lines for people; empty when there is nothing to say. `linked`: the functions that came from other files.
std::string check_externals(const llvm::Module& module, llvm::ArrayRef<linked_kernel> kernels,
                            const llvm::StringSet<>& linked);

} // namespace sinter::jit
