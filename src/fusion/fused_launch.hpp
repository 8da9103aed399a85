#pragma once
/// From collected kernels to one command.

#include <scheduler/command.hpp>
#include <span>
#include <string>

#include "fusion_list.hpp"

namespace sycl::detail {

/// A command that runs all members as one kernel, not submitted yet. Null with a reason when they can't or must not be fused.
command_ptr make_fused_command(const shared<queue_impl>& queue, std::span<const command_ptr> members,
                               const fusion_options& options, std::string& why);

} // namespace sycl::detail
