#pragma once
/// The host CPU as a compilation target.

#include <cstdint>
#include <memory>
#include <string>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::jit {

struct cpu_target {
  std::string triple, cpu, features;
  unsigned sve_bits = 0;  ///< the length of SVE's vectors for which code is made; 0: none
};

/// Bounds work of LLVM that takes time quadratic in the accesses of a block, for unrolled copies of wide vectors. The
/// bounds hold for the whole process, until LLVM's options are reset, as lld does.
void bound_effort();

/// For tests: from now on code is made for that CPU of LLVM's. To run the code, this machine needs all features of the
/// CPU. It must be called first. "aarch64:neoverse-v1" makes code for a CPU of 64-bit Arm on any machine,
/// "aarch64:neoverse-v1:256" by vectors of SVE of 256 bits.
void compile_for(const char* cpu);

/// Asks the machine once. Initialises LLVM's native target.
const cpu_target& host_cpu();

/// Position-independent with the small code model: the same object can be linked into a shared object.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_target_machine(bool optimise);

/// The size of one of these caches, if the machine tells it.
std::uint64_t last_level_cache_bytes();
/// The second level, which belongs to a core.
std::uint64_t second_level_cache_bytes();

/// Gives every function the CPU and its features: without them code generation assumes the architecture's oldest.
void set_target_attributes(llvm::Module& module);

} // namespace sinter::jit
