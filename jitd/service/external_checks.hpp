#pragma once
/// Finds requirements that functions of other files have, and that the calling kernel does not declare.
///
/// Input: the linked module, before anything is inlined, with the metadata that capture writes to kernels and to
/// functions that they may call: sycl_used_aspects, sycl_declared_aspects, intel_reqd_sub_group_size,
/// sycl_fixed_targets; and names of aspects in sycl_aspects. Output: warnings with the wording of DPC++'s design
/// document. No program is refused: SYCL 2020 5.8.2 calls such programs ill-formed and requires no diagnostic.

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

namespace sinter::jit {

struct linked_kernel {
  std::string symbol;
  std::string name;  ///< the readable name, for warnings
};

/// Returns the warnings, one a line, or an empty text. `linked` has the functions that came from other files.
std::string check_externals(const llvm::Module& module, llvm::ArrayRef<linked_kernel> kernels,
                            const llvm::StringSet<>& linked);

} // namespace sinter::jit
