#pragma once
/// Turns addresses in the host process into loads from tables that the loader fills, so that another process can load
/// the same code (abi/launch_abi.hpp: kernel_info::imports and ::runtime).
///
/// Input: declarations named in the image's import table; calls of __sinter_trap and __sinter_assert_fail. Output:
/// the internal variables @sinter_imports and @sinter_runtime with zeros, if the code needs them. No instruction uses
/// the declarations afterwards.

#include <string>
#include <vector>

#include "llvm/IR/Module.h"

namespace sinter::passes {

struct host_links {
  llvm::GlobalVariable* imports = nullptr;  ///< null if nothing is imported
  llvm::GlobalVariable* runtime = nullptr;
};

host_links link_to_host(llvm::Module& module, const std::vector<std::string>& import_names);

} // namespace sinter::passes
