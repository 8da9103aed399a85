#pragma once
/// The YAML file that says what devices offer: for each target, `aspects` (names or numbers of sycl::aspect) and
/// `sub-group-sizes`. Targets may be anything; a key or value that is not as it should be is an error with its place.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "llvm/Support/MemoryBufferRef.h"

namespace sinter::tools {

struct device_configuration {
  std::string target;
  std::set<std::uint32_t> aspects, sub_group_sizes;
};

/// Empty, and messages on standard error ("FILE:LINE:COLUMN: error: ..."), when the text is malformed.
std::vector<device_configuration> read_device_configurations(llvm::MemoryBufferRef text);

}  // namespace sinter::tools
