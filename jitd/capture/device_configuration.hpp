#pragma once
/// Reads the YAML file that lists the features of devices. Each target has `aspects` (names or numbers of sycl::aspect)
/// and `sub-group-sizes`, and may have `max-work-group-size` (work-items) and `max-work-item-sizes` (three numbers, the
/// fastest dimension last). A target may have any name; an unknown key or a malformed value is reported as an error
/// with its place.

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

/// If the text is malformed, messages go to standard error ("FILE:LINE:COLUMN: error: ...") and the result is empty.
std::vector<device_configuration> read_device_configurations(llvm::MemoryBufferRef text);

/// The targets of the built-in table, whose devices the runtime knows.
std::vector<device_configuration> known_device_configurations();

/// Writes the object as a line of text. `configuration_from_line` reads it back, and returns nothing for any other
/// text.
std::string to_line(const device_configuration& device);
std::optional<device_configuration> configuration_from_line(llvm::StringRef line);

}  // namespace sinter::capture
