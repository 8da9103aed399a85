#pragma once
/// From collected kernels to one command.

#include <scheduler/command.hpp>
#include <span>
#include <string>

#include "fusion_list.hpp"

namespace sycl::detail {

/// Report of a list that is not fused.
void report_one_by_one(std::span<const command_ptr> members, const std::string& why);

/// Makes the command run all members as one kernel. False with a reason, and nothing done, when they can't or must not
/// be fused. The command is the only one of the list that uses its buffers.
bool make_fused(command& fused, std::span<const command_ptr> members, const fusion_options& options, std::string& why);

} // namespace sycl::detail
