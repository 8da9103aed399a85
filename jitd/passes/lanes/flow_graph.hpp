#pragma once
/// The control flow graph of a function without its back edges. Analyses use it to find where lanes diverge and meet
/// again.
///
/// Input: a function whose loops have one header, one latch and a preheader each (LoopSimplify, no irreducible cycles).
/// A block has a higher number than each of its predecessors. The blocks that a block dominates have the numbers right
/// after the block's own number. Linearised code is laid out in this order.

#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"

namespace sinter::passes {

using loop_set = llvm::SmallPtrSet<const llvm::Loop*, 4>;

class flow_graph {
public:
  using numbers = llvm::SmallVector<unsigned, 4>;

  /// Lanes that leave a loop of `divergent` wait at its latch, and go on from there when all lanes have left the loop.
  flow_graph(llvm::Function& function, const llvm::LoopInfo& loops, const loop_set& divergent);

  unsigned size() const { return static_cast<unsigned>(m_blocks.size()); }
  llvm::BasicBlock* block(unsigned number) const { return m_blocks[number]; }
  unsigned number(const llvm::BasicBlock* block) const { return m_numbers.lookup(block); }
  const numbers& next(unsigned number) const { return m_next[number]; }
  /// The first block is its own dominator.
  unsigned dominator(unsigned number) const { return m_dominators[number]; }
  /// The block that lanes reach by the edge from `from` to `to`: the latch, if lanes wait for each other there, and
  /// else `to`. The edge must not be a back edge.
  unsigned target(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;

  /// Blocks that can be reached from `starts` on two disjoint paths.
  numbers joins(const numbers& starts) const;
  /// Blocks that can be reached from `starts` without going through `end`.
  numbers reach(const numbers& starts, unsigned end) const;

private:
  const llvm::BasicBlock* redirect(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;
  void number_blocks(llvm::Function& function);

  const llvm::LoopInfo& m_loops;
  const loop_set& m_divergent;
  std::vector<llvm::BasicBlock*> m_blocks;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> m_numbers;
  std::vector<numbers> m_next;
  std::vector<unsigned> m_dominators;
};

} // namespace sinter::passes
