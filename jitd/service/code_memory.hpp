#pragma once
/// Loads object files into this process. ORC does this, or the system's loader if a debugger is to see variables. All
/// calls of ORC are in this component.

#include <abi/launch_abi.hpp>
#include <memory>

#include "compiler.hpp"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// Code in this process. The destructor unloads it.
class loaded_code {
public:
  virtual ~loaded_code() = default;
  const abi::kernel_info* info = nullptr;
};

llvm::Expected<std::unique_ptr<loaded_code>> load(const compiled_object& object);

} // namespace sinter::jit
