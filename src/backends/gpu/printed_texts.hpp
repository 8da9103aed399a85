#pragma once
/// Implements printf in kernels for drivers without printf: work-items write the arguments as numbers, and the host
/// formats the text.

#include <abi/gpu_launch.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace sinter::gpu {

/// Returns the text that printf would print. `format` is the offset of the format in `strings`, where each string ends
/// with 0. An argument of %s is such an offset, too. Conversions without an argument, and strings at wrong offsets,
/// produce no text.
std::string formatted(const std::string& strings, std::uint64_t format, const std::uint64_t* arguments,
                      std::size_t count);

/// The ring buffer of a program (abi::gpu_prints), in memory that host and GPU can access.
class printed_texts {
public:
  printed_texts(std::string kernel, std::string strings, abi::gpu_prints& ring);
  printed_texts(const printed_texts&) = delete;

  /// Writes all complete texts to the standard output. Kernels may continue to print at the same time.
  void print();
  abi::gpu_prints& ring() noexcept { return m_ring; }

private:
  const std::string m_kernel, m_strings;
  std::mutex m_mutex;  // only one thread at a time reads the ring
  abi::gpu_prints& m_ring;
};

}  // namespace sinter::gpu
