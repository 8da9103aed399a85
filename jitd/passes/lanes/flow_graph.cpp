#include "flow_graph.hpp"

#include <algorithm>

#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {
namespace {

using block_list = llvm::SmallVector<llvm::BasicBlock*, 4>;

bool is_back_edge(const llvm::LoopInfo& loops, const llvm::BasicBlock* from, const llvm::BasicBlock* to) {
  const llvm::Loop* loop = loops.getLoopFor(to);
  return loop && loop->getHeader() == to && loop->contains(from);
}

} // namespace

flow_graph::flow_graph(llvm::Function& function, const llvm::LoopInfo& loops, const loop_set& divergent)
    : m_loops(loops), m_divergent(divergent) {
  number_blocks(function);
}

const llvm::BasicBlock* flow_graph::redirect(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const {
  for (const llvm::Loop* loop = m_loops.getLoopFor(from); loop && !loop->contains(to); loop = loop->getParentLoop()) {
    if (m_divergent.contains(loop) && loop->getLoopLatch() != from) return loop->getLoopLatch();
  }
  return to;
}

unsigned flow_graph::target(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const {
  return number(redirect(from, to));
}

void flow_graph::number_blocks(llvm::Function& function) {
  // The edges differ from LLVM's: lanes that wait at a latch leave the loop from the latch.
  llvm::DenseMap<const llvm::BasicBlock*, block_list> next;
  auto add = [&](const llvm::BasicBlock* from, const llvm::BasicBlock* to) {
    block_list& list = next[from];
    auto* block = const_cast<llvm::BasicBlock*>(to);
    if (!llvm::is_contained(list, block)) list.push_back(block);
  };
  for (llvm::BasicBlock& block : function) {
    for (llvm::BasicBlock* to : llvm::successors(&block)) {
      if (is_back_edge(m_loops, &block, to)) continue;
      const llvm::BasicBlock* from = &block;
      for (const llvm::BasicBlock* via = redirect(from, to); via != to; via = redirect(from, to)) {
        add(from, via);
        from = via;
      }
      add(from, to);
    }
  }
  // The order is reverse post-order. In this order, a loop's exits come after the loop's other blocks, so the search
  // visits exits first.
  std::vector<llvm::BasicBlock*> order;
  llvm::SmallPtrSet<llvm::BasicBlock*, 32> seen;
  struct frame {
    llvm::BasicBlock* block;
    block_list left;
  };
  auto open = [&](llvm::BasicBlock* block) {
    block_list list = next[block];
    // A stable sort, deepest loops first. The search takes successors from the back of the list, so it visits exits
    // first.
    for (std::size_t i = 1; i < list.size(); ++i) {
      for (std::size_t k = i; k > 0 && m_loops.getLoopDepth(list[k - 1]) < m_loops.getLoopDepth(list[k]); --k) {
        std::swap(list[k - 1], list[k]);
      }
    }
    return frame{block, list};
  };
  llvm::SmallVector<frame, 16> stack;
  seen.insert(&function.getEntryBlock());
  stack.push_back(open(&function.getEntryBlock()));
  while (!stack.empty()) {
    if (stack.back().left.empty()) {
      order.push_back(stack.back().block);
      stack.pop_back();
      continue;
    }
    llvm::BasicBlock* to = stack.back().left.pop_back_val();
    if (seen.insert(to).second) stack.push_back(open(to));
  }
  std::reverse(order.begin(), order.end());

  // Finds the dominators by visiting the blocks in this order, and then numbers the blocks in pre-order of the
  // dominator tree.
  llvm::DenseMap<llvm::BasicBlock*, unsigned> place;
  for (unsigned i = 0; i < order.size(); ++i) place[order[i]] = i;
  constexpr unsigned unknown = ~0u;
  std::vector<unsigned> dominator(order.size(), unknown);
  dominator[0] = 0;
  for (unsigned i = 0; i < order.size(); ++i) {
    for (llvm::BasicBlock* to : next[order[i]]) {
      unsigned& known = dominator[place[to]];
      if (known == unknown) {
        known = i;
        continue;
      }
      unsigned other = i;
      while (known != other) {
        if (known > other) {
          known = dominator[known];
        } else {
          other = dominator[other];
        }
      }
    }
  }
  std::vector<numbers> children(order.size());
  // Each list of children is in reverse order, because the walk below takes blocks from the back.
  for (unsigned i = static_cast<unsigned>(order.size()); i-- > 1;) children[dominator[i]].push_back(i);
  std::vector<unsigned> work{0};
  while (!work.empty()) {
    const unsigned at = work.back();
    work.pop_back();
    m_numbers[order[at]] = size();
    m_dominators.push_back(number(order[dominator[at]]));
    m_blocks.push_back(order[at]);
    work.insert(work.end(), children[at].begin(), children[at].end());
  }
  m_next.resize(size());
  for (unsigned i = 0; i < size(); ++i) {
    for (llvm::BasicBlock* to : next[m_blocks[i]]) m_next[i].push_back(number(to));
  }
}

flow_graph::numbers flow_graph::joins(const numbers& starts) const {
  constexpr int root = -1, unknown = -2;
  std::vector<int> dominator(size(), unknown);
  std::vector<unsigned> entries(size(), 0);
  for (unsigned start : starts) {
    dominator[start] = root;
    ++entries[start];
  }
  for (unsigned i = 0; i < size(); ++i) {
    if (dominator[i] == unknown) continue;
    for (unsigned to : m_next[i]) {
      ++entries[to];
      int a = dominator[to], b = static_cast<int>(i);
      if (a == unknown) {
        dominator[to] = b;
        continue;
      }
      while (a != b) {
        if (a > b) {
          a = dominator[a];
        } else {
          b = dominator[b];
        }
      }
      dominator[to] = a;
    }
  }
  numbers result;
  for (unsigned i = 0; i < size(); ++i) {
    if (entries[i] >= 2 && dominator[i] == root) result.push_back(i);
  }
  return result;
}

flow_graph::numbers flow_graph::reach(const numbers& starts, unsigned end) const {
  std::vector<bool> seen(size(), false);
  numbers result, work(starts);
  while (!work.empty()) {
    const unsigned at = work.pop_back_val();
    if (at == end || seen[at]) continue;
    seen[at] = true;
    result.push_back(at);
    work.append(m_next[at].begin(), m_next[at].end());
  }
  return result;
}

} // namespace sinter::passes
