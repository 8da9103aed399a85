#pragma once
/// The property set "SYCL/device requirements" of a device image, as DPC++ writes it into a file of properties:
/// sections
/// "[NAME]" with lines "KEY=TYPE|VALUE", where type 2 is base64 of bytes, with or without their number of bits in
/// front.

#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/Support/Error.h"

namespace sinter::tools {

struct device_requirements {
  std::vector<std::uint32_t> aspects;                       ///< "aspect" or "aspects": all of them
  std::vector<std::uint32_t> sub_group_sizes;               ///< "reqd_sub_group_size": all of them
  std::optional<std::vector<std::uint32_t>> fixed_targets;  ///< "fixed_target": aspects of targets, one of them
};

/// Nothing when the text has no such set; an error, with its line, when it is malformed.
llvm::Expected<std::optional<device_requirements>> read_device_requirements(llvm::StringRef text);

}  // namespace sinter::tools
