#pragma once
/// Finds the values in each thread of a block, as far as they depend on the thread's place alone.

#include <abi/local_range.hpp>
#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dialect.hpp"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"

namespace sinter::jit::gpu {

inline constexpr unsigned most_threads = 1024;
/// Numbered as sub-groups are made of them: x first.
using thread_set = std::bitset<most_threads>;

class thread_values {
public:
  thread_values(const dialect& words, llvm::Function& function, const abi::local_range& block);

  unsigned count() const noexcept { return m_count; }
  const thread_set& all() const noexcept { return m_all; }
  /// One number per thread, with the type's bits; null: it depends on more than the thread.
  const std::vector<std::uint64_t>* of(llvm::Value* value);
  /// The threads that may get to the block, as far as it is known.
  const thread_set& reaching(const llvm::BasicBlock* block);

private:
  std::optional<std::vector<std::uint64_t>> compute(llvm::Value* value);
  std::optional<std::vector<std::uint64_t>> read_register(const llvm::Instruction& call) const;

  const dialect& m_dialect;
  llvm::DominatorTree m_dominators;
  abi::local_range m_block;
  unsigned m_count;
  thread_set m_all;
  std::map<const llvm::Value*, std::optional<std::vector<std::uint64_t>>> m_values;
  std::map<const llvm::BasicBlock*, thread_set> m_reaching;
};

}  // namespace sinter::jit::gpu
