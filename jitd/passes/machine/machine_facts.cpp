#include "machine_facts.hpp"

namespace sinter::passes {

machine_facts machine_facts::of(const llvm::TargetMachine& machine) {
  const llvm::StringRef features = machine.getTargetFeatureString();
  if (features.contains("+avx512f")) return {512, 32, true};
  return {features.contains("+avx2") ? 256u : 128u, 16, false};
}

}  // namespace sinter::passes
