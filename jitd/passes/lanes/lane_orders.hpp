#pragma once
/// Accesses whose lanes lie side by side, but in another order, alone or two accesses together: partners of exchanges
/// within vectors (x[l ^ 4]), pairs at short distances (x[2 * l - (l & 3)] and the same plus 4), structures of two.
/// They become whole vectors, rearranged in registers.
/// Where a vector's work-items are in several rows of a group (flat_groups.hpp), runs of lanes lie side by side or are
/// the same.
///
/// Input: a work-item function as prepare_for_lanes leaves it, and its shapes. The loads of a pair are made at the
/// place of the first one, and nothing between them writes; the stores at that of the second, and nothing between them
/// accesses memory.

#include <optional>
#include <vector>

#include "lane_shapes.hpp"
#include "llvm/ADT/DenseMap.h"

namespace sinter::passes {

class lane_orders {
public:
  struct group {
    llvm::SmallVector<llvm::Instruction*, 2> accesses;  ///< all loads or all stores, as they follow each other
    /// The element of the group, from `start` on, for each lane of the first access, then for the lanes of the second.
    llvm::SmallVector<int, 32> elements;
    std::int64_t start;  ///< in bytes from lane 0 of the first access
  };

  /// The first `lanes` lanes are a run, the next ones another, and so on.
  struct runs {
    unsigned lanes = 1;  ///< 1: they are not known to be regular
    bool same = false;   ///< each run reads one place
    std::optional<std::int64_t> apart{};  ///< bytes from each run to the next one, if that is known
  };

  lane_orders(const llvm::Function& function, const lane_shapes& shapes);

  /// Null: the lanes of this access are not known to lie in a group.
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
