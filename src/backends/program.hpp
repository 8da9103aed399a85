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
  device_work work;  ///< launches have their code
  std::vector<std::uint32_t> before;  ///< steps that have to be complete first; all come before this one
  const native_addition* native = nullptr;  ///< instead of the work; needed while the program is made
};

/// Programs need no node for it: it does nothing, or is a hint.
inline bool is_left_out(const device_work& work) noexcept {
  if (work.does_nothing() || work.launch()) return work.does_nothing();
  const memory_work& memory = *work.memory();
  switch (memory.what) {
    case memory_work::kind::copy:
      return memory.copy.bytes() == 0;
    case memory_work::kind::fill:
      return memory.fill.count == 0;
    case memory_work::kind::texels:
      return memory.texels.bytes() == 0;
    case memory_work::kind::none:
    case memory_work::kind::hint:
      return true;
  }
  return true;
}

/// Two points in time of one stream (device_stream::start and stop).
class device_timer {
public:
  virtual ~device_timer() = default;
  /// Nanoseconds between the points, once. 0: the second one is not reached, or nobody set it. Does not throw.
  virtual std::uint64_t take() noexcept = 0;
};

class device_program {
public:
  virtual ~device_program() = default;
  /// The step's launch is another one of the same kernel from now on. False: make the program again. Not while it is
  /// under way.
  virtual bool change(std::uint32_t step, const kernel_launch& to) = 0;
};

}  // namespace sinter
