#pragma once
/// Reductions over a range divide the range's elements into runs. Each work-group adds up a run of consecutive elements
/// in linear order, and its work-items share the run's elements. The runs determine the order of additions, so fusing
/// with tiles must not change them.

#include <algorithm>
#include <cstdint>

namespace sinter::passes {

/// Cuts [0, total) into runs like detail::range_reduction (include/sycl/detail/reduction_kernels.hpp).
struct element_runs {
  std::uint64_t total = 0, count = 0;  ///< total is at least count

  std::uint64_t length() const { return total / count; }
  /// The number of runs that have one element more than length(). These longer runs come first.
  std::uint64_t longer() const { return total % count; }
  std::uint64_t begin(std::uint64_t run) const { return run * length() + std::min(run, longer()); }
  std::uint64_t longest() const { return length() + (longer() != 0 ? 1 : 0); }

  /// Whether each run consists of whole rows.
  bool has_whole_rows(std::uint64_t width) const { return longer() == 0 && length() % width == 0; }
  /// The most rows that one run may touch.
  std::uint64_t most_rows(std::uint64_t width) const {
    return has_whole_rows(width) ? length() / width : (longest() + width - 2) / width + 1;
  }
};

}  // namespace sinter::passes
