#pragma once
/// Fuses members that have a work-item for each row with members that have a work-item for each element. They become
/// one kernel whose groups process a few rows each, so that rows stay in the cache from member to member. Examples are
/// softmax and layer norm: one kernel reduces each row, and the next kernel processes the row's elements.
///
/// This is legal if written memory consists of slices, one for each row, and work-items access only the slice of their
/// row. plan_row_groups decides this from numbers, without LLVM, and build_row_kernel writes the code.

#include <cstdint>
#include <optional>
#include <string>

#include "fusion_decision.hpp"
#include "gain_verdict.hpp"
#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

struct row_groups {
  /// Why the kernel can't be built. If empty, the other members of this structure are valid.
  std::string refused;
  /// Whether some members have a work-item for each row and others for each element; if not, nothing else is set.
  bool is_of_rows = false;
  std::uint64_t rows = 0;
  std::uint64_t group = 0;         ///< the number of rows of a group, and of its work-items
  /// Bytes of memory traffic: of the members one by one, and of the fused kernel. Memory counts only if it has more
  /// than a few numbers for each row.
  std::uint64_t traffic_alone = 0, traffic = 0;
  /// A result that is larger than the caches and that no member reads. It is stored past the caches, in whole cache
  /// lines. `begin` is the number of bytes from the pointer at the leaf to the result.
  struct stream {
    unsigned member, leaf;
    std::int64_t begin;
  };
  std::optional<stream> past_caches;
};

row_groups plan_row_groups(const decision_request& request, std::uint64_t cache_bytes);

/// Whether there are too few groups, so that some threads would have nothing to do.
bool are_too_few(const row_groups& plan, unsigned threads);

/// Estimates the gain of automatic fusions.
gain_verdict verdict_on_rows(const row_groups& plan, unsigned threads, std::uint64_t cache_bytes);

/// Returns the range with which the fused kernel is launched.
fusion_range range_of_rows(const row_groups& plan);

/// `members` are functions `void(ptr block)` with device calls inlined, with the ranges of the request. They are not
/// changed.
llvm::Error build_row_kernel(llvm::Function& fused, llvm::ArrayRef<llvm::Function*> members,
                             const decision_request& request, const row_groups& plan);

}  // namespace sinter::passes
