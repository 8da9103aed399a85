#pragma once
/// Properties of a CPU by which forms of kernels are chosen.

#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Code is made for one length of SVE's vectors, which can't be read from the machine's name: 0 for no SVE.
void know_sve_bits(unsigned bits);
unsigned known_sve_bits();

struct machine_facts {
  unsigned vector_bits;       ///< how long its longest vectors of data are
  unsigned vector_registers;  ///< that many of them
  bool has_mask_registers;    ///< masks take no vector registers, and masked stores cost as much as others
  bool has_wide_masks;  ///< masks of vectors of known length are as wide as the data: no registers for narrow ones
  bool adds_products_once;    ///< has an FMA
  bool has_avx512;            ///< AVX-512's foundation

  static machine_facts of(const llvm::TargetMachine& machine);
};

}  // namespace sinter::passes
