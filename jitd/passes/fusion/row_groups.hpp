#pragma once
/// Fuses members that have a work-item for each row with members that have a work-item for each element. The members
/// become one kernel, and each group of this kernel processes a few rows. So rows stay in the cache from member to
/// member. Examples are softmax and layer norm: one kernel reduces each row, and the next kernel processes the row's
/// elements.
///
/// On the CPU, a group has a work-item for each of its rows. On GPUs, a group has more work-items than rows, and they
/// share the rows' elements. Only a few work-items of the group run members that have a work-item for each row. Each
/// such work-item would load from cache lines of its own, so all work-items of the group first copy the rows that these
/// members read to local memory.
///
/// Such a fusion is legal if written memory can be divided into slices, one for each row, such that work-items access
/// only the slice of their row. plan_row_groups decides this from numbers, without LLVM, and build_row_kernel writes
/// the code.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fusion_decision.hpp"
#include "gain_verdict.hpp"
#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

/// Facts about the device.
struct row_machine {
  std::uint64_t cache_bytes = 0;  ///< size of the last-level cache; on GPUs unused
  bool in_groups = false;         ///< whether work-items of a group share elements, on GPUs
  std::uint64_t group_bytes = 0;  ///< on GPUs: local memory that a group may take
  std::uint64_t most_items = 0;   ///< on GPUs: work-items that a group may have; 0: not known
};

struct row_groups {
  /// Why the kernel can't be built. If empty, the other members of this structure are valid.
  std::string refused;
  /// Whether some members have a work-item for each row, and other members have a work-item for each element. If false,
  /// no other member of this structure is set.
  bool is_of_rows = false;
  std::uint64_t rows = 0;
  std::uint64_t group = 0;         ///< the number of rows of a group
  std::uint64_t items = 0;         ///< the number of work-items of a group, at least one for each row
  bool in_groups = false;          ///< row_machine::in_groups
  /// `traffic_alone` is the number of bytes that the members read and write if they run one by one, and `traffic` is
  /// this number for the fused kernel. An array counts only if it has more than a few numbers for each row.
  std::uint64_t traffic_alone = 0, traffic = 0;
  /// A result that is larger than the caches and that no member reads. Stores of this result bypass the caches and
  /// write whole cache lines. `begin` is the number of bytes from the pointer at the leaf to the result.
  struct stream {
    unsigned member, leaf;
    std::int64_t begin;
  };
  std::optional<stream> past_caches;
  /// Rows that a member with a work-item for each row reads from local memory, on GPUs. Each work-item certainly reads
  /// the first and the last byte of its row, so copying all bytes in between can't access memory that does not exist.
  /// The row of work-item i begins at byte `begin + i * pitch` from the pointer at the leaf. In local memory, the row
  /// of the group's work-item i begins at byte `place + i * local_pitch`.
  struct copied_rows {
    unsigned member, leaf;
    std::int64_t begin, pitch;
    std::uint64_t bytes, unit;  ///< size of a row, and of each read in it; each read begins at a multiple of its size
    std::uint64_t place, local_pitch;
  };
  std::vector<copied_rows> copies;
  std::uint64_t local_bytes = 0;  ///< local memory that `copies` takes; the copies of different members share it
};

row_groups plan_row_groups(const decision_request& request, const row_machine& machine);

/// Whether there are too few groups, so that some threads would have nothing to do.
bool are_too_few(const row_groups& plan, unsigned threads);

/// Estimates the gain of automatic fusions on the CPU.
gain_verdict verdict_on_rows(const row_groups& plan, unsigned threads, std::uint64_t cache_bytes);

/// Returns the range with which the fused kernel is launched.
fusion_range range_of_rows(const row_groups& plan);

/// `members` are functions `void(ptr block)`, in which device calls are inlined. `request` has their ranges. The
/// members are not changed.
llvm::Error build_row_kernel(llvm::Function& fused, llvm::ArrayRef<llvm::Function*> members,
                             const decision_request& request, const row_groups& plan);

}  // namespace sinter::passes
