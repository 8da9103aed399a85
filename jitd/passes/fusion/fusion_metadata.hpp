#pragma once
/// Metadata on the stub function describe a fusion request completely, so that tests can run every fusion pass from a
/// text file. The syntax of the metadata follows the design of sycl_ext_codeplay_kernel_fusion.
///
///   !sycl.kernel.fused              names of the member kernels in order; a name may come twice
///   !sycl.kernel.param              sets of identical arguments, each a tuple of pairs (member, argument)
///   !sycl.kernel.promote            one string per set: "none", "private" or "local"
///   !sycl.kernel.promote.localsize  elements of the memory that replaces the argument, per set; "" when not promoted
///   !sycl.kernel.promote.elemsize   bytes of one element, per set; "" when not promoted
///   !sycl.kernel.constants          tuples (member, argument, bytes) with the constant bytes of arguments
///   !sycl.kernel.nd-range           range of the fused kernel: (dimensions, global, local, offset)
///   !sycl.kernel.nd-ranges          ranges of the members in the same format, in order
///   !sinter.kernel.barriers         members in front of which there is a barrier
///   !sinter.kernel.local            per member: bytes of local memory in front of the member's own
///   !sinter.kernel.elements         the member that visits elements (element_visits.hpp); each other member has a
///                                   work-item for each element; absent if no member visits elements
///
/// A member has one parameter, its argument block; an "argument" is the byte offset of a leaf in that block. Sizes are
/// in SYCL order. Unused dimensions come first and are 1, or 0 for offsets ("padded" order of the device ABI).

#include <abi/promotion.hpp>
#include <abi/work_items.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/IR/Function.h"

namespace sinter::passes {

struct fusion_argument {
  unsigned member;
  unsigned offset;  ///< bytes into the member's argument block
  friend bool operator==(const fusion_argument&, const fusion_argument&) = default;
};

using abi::promotion;

struct identical_set {
  std::vector<fusion_argument> arguments;
  promotion promoted = promotion::none;
  std::uint64_t elements = 0;      ///< number of elements of the memory that replaces the argument
  std::uint64_t element_bytes = 0;
  friend bool operator==(const identical_set&, const identical_set&) = default;
};

struct fusion_constant {
  fusion_argument argument;
  std::string bytes;
};

struct fusion_range {
  unsigned dimensions = 1;
  std::uint64_t global[3] = {1, 1, 1}, local[3] = {0, 0, 0}, offset[3] = {0, 0, 0};
};
inline bool has_groups(const fusion_range& range) { return range.local[0] != 0; }
inline std::uint64_t size_of(const fusion_range& range) { return abi::work_items(range.global); }

struct fusion_description {
  std::vector<std::string> members;
  std::vector<identical_set> sets;
  std::vector<fusion_constant> constants;
  fusion_range range;
  std::vector<fusion_range> ranges;
  std::vector<unsigned> barriers;
  std::vector<std::uint64_t> local_offsets;
  /// The member that visits elements, if any; other members have a work-item for each element.
  std::optional<unsigned> visitor;
};

void write_fusion_metadata(llvm::Function& stub, const fusion_description& description);
/// Missing parts of the metadata become empty fields of the description. Malformed parts are an error.
llvm::Expected<fusion_description> read_fusion_metadata(const llvm::Function& stub);

} // namespace sinter::passes
