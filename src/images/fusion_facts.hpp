#pragma once
/// Facts about fused code: the numbers for which it holds, how to launch it, and the decisions that were made.
///
/// The cache keeps the facts beside the shared object (cache_entry.hpp). A refusal has facts, too, but no code.

#include <abi/launch_abi.hpp>
#include <algorithm>
#include <base/report.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter {

struct fusion_facts {
  std::string refused;  ///< the reason why there is no code; empty: there is code
  /// The decisions, whose values are whole numbers. The statements of a refusal are parts of the list
  /// (abi/fusion_parts.hpp).
  std::vector<report_statement> statements;
  std::string code;                          ///< LLVM IR of the fused module, if it was asked for
  std::vector<abi::fusion_dependence> depends_on;
  std::vector<abi::fusion_promotion> promotions;
  std::string numbers;  ///< the bytes at the places in `depends_on` for which the code was made
  /// The members whose global range and whose local range are launched.
  std::uint32_t range_member = 0, local_member = 0;
  bool any_size = false;  ///< the code holds for any number of rows of the outermost dimension
  /// Ranges of the launch, if they are not zeros.
  std::uint64_t global_range[3] = {0, 0, 0}, local_range[3] = {0, 0, 0};
  std::uint64_t local_memory_bytes = 0;
  std::uint64_t saved_bytes = 0, work_items = 0;  ///< memory traffic that a launch of this many work-items saves

  /// Returns whether the code is launched in groups of its own instead of the members' groups.
  bool has_geometry() const noexcept { return global_range[0] != 0; }

  /// A refused list of `members` kernels may be cut into parts. Returns the first member of each part, often none.
  std::vector<std::uint32_t> parts(std::size_t members) const;

  /// Copies facts from the JIT's result or from a stored record, whose members have the same names.
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
/// Returns false if the bytes are no facts about `members` kernels.
bool read_fusion_facts(std::string_view bytes, std::size_t members, fusion_facts& facts);

}  // namespace sinter
