#pragma once
/// A graph of the driver's: several pieces of work that are handed over as one, again and again.

#include <cstdint>
#include <vector>

#include "stream.hpp"

namespace sinter {

/// Nodes that the program itself adds to a graph of the driver's.
class native_addition {
public:
  virtual ~native_addition() = default;
  virtual void add_to(void* graph) const = 0;
};

/// Work for a stream that is handed over again and again: a part of a graph.
struct program_step {
  const kernel_launch* launch;  ///< with its code; null: memory
  const memory_work* memory;
  std::vector<std::uint32_t> before;  ///< steps that have to be complete first; all come before this one
  const native_addition* native = nullptr;  ///< instead of launch and memory; needed while the program is made
};
class device_program {
public:
  virtual ~device_program() = default;
  /// The step's launch is another one of the same kernel from now on. False: make the program again. Not while it is
  /// under way.
  virtual bool change(std::uint32_t step, const kernel_launch& to) = 0;
};

}  // namespace sinter
