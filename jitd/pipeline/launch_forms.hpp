#pragma once
/// Makes the versions of a kernel's code for launches of one kind, and the entry that chooses between these versions.

#include "kernel_state.hpp"
#include "passes/entry/work_item_loops.hpp"

namespace sinter::jit {

/// Turns memory into values. Users' code keeps ids in objects, and later steps recognise ids only if they are SSA
/// values.
void find_values(llvm::Function& work_item, llvm::TargetMachine& machine);

/// Returns the entry of a kernel. If special code for usual launches is faster, the entry chooses between this code and
/// general code. The caller must not use `work_item` afterwards.
llvm::Function* lower_kernel(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                             const passes::launch_layout& layout, code_needs& needs,
                             passes::report_statements& report);

}  // namespace sinter::jit
