#pragma once
/// Whole-function vectorization: work-items along SYCL's last dimension become the lanes of vectors.
///
/// Input: a work-item function or a region of one (work_item_function.hpp, barrier_regions.hpp). It stays as it is: it
///   is the fallback, and runs what is left of a row.
/// Output: functions for several work-items (wide_function.hpp), or none with the reason. No kernel is refused.

#include <array>
#include <cstdint>
#include <string>

#include "passes/work_items/barrier_regions.hpp"
#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

struct vectorize_request {
  bool nd_range;
  bool narrow_ids;
  unsigned lanes;         ///< 0: as many as fit
  bool sub_group = false; ///< the lanes are a sub-group of that size
  bool plain_too = false; ///< also if the loop vectorizer would do as well
  bool fused = false;     ///< several kernels in one
  std::uint64_t row = 0;  ///< work-items of every row; 0: not known
};

struct lane_form {
  llvm::Function* wide = nullptr;  ///< parameters of the work-item function, ids are those of lane 0
  /// It has one more parameter, the number of lanes. Null: the scalar form is used, or no row ends within a vector.
  llvm::Function* tail = nullptr;
  unsigned lanes = 1;
  llvm::Function* blocked = nullptr;  ///< the wide form for neighbours (register_blocking.hpp); null: there is none
  unsigned rows = 1, vectors = 1;  ///< as many of them; with several rows, whose length is known, whole rows of vectors
  bool along_rows = false;         ///< each lane goes along a row of memory of its own (access_pieces.hpp)
  double cost = 0;                 ///< what the wide form costs for all lanes together
  bool plain = false;              ///< scalar work-items in a loop are as fast
  bool apart = false;              ///< some lanes' data lie apart in memory, or lanes run one after the other
  std::string report{};            ///< one line
  bool has_wrong_plan = false;     ///< the vectorizer is wrong (lane_plan_verifier.hpp): a form is missing
};

/// Where the vectorizer may add barriers to a kernel (common_loops.hpp).
enum class added_barriers : std::uint8_t { none, in_groups, in_rows };
struct barriers_to_add {
  added_barriers between = added_barriers::none;
  std::uint64_t items = 0;  ///< how many work-items of a row probably meet
  bool is_row = false;      ///< groups have one dimension
  std::array<std::uint64_t, 3> local_range{};  ///< of groups in all launches; all 0: not known
};

/// Cuts at barriers like split_at_barriers; values that are known to be the same for all work-items are kept once.
/// Barriers of sub-groups stay.
barrier_regions split_for_lanes(llvm::Function& work_item, llvm::TargetMachine& machine, bool narrow_ids,
                                const barriers_to_add& added = {});

/// A copy for needs_order; null: it is obvious that loops over work-items may be declared parallel.
llvm::Function* copy_of_ordered(llvm::Function& work_item);

/// Whether loops over work-items must not be declared parallel (access_order.hpp). `copy` of their function is changed.
bool needs_order(llvm::Function& copy, llvm::TargetMachine& machine, bool nd_range, bool narrow_ids);

lane_form vectorize(llvm::Function& work_item, llvm::TargetMachine& machine, const vectorize_request& request);

} // namespace sinter::passes
