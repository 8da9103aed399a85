#pragma once
/// If a list can't be one kernel, cuts the list into parts. Each part can be one kernel.
///
/// Input: members whose accesses can be seen in the code, and the reason why the members are not joined. Output: this
/// reason, with the parts if at least one of them has several members. The module does not change.

#include "fusion_state.hpp"
#include "llvm/Support/Error.h"
#include "steps.hpp"

namespace sinter::jit {

llvm::Error with_parts(llvm::Error why, fusion_state& state);

/// The steps of fusion_steps() that decide whether the members can be joined. These steps do not change the members.
llvm::ArrayRef<fusion_step> deciding_steps();

/// The range of each member.
std::vector<passes::fusion_range> ranges_of(const abi::fusion_request& request);

}  // namespace sinter::jit
