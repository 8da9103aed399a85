#pragma once
/// The first steps that make code for devices with a driver. All targets for such devices share these steps.

#include <abi/launch_abi.hpp>
#include <string>
#include <vector>

#include "input/kernel_image.hpp"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// The members of abi::gpu_code, together with the data to which they refer.
struct device_code {
  std::string text, entry;
  abi::local_range block;
  std::uint64_t scratch_bytes_per_item, variable_bytes;
  std::uint32_t flags = 0;  ///< bits of abi::gpu_code_flags
  std::vector<std::uint32_t> pointers{}, globals{};
  std::string warnings{};  ///< lines for users; may be empty
};

/// Returns the size of groups in all launches of the code, or zeros if it is not known. `of_range` is the size of the
/// groups into which the target divides ranges.
abi::local_range groups_of(const abi::image_kernel& row, const abi::jit_request& request,
                           const abi::local_range& of_range);

/// Finds the calls of the device ABI's functions, except mathematics.
llvm::SmallVector<llvm::CallInst*, 16> device_calls_of(llvm::Function& function);

/// Returns the scope or order that a barrier or fence of the device ABI asks for. If the operand is not a constant,
/// returns the strongest scope or order.
std::uint64_t strength_of(const llvm::CallInst& call, unsigned operand);

/// Removes the names of the host's processor and features from functions, because the device has others.
void forget_processor(llvm::Module& module);

/// Marks a function as always inlined if the function has a body and `is_wanted` returns true for it.
void inline_always(llvm::Module& module, llvm::function_ref<bool(const llvm::Function&)> is_wanted);

/// Refuses variables of the host, and arrays that need the host's stack.
llvm::Error refuse_host_memory(const llvm::Module& module);
/// Refuses jumps to the address in a pointer.
llvm::Error refuse_jumps(const llvm::Module& module);
/// Refuses functions that only the host has. These are the functions for which `is_known` returns false.
llvm::Error refuse_host_functions(const llvm::Module& module, llvm::function_ref<bool(const llvm::Function&)> is_known);

/// The host passes pointers in `block`, also in structures. States in the code that these pointers lead to memory of
/// address space `global`.
void mark_global_pointers(llvm::Function& entry, const llvm::Argument& block, unsigned global);

/// Replaces calls of passes::device_global_symbol with reads of the table to which abi::gpu_geometry::globals points.
void read_device_globals(llvm::Function& entry, llvm::Argument& geometry, unsigned global);

/// States in the code that the memory of each accessor is separate from the memory of all other accessors
/// (abi::gpu_target::disjoint). Must run after mark_global_pointers.
void mark_disjoint_accessors(llvm::Function& entry, const llvm::Argument& block,
                             llvm::ArrayRef<abi::image_leaf> leaves);

/// Finds atomic operations on the memory of accessors. On GPUs with memory of their own, the memory of accessors is
/// never the host's memory.
llvm::SmallVector<llvm::AtomicRMWInst*, 8> atomics_of_accessors(llvm::Function& entry, const llvm::Argument& block,
                                                                llvm::ArrayRef<abi::image_leaf> leaves);

}  // namespace sinter::jit
