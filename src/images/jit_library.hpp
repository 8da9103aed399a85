#pragma once
/// libsinter-jit.so, opened when it is needed first.

#include <abi/launch_abi.hpp>
#include <string>

namespace sinter {

/// Its path: beside this library, or in the build tree.
const std::string& jit_path();

struct jit_library {
  const abi::jit_api* api = nullptr;
  std::string error;  ///< why there is none
};
const jit_library& jit();

/// Opens the JIT and asks it about itself. When it can't be opened, `error` says why, and the other members are empty.
struct jit_facts {
  std::string path, llvm_version, llvm_path, cpu_name, error;
};
jit_facts query_jit();

}  // namespace sinter
