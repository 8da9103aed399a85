#pragma once
/// The way of a kernel from device IR to optimised IR of the host CPU.

#include <abi/launch_abi.hpp>
#include <memory>

#include "input/kernel_image.hpp"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include "passes/known_arguments.hpp"

namespace sinter::jit {

struct pipeline_request {
  const kernel_facts& kernel;
  const std::vector<std::string>& imports;
  abi::compile_options options;
  abi::known_groups groups;
  const abi::specialization_table* constants;  ///< null: read from the launch's table
  bool fused;       ///< the kernel takes the array of its members' blocks
  bool full_debug;  ///< keep variables and lines, do not optimise
  std::uint64_t cache_bytes;  ///< of the last level: launches that touch more store past it
  bool rare = false, hardly_ever = false;  ///< for such launches: code that is soon compiled, and without vectors

  bool has_narrow_ids() const { return options.ids == abi::id_width::bits_32; }
  /// Work-items one by one, which report each access of memory.
  bool checks_accesses() const { return options.check_accesses != 0; }
};

/// On return the module defines @sinter_kernel_info and the code it points to.
/// Adds to `report` a line for each function of work-items that could have a wide form.
llvm::Error lower_for_cpu(llvm::Module& module, llvm::TargetMachine& machine, const pipeline_request& request,
                          std::string& report);

/// Unoptimised code as the capture plugin leaves optimised one: inlined, values in registers.
void simplify_debug_code(llvm::Module& module);

/// LLVM's -O3 for the machine; nothing but always-inline functions when `full_debug`.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, bool full_debug);

/// Symbol of a kernel's entry: its readable name.
std::string entry_name(const kernel_facts& kernel);

} // namespace sinter::jit
