#pragma once
/// Optional steps only make a kernel faster: without them the kernel is still right. SINTER_PASSES=-name skips one
/// step, and SINTER_BISECT=N skips all steps after the first N of each kernel. In this way, users find the step that
/// makes a kernel wrong or slow, on every target (docs/vectorizer.md). Both variables are read once, and errors in
/// them are reported on stderr.

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
  group_turns,
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
  byte_products,  // also a step of code for the CPU, behind LLVM's passes
  loop_unrolling,
  llvm,
  async_copies,
  late_stores,
  scalar_addresses,
  // Steps of code for the CPU, which run behind LLVM's passes.
  paired_gathers,
  blocked_values,
  wide_masks,  // has to be the last step
};

struct step_description {
  optional_step step;
  const char* name;  ///< name in SINTER_PASSES
  const char* what;
};
/// All steps, in the order in which a kernel first reaches them.
llvm::ArrayRef<step_description> optional_steps();

/// Whether the step may run. Call it right before the step and nowhere else, because SINTER_BISECT counts the calls:
/// each step has to get the same number in every run.
bool may_run(optional_step step);

/// Counts the steps of one compilation of a kernel in this thread, from 1 on. With SINTER_BISECT, the object reports on
/// stderr which steps ran and which were left out.
class counted_steps {
public:
  /// `kernel` is the kernel's name as users write it.
  explicit counted_steps(const std::string& kernel);
  ~counted_steps();
  counted_steps(const counted_steps&) = delete;
};

}  // namespace sinter::passes
