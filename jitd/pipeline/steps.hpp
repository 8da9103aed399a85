#pragma once
/// The lists of steps, in order. The compile service runs these lists (pipeline.hpp, fusion.hpp). The tool opt can run
/// one step for the CPU; the pass's name is "sinter-" and the step's name (tools/pass_plugin.cpp).

#include <optional>

#include "kernel_state.hpp"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "passes/optional_steps.hpp"
#include "validity.hpp"

namespace sinter::jit {

template <class State>
struct step {
  const char* name;
  const char* contract;  ///< what is true of the code from here on
  llvm::Error (*run)(State&);
  /// This member has a value if the step is optional, so that code is correct without it. An optional step has a name
  /// in SINTER_PASSES, is counted and may be left out. A step that changes only some kernels calls passes::may_run
  /// itself.
  std::optional<passes::optional_step> can_do_without{};
};

/// Runs the steps, except those that are left out. If SINTER_VERIFY is set, checks after each step that the module is
/// valid.
template <class State>
llvm::Error run_steps(llvm::ArrayRef<step<State>> list, State& state) {
  for (const step<State>& each : list) {
    if (each.can_do_without && !passes::may_run(*each.can_do_without)) continue;
    if (llvm::Error error = each.run(state)) return error;
    if (llvm::Error error = verify_behind(each.name, state.module)) return error;
  }
  return llvm::Error::success();
}

using front_step = step<front_state>;
/// The steps for all targets, from a module with the kernel to one function that contains all queries of work-item ids.
llvm::ArrayRef<front_step> front_steps();

using lowering_step = step<kernel_state>;
/// The steps for the CPU, from the result of front_steps() to a module with @sinter_kernel_info and the code it points
/// to.
llvm::ArrayRef<lowering_step> lowering_steps();

using finishing_step = step<finishing_state>;
/// The steps for the CPU, from the result of lowering_steps() to the code for which LLVM selects instructions.
llvm::ArrayRef<finishing_step> finishing_steps();

struct gpu_state;
using gpu_step = step<gpu_state>;
/// The steps for GPUs that have a dialect (targets/gpu), from the result of front_steps() to the code for which LLVM
/// selects instructions (device_state.hpp).
llvm::ArrayRef<gpu_step> gpu_steps();

struct spirv_state;
using spirv_step = step<spirv_state>;
/// The steps for drivers that take SPIR-V, from the result of front_steps() to the code that is written as SPIR-V
/// (device_state.hpp).
llvm::ArrayRef<spirv_step> spirv_steps();

struct fusion_state;
using fusion_step = step<fusion_state>;
/// The steps from the members of a fusion in one module to one kernel in it (fusion_state.hpp).
llvm::ArrayRef<fusion_step> fusion_steps();

}  // namespace sinter::jit
