#include "machine_facts.hpp"

#include <algorithm>
#include <atomic>

#include "llvm/MC/MCSubtargetInfo.h"

namespace sinter::passes {

namespace {

std::atomic<unsigned> sve_bits{0};

machine_facts facts_of_x86(const llvm::TargetMachine& machine) {
  const llvm::StringRef features = machine.getTargetFeatureString();
  const llvm::MCSubtargetInfo& known = *machine.getMCSubtargetInfo();
  // The x86-64-v4 level has AVX-512 and FMA although its feature string does not name them. For this level, Sinter uses
  // vectors that are shorter than those of AVX-512.
  const bool has_avx512 = known.checkFeatures("+avx512f"), has_fma = known.checkFeatures("+fma");
  if (features.contains("+avx512f")) return {512, 32, true, false, has_fma, has_avx512};
  return {features.contains("+avx2") ? 256u : 128u, 16, has_avx512, !has_avx512, has_fma, has_avx512};
}

// If SVE's vectors are as long as NEON's, LLVM uses NEON for vectors of known length, and SVE only for their masked
// loads and stores. LLVM does not keep masks of such vectors in SVE's predicate registers across blocks.
machine_facts facts_of_arm(const llvm::TargetMachine& machine) {
  constexpr unsigned neon_bits = 128, longest = 512;
  const bool has_sve = machine.getMCSubtargetInfo()->checkFeatures("+sve");
  const unsigned bits = has_sve ? std::clamp(known_sve_bits(), neon_bits, longest) : neon_bits;
  return {bits, 32, bits > neon_bits, true, true, false};
}

}  // namespace

void know_sve_bits(unsigned bits) { sve_bits.store(bits, std::memory_order_relaxed); }
unsigned known_sve_bits() { return sve_bits.load(std::memory_order_relaxed); }

machine_facts machine_facts::of(const llvm::TargetMachine& machine) {
  return machine.getTargetTriple().isAArch64() ? facts_of_arm(machine) : facts_of_x86(machine);
}

}  // namespace sinter::passes
