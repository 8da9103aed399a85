#pragma once
/// Facts about a kernel that only the AST has: its readable name, its position and the layout of its argument block.
///
/// The AST role writes these facts as text into an annotation of the kernel function; the pass role reads it back from
/// the IR. No other data passes between the roles, because the roles may run in different processes (-save-temps).
/// `location_id` is an index into a table of source locations, which exists only if both roles run in one process;
/// otherwise `location_id` is 0.

#include <abi/image_format.hpp>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "device_configuration.hpp"
#include "llvm/ADT/StringRef.h"

namespace sinter::capture {

struct kernel_layout {
  std::string display_name;
  std::string source_position;  ///< "file:line:column"
  unsigned location_id = 0;
  /// SYCL's order, padded as in image_kernel; all 0: no size is required.
  std::array<std::uint32_t, 3> required_work_group_size{};
  std::uint32_t group_dimensions = 0;  ///< how many sizes the attribute has
  std::uint32_t required_sub_group_size = 0;
  bool own_groups = false;  ///< the flag abi::kernel_own_groups
  bool sizes_for_cpu = false;  ///< the flag abi::kernel_sizes_for_cpu
  abi::aspect_set required_aspects;  ///< the aspects that device_has lists, as bits
  bool declares_aspects = false;       ///< whether the kernel has device_has, perhaps with an empty list
  std::vector<device_configuration> fixed_targets;  ///< empty: any device
  std::uint32_t code_split = 0;        ///< how the kernel's file is split (capture::code_split)
  std::vector<abi::image_leaf> leaves;
  std::vector<std::string> captures;  ///< names of the variables that the lambda captures, in their order in memory
};

/// Writes the layout as the text of an annotation, which begins with layout_prefix.
std::string to_annotation(const kernel_layout& layout);

/// Returns nothing if the text has another format or is damaged.
std::optional<kernel_layout> from_annotation(llvm::StringRef text);

inline constexpr llvm::StringLiteral layout_prefix = "sinter.layout:3\n";

} // namespace sinter::capture
