#pragma once
/// Computes, at compile time, the value that an expression has in each thread of a block, if it depends only on the
/// thread's position in the block.

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
/// A set of threads. Threads are numbered as in sub-groups: x changes first.
using thread_set = std::bitset<most_threads>;

class thread_values {
public:
  thread_values(const dialect& words, llvm::Function& function, const abi::local_range& block);

  unsigned count() const noexcept { return m_count; }
  const thread_set& all() const noexcept { return m_all; }
  /// Returns the value in each thread, as a number with as many bits as the value's type. Returns null if the value
  /// depends on more than the thread's place.
  const std::vector<std::uint64_t>* of(llvm::Value* value);
  /// Returns the threads that may reach the block, as far as conditions are known.
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
