/// Tests the function that reads SPIR-V modules: it has to return for any bytes. The function either says which word is
/// wrong, or returns facts that are true for the module.

#include <cstdint>
#include <cstdlib>
#include <images/spirv_module.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  sinter::spirv_facts facts;
  const std::string error = sinter::read_spirv(bytes, size, facts);
  if (!error.empty()) {
    if (error.rfind("word ", 0) != 0) std::abort();
    return 0;
  }
  if (facts.module.size() != size || facts.kernels.empty()) std::abort();
  for (const std::string& name : facts.kernels) {
    if (name.empty() || name.size() > size) std::abort();
  }
  return 0;
}
