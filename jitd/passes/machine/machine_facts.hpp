#pragma once
/// Properties of a CPU. Passes use these properties to decide which versions of a kernel they make.

#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Sets the length in bits of SVE's vectors for all code, because the machine's name does not say this length. 0 means
/// that the machine has no SVE.
void know_sve_bits(unsigned bits);
unsigned known_sve_bits();

struct machine_facts {
  unsigned vector_bits;       ///< length of the machine's longest vectors of data
  unsigned vector_registers;  ///< the number of vector registers
  /// Whether the machine has registers for masks: masks need no vector registers, and a masked store costs as much as
  /// another store.
  bool has_mask_registers;
  /// Whether masks of vectors of known length are as wide as the data, because there are no registers for narrow masks.
  bool has_wide_masks;
  bool adds_products_once;    ///< whether the machine has an FMA
  bool has_avx512;            ///< whether the machine has AVX-512F

  static machine_facts of(const llvm::TargetMachine& machine);
};

}  // namespace sinter::passes
