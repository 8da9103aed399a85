#pragma once
/// The table of all kinds of devices. Selection, filters, platforms and sinter-info read this table; no other code
/// names a backend.

#include <span>
#include <vector>

#include <backends/backend_row.hpp>

#include <sycl/detail/export.hpp>

namespace sinter {

/// The name of the row for Sinter's own CPU device, whose kernels run in this process.
inline constexpr const char* own_backend = "sinter";

/// Returns the rows in the order in which devices are listed. Slow backends come last.
const std::vector<backend_row>& backend_table();

/// Adds a row for a backend of a test. Called before the program's first query for devices. The row must live as long
/// as the process.
SINTER_EXPORT void add_backend(const backend_row& added);

}  // namespace sinter
