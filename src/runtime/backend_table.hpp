#pragma once
/// The kinds of devices that exist. Selection, filters, platforms and sinter-info read this table; nothing else names a
/// backend.

#include <span>
#include <vector>

#include <backends/backend_row.hpp>

#include <sycl/detail/export.hpp>

namespace sinter {

/// The row of the CPU device that kernels share their process with.
inline constexpr const char* own_backend = "sinter";

/// The rows, in the order of devices: slow backends come last.
const std::vector<backend_row>& backend_table();

/// For tests, which bring backends of their own: another row, before anybody has asked for devices. The row must live
/// as long as the process.
SINTER_EXPORT void add_backend(const backend_row& added);

}  // namespace sinter
