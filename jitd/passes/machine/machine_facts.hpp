#pragma once
/// Properties of a CPU by which forms of kernels are chosen.

#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

struct machine_facts {
  unsigned vector_bits;       ///< how long its longest vectors of data are
  unsigned vector_registers;  ///< that many of them
  bool has_mask_registers;    ///< masks take none of them, and masked stores cost what others do

  static machine_facts of(const llvm::TargetMachine& machine);
};

}  // namespace sinter::passes
