#pragma once
/// From collected kernels to one command.

#include <scheduler/command.hpp>
#include <span>
#include <string>

#include "fusion_list.hpp"

namespace sycl::detail {

/// A command that runs all members as one kernel, not submitted yet. Null with a reason when they can't or must not be fused.
/// `candidates` gets the temporaries that need no memory if their buffers go before the launch; with any, the command is held.
command_ptr make_fused_command(const shared<queue_impl>& queue, std::span<const command_ptr> members,
                               const fusion_options& options, std::vector<shared<buffer_record>>& candidates,
                               std::string& why);

} // namespace sycl::detail
