#pragma once
/// Commands in the timeline (base/trace.hpp). Callers check sinter::traces() before they call these functions.

#include <base/trace.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "command.hpp"

namespace sycl::inline _V1::detail {

/// A piece of work as the timeline shows it.
struct traced_part {
  const char* name;
  sinter::trace_kind kind;
  std::uint64_t size;  ///< see traced_span::size
};
/// `name`: the command's name, which is used if the work is not a single kernel.
traced_part traced_work(const sinter::device_work& work, const char* name);
/// Records a command that a thread of the scheduler has run.
void trace_run(command& run, std::uint64_t start, std::uint64_t end);
/// Returns the launches, copies and fills that are handed over as one command, or an empty list if the command has no
/// parts. Called when the command is handed over, because the command's parts may be destroyed before the command is
/// complete.
std::vector<traced_part> traced_parts(const command& claimed);
/// Records a device's work for a command. `tickets` has the times of `parts`, which is not empty.
void trace_on_device(command& complete, std::span<const traced_part> parts,
                     std::span<const sinter::command_times> tickets);
/// Records the end of a host access.
void trace_host_access(command& access);
void trace_edge(const dependency& before, command& after);

}  // namespace sycl::detail
