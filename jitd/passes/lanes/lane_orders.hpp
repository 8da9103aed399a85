#pragma once
/// Finds accesses whose lanes lie side by side, but in another order, alone or two accesses together. Examples are
/// partners of exchanges within vectors (x[l ^ 4]) and structures of two numbers. Pairs at short distances are another
/// example: x[2 * l - (l & 3)] and x[2 * l - (l & 3) + 4]. Such accesses become whole vectors, rearranged in registers.
/// If a vector's work-items are in several rows of a group (flat_groups.hpp), each run of lanes accesses elements side
/// by side, or all runs access one place.
///
/// Input: a work-item function after prepare_for_lanes, and its shapes. Both loads of a pair are made at the place of
/// the first load, and nothing between them writes. Both stores of a pair are made at the place of the second store,
/// and nothing between them accesses memory.

#include <optional>
#include <vector>

#include "lane_shapes.hpp"
#include "llvm/ADT/DenseMap.h"

namespace sinter::passes {

class lane_orders {
public:
  struct group {
    llvm::SmallVector<llvm::Instruction*, 2> accesses;  ///< all loads or all stores, as they follow each other
    /// For each lane of the first access, then of the second access, the number of its element, counted from `start`.
    llvm::SmallVector<int, 32> elements;
    std::int64_t start;  ///< bytes from lane 0's element in the first access to the group
  };

  /// Runs of lanes: the first `lanes` lanes are a run, the next `lanes` lanes are another, and so on.
  struct runs {
    unsigned lanes = 1;  ///< 1 if lanes are not known to form runs
    bool same = false;   ///< whether all lanes of a run read one place
    std::optional<std::int64_t> apart{};  ///< bytes from each run to the next run, if known
  };

  lane_orders(const llvm::Function& function, const lane_shapes& shapes);

  /// The group of an access. Returns null if the lanes of this access are not known to lie in a group.
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
