/// lld sets LLVM's options to their defaults.

#include <doctest/doctest.h>

#include <string>

#include "llvm/Support/CommandLine.h"
#include "targets/cpu_target.hpp"
#include "targets/linked_object.hpp"
#include "targets/llvm_options.hpp"

TEST_CASE("LLVM's options have Sinter's values again after lld has linked") {
  sinter::jit::host_cpu();
  const auto is_set = [](const char* name) {
    const auto& options = llvm::cl::getRegisteredOptions();
    const auto found = options.find(name);
    return found != options.end() && found->second->getNumOccurrences() == 1;
  };
  for (int links = 0; links < 3; ++links) {
    {
      const sinter::jit::options_use use;
      for (const char* name : {"memdep-block-scan-limit", "dag-maps-huge-region", "spirv-ext"}) {
        INFO(std::string(name) << " after " << links << " links");
        CHECK(is_set(name));
      }
    }
    // lld sets the options even if it fails.
    auto linked = sinter::jit::link_object("this is no object", {});
    CHECK_FALSE(linked);
    llvm::consumeError(linked.takeError());
  }
}
