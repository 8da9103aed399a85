#pragma once
/// Rows as groups: members of which some have a work-item for each row, and others one for each element, become one
/// kernel whose groups take a few rows, which stay in the cache from member to member. Examples are softmax and layer
/// norm: a kernel reduces each row, and the next one goes over the row's elements.
///
/// Legal where all that is written lies in slices, one for each row, and work-items touch the slice of their row alone.
/// Plain numbers decide that; build_row_kernel writes the code.

#include <cstdint>
#include <optional>
#include <string>

#include "fusion_decision.hpp"
#include "gain_verdict.hpp"
#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

struct row_groups {
  std::string refused;             ///< empty: the rest holds
  bool is_of_rows = false;         ///< some members are of rows, others of elements; if not, nothing else is set
  std::uint64_t rows = 0;
  std::uint64_t group = 0;         ///< rows and work-items of a group
  /// Bytes of memory traffic: of the members one by one, and of the one kernel. Only memory with more than a few
  /// numbers for each row counts.
  std::uint64_t traffic_alone = 0, traffic = 0;
  /// A result that is larger than the caches, and that no member reads: its whole lines go past the caches. `begin`:
  /// bytes from the pointer at the leaf to the result.
  struct stream {
    unsigned member, leaf;
    std::int64_t begin;
  };
  std::optional<stream> past_caches;
};

row_groups plan_row_groups(const decision_request& request, std::uint64_t cache_bytes);

/// Whether some threads would have nothing to do.
bool are_too_few(const row_groups& plan, unsigned threads);

/// For lists that nobody asked to fuse.
gain_verdict verdict_on_rows(const row_groups& plan, unsigned threads, std::uint64_t cache_bytes);

/// The launch of the kernel.
fusion_range range_of_rows(const row_groups& plan);

/// `members`: `void(ptr block)` with device calls inlined, with the ranges of the request; they stay as they are.
llvm::Error build_row_kernel(llvm::Function& fused, llvm::ArrayRef<llvm::Function*> members,
                             const decision_request& request, const row_groups& plan);

}  // namespace sinter::passes
