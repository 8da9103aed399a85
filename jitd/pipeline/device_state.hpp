#pragma once
/// State that the steps for devices with a driver pass on to each other.

#include "kernel_state.hpp"
#include "llvm/Target/TargetMachine.h"
#include "passes/pass_runner.hpp"
#include "targets/address_inference.hpp"
#include "targets/device_code.hpp"
#include "targets/gpu/kernel_entry.hpp"
#include "targets/spirv/kernel_entry.hpp"

namespace sinter::jit {

/// `request` names the device. The kernel's own function was inlined into the entry and removed.
struct device_state : front_state {
  device_state(llvm::Module& in, const kernel_facts& kernel, const abi::jit_request& wanted,
               llvm::TargetMachine& target)
      : front_state{in, kernel, wanted.groups, wanted.constants, &wanted.gpu}, request(wanted), machine(target) {}

  const abi::jit_request& request;
  llvm::TargetMachine& machine;
  llvm::Function* entry = nullptr;
  abi::local_range block{};    ///< the size of groups if it is the same in all launches, else zeros
  std::uint32_t flags = 0;     ///< abi::gpu_code_flags
};

/// A kernel on its way through gpu_steps().
struct gpu_state : device_state {
  gpu_state(llvm::Module& in, const kernel_facts& kernel, const abi::jit_request& wanted, llvm::TargetMachine& target,
            const gpu::dialect& words)
      : device_state(in, kernel, wanted, target),
        dialect(words),
        runner(&target, words.tuning(), &guard.callbacks) {
    guard.stand_around(runner.functions);
    runner.know_no_library(target.getTargetTriple());
  }

  const gpu::dialect& dialect;
  bool smaller_blocks = false;  ///< blocks may have fewer work-items in the last dimension than `block`
  unsigned sub_group_size = 0;
  gpu::geometry where{};
  inference_guard guard;
  passes::pass_runner runner;  ///< runs LLVM's own optimisations and answers questions about their analyses
};

/// A kernel on its way through spirv_steps().
struct spirv_state : device_state {
  using device_state::device_state;

  spirv::kernel_entry parameters{};
  unsigned sub_group_size = 0;            ///< 0: any size will do
  bool linear_groups = false;             ///< each group is launched as one row
  /// Launches have more work-items than the range, because no group size divides it.
  bool is_padded = false;
  /// With abi::gpu_target::pointers_apart: the places of pointers in the argument block. The entry has one argument for
  /// each of these pointers.
  std::vector<std::uint32_t> pointers{};
};

}  // namespace sinter::jit
