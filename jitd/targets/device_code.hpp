#pragma once
/// Code for devices that have a driver of their own: the steps that all of their targets begin with.

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

/// abi::gpu_code, with the data that it refers to.
struct device_code {
  std::string text, entry;
  abi::local_range block;
  std::uint64_t scratch_bytes_per_item, variable_bytes;
  std::uint32_t flags = 0;  ///< abi::gpu_code_flags
  std::vector<std::uint32_t> pointers{}, globals{};
  std::string warnings{};  ///< lines for people, or nothing
};

/// Work-items of the groups of all launches of the code; zeros: any. `of_range`: the groups that the target makes of
/// ranges.
abi::local_range groups_of(const abi::image_kernel& row, const abi::jit_request& request,
                           const abi::local_range& of_range);

/// Calls of the device ABI's functions, except mathematics.
llvm::SmallVector<llvm::CallInst*, 16> device_calls_of(llvm::Function& function);

/// Scope or order that a barrier or fence of the device ABI is asked for. A value that is no constant counts as the
/// strongest.
std::uint64_t strength_of(const llvm::CallInst& call, unsigned operand);

/// The host's processor is not the device's.
void forget_processor(llvm::Module& module);

/// Functions with a body that `is_wanted` accepts are to be inlined wherever they are called.
void inline_always(llvm::Module& module, llvm::function_ref<bool(const llvm::Function&)> is_wanted);

/// Variables of the host's, and arrays that need its stack.
llvm::Error refuse_host_memory(const llvm::Module& module);
/// Jumps to where a pointer says.
llvm::Error refuse_jumps(const llvm::Module& module);
/// Refuses functions that only the host has: all functions that `is_known` does not know.
llvm::Error refuse_host_functions(const llvm::Module& module, llvm::function_ref<bool(const llvm::Function&)> is_known);

/// States that pointers which the host passes in `block` lead to memory of address space `global`, pointers in
/// structures too.
void mark_global_pointers(llvm::Function& entry, const llvm::Argument& block, unsigned global);

/// Calls of passes::device_global_symbol become reads of the table that abi::gpu_geometry::globals leads to.
void read_device_globals(llvm::Function& entry, llvm::Argument& geometry, unsigned global);

/// Also states that the pointers of each accessor lead to memory of their own (abi::gpu_target::disjoint). Must run
/// behind mark_global_pointers.
void mark_disjoint_accessors(llvm::Function& entry, const llvm::Argument& block,
                             llvm::ArrayRef<abi::image_leaf> leaves);

/// Atomic operations on the memory of accessors, which on GPUs with memory of their own is never the host's.
llvm::SmallVector<llvm::AtomicRMWInst*, 8> atomics_of_accessors(llvm::Function& entry, const llvm::Argument& block,
                                                                llvm::ArrayRef<abi::image_leaf> leaves);

}  // namespace sinter::jit
