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
  unsigned sve_bits = 0;  ///< length of SVE's vectors for which code is made; 0 for no SVE
};

/// Limits analyses of LLVM whose time grows with the square of the number of accesses in a block, because unrolled code
/// with vectors has very many accesses. The limits hold for the whole process, until LLVM's options are reset, which
/// lld does (llvm_options.hpp).
void bound_effort();

/// For tests: code is made for the CPU with this name in LLVM. To run the code, this machine needs all features of the
/// CPU. Must be called before all other functions. "aarch64:neoverse-v1" makes code for a CPU of 64-bit Arm on any
/// machine, and "aarch64:neoverse-v1:256" for SVE with vectors of 256 bits.
void compile_for(const char* cpu);

/// Describes this machine, which the first call examines. Initialises LLVM's native target.
const cpu_target& host_cpu();

/// Makes LLVM's target machine for position-independent code with the small code model, so that the object can be
/// linked into a shared object.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_target_machine(bool optimise);

/// The size of one last-level cache as the machine reports it, or a usual size if the machine does not report any.
std::uint64_t last_level_cache_bytes();
/// The size of a second-level cache, which belongs to one core.
std::uint64_t second_level_cache_bytes();

/// Gives every function the attributes that name the CPU and its features. Without these attributes, LLVM makes code
/// for the architecture's oldest CPU.
void set_target_attributes(llvm::Module& module);

} // namespace sinter::jit
