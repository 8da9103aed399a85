#pragma once
/// Opens libsinter-jit.so when the JIT is needed for the first time.

#include <abi/launch_abi.hpp>
#include <string>

namespace sinter {

/// Returns the path of the JIT's library, which is in the folder of this library or in the build tree.
const std::string& jit_path();

struct jit_library {
  const abi::jit_api* api = nullptr;
  std::string error;  ///< the reason why the JIT's library can't be used
};
const jit_library& jit();

/// Facts about the JIT. If the JIT's library can't be opened, `error` says why and the other members are empty.
struct jit_facts {
  std::string path, llvm_version, llvm_path, cpu_name, error;
};
jit_facts query_jit();

}  // namespace sinter
