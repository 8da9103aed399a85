#pragma once
/// The YAML file that says what devices offer: for each target, `aspects` (names or numbers of sycl::aspect) and
/// `sub-group-sizes`, perhaps `max-work-group-size` (work-items) and `max-work-item-sizes` (three, the fastest
/// dimension last). Targets may be anything; a key or value that is not as it should be is an error with its place.

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace sinter::capture {

struct device_configuration {
  std::string target;
  std::set<std::uint32_t> aspects, sub_group_sizes;
  std::uint32_t max_work_group_size = 0;                 ///< 0: not known
  std::array<std::uint32_t, 3> max_work_item_sizes{};  ///< 0: not known
};

/// Empty, and messages on standard error ("FILE:LINE:COLUMN: error: ..."), when the text is malformed.
std::vector<device_configuration> read_device_configurations(llvm::MemoryBufferRef text);

/// Those that the runtime knows, of the table that is built in.
std::vector<device_configuration> known_device_configurations();

/// One line, and back; nothing when the text is none.
std::string to_line(const device_configuration& device);
std::optional<device_configuration> configuration_from_line(llvm::StringRef line);

}  // namespace sinter::capture
