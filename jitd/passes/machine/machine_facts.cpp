#include "machine_facts.hpp"

#include "llvm/MC/MCSubtargetInfo.h"

namespace sinter::passes {

machine_facts machine_facts::of(const llvm::TargetMachine& machine) {
  const llvm::StringRef features = machine.getTargetFeatureString();
  if (features.contains("+avx512f")) return {512, 32, true};
  // x86-64-v4 has these without having said it in words, and shorter vectors by choice.
  const bool has_mask_registers = machine.getMCSubtargetInfo()->checkFeatures("+avx512f");
  return {features.contains("+avx2") ? 256u : 128u, 16, has_mask_registers};
}

}  // namespace sinter::passes
