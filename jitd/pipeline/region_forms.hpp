#pragma once
/// Makes versions of a kernel's regions, for example vectors, and an entry around the regions.

#include "kernel_state.hpp"
#include "passes/entry/work_item_loops.hpp"

namespace sinter::jit {

/// Cuts a work-item function into regions at its barriers. Makes those versions of each region that are worth their
/// code. Returns an entry for launches that `layout` describes. The caller must not use `work_item` afterwards.
/// `sub_groups` says whether the kernel asks for sub-groups.
llvm::Function* make_entry(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                           passes::launch_layout layout, bool sub_groups, code_needs& needs,
                           passes::report_statements& report);

}  // namespace sinter::jit
