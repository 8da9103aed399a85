#pragma once
/// Steps that a kernel can do without: it is right with and without each of them, only slower. SINTER_PASSES=-name
/// leaves one out, SINTER_BISECT=N all behind the first N of each kernel, so that anybody can find the step that makes
/// a kernel wrong or slow, on every target (docs/vectorizer.md). Read from the environment once; complaints go to
/// stderr.

#include <cstdint>
#include <string>

#include "llvm/ADT/ArrayRef.h"

namespace sinter::passes {

enum class optional_step : std::uint8_t {
  // Steps of a fusion.
  fused_constants,
  promotion,
  disjoint_memory,
  // Steps of a kernel.
  known_arguments,
  root_estimates,
  followed_prefetches,
  visited_rows,
  usual_launches,
  flat_rows,
  row_bounds,
  idle_work_items,
  numbered_tiles,
  loops_in_step,
  element_arrays,
  vectors,
  alike_loops,
  index_sums,
  stride_forms,
  local_stores,
  row_unrolling,
  joined_loads,
  narrow_rows,
  interior,
  long_vectors,
  neighbours,
  streaming_stores,
  guarded_stores,
  parallel_loops,
  // Steps of code for GPUs.
  disjoint_accessors,
  warp_values,
  byte_products,  // and of code for the CPU, behind LLVM's
  loop_unrolling,
  llvm,
  async_copies,
  late_stores,
  scalar_addresses,
  // Steps of code for the CPU, behind LLVM's.
  paired_gathers,
  blocked_values,
  wide_masks,  // the last one
};

struct step_description {
  optional_step step;
  const char* name;  ///< in SINTER_PASSES
  const char* what;
};
/// The steps in the order in which a kernel meets them first.
llvm::ArrayRef<step_description> optional_steps();

/// Asked where the step would be taken, right before it. Each call counts for SINTER_BISECT, so that numbers are the
/// same in every run.
bool may_run(optional_step step);

/// One compilation of a kernel: its steps are counted from 1 in this thread. With SINTER_BISECT, it reports on stderr
/// which steps ran and which were left out.
class counted_steps {
public:
  /// `kernel` as people write it.
  explicit counted_steps(const std::string& kernel);
  ~counted_steps();
  counted_steps(const counted_steps&) = delete;
};

}  // namespace sinter::passes
