#pragma once
/// Lowers a kernel from device IR to optimised IR of the host CPU: runs the steps of steps.hpp, one after the other.

#include "kernel_state.hpp"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// On return the module defines @sinter_kernel_info and the code it points to. Adds statements to `report`: one for
/// each work-item function that could have a wide form.
llvm::Error lower_for_cpu(llvm::Module& module, llvm::TargetMachine& machine, const pipeline_request& request,
                          passes::report_statements& report);

/// Brings unoptimised code into the form in which the capture plugin leaves optimised code: functions are inlined, and
/// values are in registers.
void simplify_debug_code(llvm::Module& module);

/// Runs LLVM's -O3 for the machine. If `full_debug` is true, only always-inline functions are inlined.
llvm::Error optimise(llvm::Module& module, llvm::TargetMachine& machine, bool full_debug);

/// Symbol of a kernel's entry: its readable name.
std::string entry_name(const kernel_facts& kernel);

}  // namespace sinter::jit
