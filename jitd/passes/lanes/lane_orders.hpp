#pragma once
/// Finds accesses, and pairs of accesses, whose lanes together touch neighbouring elements, but not in the order of
/// lanes. In these examples, l is the lane's number. A lane may access the element of the lane with which it exchanges
/// values (x[l ^ 4]). Two accesses may read the two numbers of a structure. Two accesses may be a short distance apart:
/// x[2 * l - (l & 3)] and x[2 * l - (l & 3) + 4]. Such accesses become accesses of whole vectors, whose elements are
/// rearranged in registers. If a vector's work-items are in several rows of a group (flat_groups.hpp), the lanes of one
/// row are a run. Such runs are found, too, if the lanes of each run access neighbouring elements, or read one address.
///
/// Input: a work-item function after prepare_for_lanes, and its shapes. A pair of loads is emitted where its first load
/// is, and no instruction between the two loads writes to memory. A pair of stores is emitted where its second store
/// is, and no instruction between the two stores accesses memory.

#include <optional>
#include <vector>

#include "lane_shapes.hpp"
#include "llvm/ADT/DenseMap.h"

namespace sinter::passes {

class lane_orders {
public:
  struct group {
    llvm::SmallVector<llvm::Instruction*, 2> accesses;  ///< all loads or all stores, in program order
    /// The index of each lane's element, counted from `start`: for all lanes of the first access, then for all lanes of
    /// the second access.
    llvm::SmallVector<int, 32> elements;
    std::int64_t start;  ///< distance in bytes from lane 0's element (in the first access) to the group's first element
  };

  /// Runs of lanes: the first `lanes` lanes are a run, the next `lanes` lanes are another, and so on.
  struct runs {
    unsigned lanes = 1;  ///< 1 if lanes are not known to form runs
    bool same = false;   ///< whether all lanes of a run read one address
    std::optional<std::int64_t> apart{};  ///< bytes from each run to the next run, if known
  };

  lane_orders(const llvm::Function& function, const lane_shapes& shapes);

  /// The group that contains the access. Returns null if the access is in no group.
  const group* of(const llvm::Instruction& access) const;
  const std::vector<group>& groups() const { return m_groups; }
  runs runs_of(const llvm::Instruction& access) const { return m_runs.lookup(&access); }

private:
  void find_runs(const llvm::Function& function, const lane_shapes& shapes);

  std::vector<group> m_groups;
  llvm::DenseMap<const llvm::Instruction*, unsigned> m_numbers;
  llvm::DenseMap<const llvm::Instruction*, runs> m_runs;
};

}  // namespace sinter::passes
