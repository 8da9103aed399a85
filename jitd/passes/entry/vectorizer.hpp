#pragma once
/// Whole-function vectorization: work-items along SYCL's last dimension become the lanes of vectors.
///
/// Input: a work-item function or a region of one (work_item_function.hpp, barrier_regions.hpp). The function stays
///   unchanged, because it is the fallback and runs the rest of a row.
/// Output: functions for several work-items (wide_function.hpp), or the reason why there are none. Kernels without such
///   functions still run, one work-item at a time.

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
  unsigned lanes;         ///< number of lanes; 0 means as many as fit
  bool sub_group = false; ///< whether the lanes are a sub-group of this size
  bool plain_too = false; ///< whether to make a wide form even if LLVM's loop vectorizer would make code as fast
  bool fused = false;     ///< whether the function is a fused kernel
  std::uint64_t row = 0;  ///< number of work-items of every row; 0 if not known
};

struct lane_form {
  llvm::Function* wide = nullptr;  ///< has the work-item function's parameters; ids are those of lane 0
  /// The form for the rest of a row, with the number of lanes as an additional parameter. Null if the scalar form runs
  /// the rest, or if no row ends within a vector.
  llvm::Function* tail = nullptr;
  unsigned lanes = 1;
  llvm::Function* blocked = nullptr;  ///< the wide form for neighbours (register_blocking.hpp), or null
  /// The number of rows, and of vectors in each row, that `blocked` runs. If there are several rows, they are whole
  /// rows of known length.
  unsigned rows = 1, vectors = 1;
  bool along_rows = false;         ///< whether each lane goes along its own row of memory (access_pieces.hpp)
  double cost = 0;                 ///< the cost of the wide form for all lanes together
  bool plain = false;              ///< whether a loop over scalar work-items, which LLVM vectorizes, is as fast
  bool apart = false;              ///< whether lanes access distant memory, or run one after the other
  std::string report{};            ///< one line about the forms
  bool has_wrong_plan = false;     ///< whether lane_plan_verifier.hpp found a wrong plan, so that a form is missing
};

/// Where the vectorizer may add barriers to a kernel (common_loops.hpp).
enum class added_barriers : std::uint8_t { none, in_groups, in_rows };
struct barriers_to_add {
  added_barriers between = added_barriers::none;
  std::uint64_t items = 0;  ///< the probable number of work-items of a row that meet at an added barrier
  bool is_row = false;      ///< whether groups have one dimension
  std::array<std::uint64_t, 3> local_range{};  ///< the size of groups in all launches; all 0 if not known
  std::array<bool, 2> rows_of_one{};  ///< for each of the first dimensions, whether groups have one work-item in it
};

/// Splits a function at barriers as split_at_barriers does. Across a barrier, a value that is the same for all
/// work-items is kept only once for the group. Barriers of sub-groups do not split the function.
barrier_regions split_for_lanes(llvm::Function& work_item, llvm::TargetMachine& machine, bool narrow_ids,
                                const barriers_to_add& added = {});

/// Makes a copy of the function for needs_order. Returns null if a quick test shows that loops over work-items may be
/// declared parallel.
llvm::Function* copy_of_ordered(llvm::Function& work_item);

/// Whether loops over work-items must not be declared parallel (access_order.hpp). Changes `copy`, which
/// copy_of_ordered made.
bool needs_order(llvm::Function& copy, llvm::TargetMachine& machine, bool nd_range, bool narrow_ids);

lane_form vectorize(llvm::Function& work_item, llvm::TargetMachine& machine, const vectorize_request& request);

} // namespace sinter::passes
