#pragma once
/// A graph of the driver: several steps of work that are handed over together and run many times.

#include <cstdint>
#include <vector>

#include "stream.hpp"

namespace sinter {

/// Nodes that the user's program itself adds to a graph of the driver (native commands).
class native_addition {
public:
  virtual ~native_addition() = default;
  virtual void add_to(void* graph) const = 0;
};

/// One step of a graph. The work of all steps is handed over together.
struct program_step {
  device_work work;  ///< work of the step; if it is a launch, its code is set
  std::vector<std::uint32_t> before;  ///< indices of the earlier steps that have to be complete first
  const native_addition* native = nullptr;  ///< if set, adds nodes in place of `work` when the device_program is made
};

/// Returns whether a program needs no node for the work, because the work does nothing or is only a hint.
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

/// A step of a graph, for drivers that record the graph's commands again for another queue or after an update.
struct recorded_step {
  kernel_launch launch;                     ///< has no kernel if the step is an operation on memory or has no work
  const memory_work* memory = nullptr;      ///< null if the step is a launch
  const native_addition* native = nullptr;  ///< if set, adds commands in place of launch and memory during recording

  bool does_nothing() const noexcept {
    if (memory) return is_left_out(*memory);
    return !launch.kernel || launch.is_empty();
  }
};

/// Measures the time between two points in a stream's work (device_stream::start and stop).
class device_timer {
public:
  virtual ~device_timer() = default;
  /// Returns the nanoseconds between the two points, and resets the timer. Returns 0 if the second point is not reached
  /// or not set. Does not throw.
  virtual std::uint64_t take() noexcept = 0;
};

class device_program {
public:
  virtual ~device_program() = default;
  /// Replaces a step's launch by another launch of the same kernel. Returns false if the driver does not support the
  /// change, so that a new program has to be made. The program must not be running.
  virtual bool change(std::uint32_t step, const kernel_launch& to) = 0;
};

}  // namespace sinter
