#pragma once
/// The request of a compilation, and the state that steps pass on to each other, for the first steps of all targets and
/// for the CPU's steps.

#include <abi/launch_abi.hpp>
#include <string>
#include <vector>

#include "input/kernel_image.hpp"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "passes/pass_runner.hpp"
#include "passes/report.hpp"

namespace sinter::jit {

/// A kernel may have several versions of its code. This is the share of the kernel's launches that run one version.
enum class launch_share : std::uint8_t {
  most,
  few,         ///< few launches: the code must be compiled quickly
  hardly_any,  ///< as for few launches, and without vectors
};

struct pipeline_request {
  const kernel_facts& kernel;
  const std::vector<std::string>& imports;
  abi::compile_options options;
  abi::known_groups groups;
  const abi::specialization_table* constants;  ///< null: the code reads the launch's table
  bool fused;                                  ///< the kernel takes the array of its members' blocks
  bool full_debug;                             ///< keeps variables and lines and does not optimise
  /// Size of the last-level cache; launches that touch more memory use stores that bypass the cache.
  std::uint64_t cache_bytes;
  launch_share launches = launch_share::most;

  bool has_narrow_ids() const { return options.ids == abi::id_width::bits_32; }
  /// Whether work-items report each access of memory. If so, work-items run one by one.
  bool checks_accesses() const { return options.accesses == abi::access_check::reported; }
  bool runs_one_by_one() const {
    return full_debug || options.check_barriers || checks_accesses() || options.lanes == 1;
  }
};

/// Requirements of a kernel's code that the runtime has to meet.
struct code_needs {
  std::uint32_t flags = 0;                             ///< abi::code_flags
  std::uint64_t context_bytes = 0, scratch_bytes = 0;  ///< per work-item
  bool has_vectors = false;                            ///< vectors made by Sinter or by LLVM's loop vectorizer
};

/// A kernel on its way through front_steps().
struct front_state {
  llvm::Module& module;
  const kernel_facts& facts;
  const abi::known_groups& groups;
  const abi::specialization_table* constants;  ///< null: no values are known
  const abi::gpu_target* device = nullptr;     ///< null: the CPU
  bool fused = false;                          ///< the kernel takes the array of its members' blocks
  /// The kind of inline assembly that the device takes, a value of abi::assembly_attribute.
  const char* assembly = "";
  bool checks_accesses = false;                ///< each access of memory is reported
  unsigned sub_group_size = 0;                 ///< on the CPU: the size of sub-groups for kernels that require no size
  const llvm::TargetMachine* cpu = nullptr;    ///< null: for another device
  bool checks_barriers = false;                ///< a barrier that not all work-items reach is reported
  bool inlines_failures = false;               ///< a work-item that fails returns from the kernel
  /// The code reads the places of several local accessors at run time, even if the places are known.
  bool reads_places = false;
  llvm::Function* kernel = nullptr;            ///< void(ptr block)
  std::uint64_t scratch_bytes = 0;             ///< bytes per work-item for group functions
  std::uint64_t variable_bytes = 0;            ///< bytes per group for variables in local memory
};

/// A kernel on its way through front_steps() and lowering_steps() for the CPU.
struct kernel_state : front_state {
  kernel_state(llvm::Module& module, llvm::TargetMachine& machine, const pipeline_request& request,
               passes::report_statements& report)
      : front_state{module, request.kernel, request.groups, request.constants, nullptr, request.fused, "",
                    request.checks_accesses(), request.options.sub_group_size, &machine,
                    request.options.check_barriers != 0},
        machine(machine), request(request), report(report) {}

  llvm::TargetMachine& machine;
  const pipeline_request& request;
  /// Statements about each function of work-items that could run as vectors.
  passes::report_statements& report;
  llvm::Function* work_item = nullptr;  ///< the kernel's work-item function, which is used until there is an entry
  llvm::MDNode* access_group = nullptr;
  llvm::Function* entry = nullptr;
  code_needs needs{};
};

/// A module with an entry on its way through finishing_steps().
struct finishing_state {
  finishing_state(llvm::Module& which, llvm::TargetMachine& target, bool full_debug);

  llvm::Module& module;
  llvm::TargetMachine& machine;
  bool full_debug;
  llvm::PassInstrumentationCallbacks callbacks;
  passes::pass_runner runner;
};

}  // namespace sinter::jit
