#pragma once
/// Cuts a list that can't be one kernel into parts of which each can.
///
/// Input: members whose accesses stand out, and the reason why they are not joined.
/// Output: the same reason, with the parts where one of them has several members; the module is as it was.

#include "fusion_state.hpp"
#include "llvm/Support/Error.h"
#include "steps.hpp"

namespace sinter::jit {

llvm::Error with_parts(llvm::Error why, fusion_state& state);

/// The steps of fusion_steps() that decide, which leave the members as they are.
llvm::ArrayRef<fusion_step> deciding_steps();

/// The range of each member.
std::vector<passes::fusion_range> ranges_of(const abi::fusion_request& request);

}  // namespace sinter::jit
