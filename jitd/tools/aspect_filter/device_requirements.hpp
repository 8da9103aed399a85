#pragma once
/// The property set "SYCL/device requirements" of a device image, as DPC++ writes it into a file of properties. The
/// file has sections "[NAME]" with lines "KEY=TYPE|VALUE". A value of type 2 is a sequence of bytes in base64. The
/// first bytes may contain the number of bits of the other bytes.

#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/Support/Error.h"

namespace sinter::tools {

struct device_requirements {
  std::vector<std::uint32_t> aspects;                       ///< from "aspect" or "aspects": a device needs all of these
                                                            ///< aspects
  std::vector<std::uint32_t> sub_group_sizes;               ///< from "reqd_sub_group_size": a device needs all of these
                                                            ///< sizes
  /// From "fixed_target": the aspects that stand for targets. A device needs one of these aspects.
  std::optional<std::vector<std::uint32_t>> fixed_targets;
};

/// Returns nothing if the text has no such property set. If the text is malformed, the error contains the line's
/// number.
llvm::Expected<std::optional<device_requirements>> read_device_requirements(llvm::StringRef text);

}  // namespace sinter::tools
