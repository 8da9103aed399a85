#pragma once
/// Commands in the timeline (base/trace.hpp). To be called where there is one.

#include <base/trace.hpp>
#include <cstdint>

#include "command.hpp"

namespace sycl::detail {

/// Of commands that are no kernels, by their names.
sinter::trace_kind traced_kind(const char* name, const sinter::memory_work& memory) noexcept;
/// What a thread of the scheduler has run.
void trace_run(command& run, std::uint64_t start, std::uint64_t end);
/// What a device has done, with `tickets` of its stream, of which `last` took `times`.
void trace_on_device(command& complete, sinter::device_stream& stream, std::uint64_t last, std::uint64_t tickets,
                     sinter::command_times times);
/// It ends.
void trace_host_access(command& access);
void trace_edge(const dependency& before, command& after);

}  // namespace sycl::detail
