#pragma once
/// Facts about fused code: for which numbers it can be used, how it is launched, and which decisions the JIT has made.
///
/// The cache stores the facts behind the shared object, in the same file (cache_entry.hpp). If a fusion was refused,
/// there are facts but no code.

#include <abi/launch_abi.hpp>
#include <algorithm>
#include <base/report.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter {

struct fusion_facts {
  std::string refused;  ///< the reason why there is no code; empty if there is code
  /// The JIT's decisions. All values in these decisions are whole numbers. If the fusion was refused, the statements
  /// are parts into which the list may be cut (abi/fusion_parts.hpp).
  std::vector<report_statement> statements;
  std::string code;                          ///< LLVM IR of the fused module, if the program requested it
  std::vector<abi::fusion_dependence> depends_on;
  std::vector<abi::fusion_promotion> promotions;
  std::string numbers;  ///< `depends_on` lists bytes of arguments; these are the values for which the code was made
  /// The member whose global range is used for the launch, and the member whose local range is used.
  std::uint32_t range_member = 0, local_member = 0;
  bool any_size = false;  ///< the code can be used for any number of rows in the outermost dimension
  /// The ranges with which the code is launched. Zeros mean that the members' ranges are used.
  std::uint64_t global_range[3] = {0, 0, 0}, local_range[3] = {0, 0, 0};
  std::uint64_t local_memory_bytes = 0;
  std::uint64_t saved_bytes = 0, work_items = 0;  ///< memory traffic, in bytes, that a launch of `work_items`
                                                  ///< work-items saves

  /// Returns whether the code has ranges of its own, instead of the members' ranges.
  bool has_geometry() const noexcept { return global_range[0] != 0; }

  /// A refused list of `members` kernels can sometimes be cut into parts that can be fused. Returns the number of the
  /// first member of each part. The result is empty if there are no such parts.
  std::vector<std::uint32_t> parts(std::size_t members) const;

  /// Copies numbers from the JIT's result or from a record of the cache. The result and the record have members with
  /// these names.
  template <class Source>
  void take_numbers_of(const Source& source) {
    range_member = source.range_member;
    local_member = source.local_member;
    any_size = source.any_size != 0;
    std::copy(source.global_range, source.global_range + 3, global_range);
    std::copy(source.local_range, source.local_range + 3, local_range);
    local_memory_bytes = source.local_memory_bytes;
    saved_bytes = source.saved_bytes;
  }
};

std::string write_fusion_facts(const fusion_facts& facts);
/// Returns false if the bytes are not facts about `members` kernels.
bool read_fusion_facts(std::string_view bytes, std::size_t members, fusion_facts& facts);

}  // namespace sinter
