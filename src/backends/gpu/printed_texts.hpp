#pragma once
/// Prints the texts of kernels if the driver has no printf: work-items write numbers, and the host formats them.

#include <abi/gpu_launch.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace sinter::gpu {

/// Returns the text that printf makes of the format at an offset of `strings`, in which each string ends with 0. An
/// argument of %s is an offset, too. Conversions without an argument, and strings at wrong offsets, are left out.
std::string formatted(const std::string& strings, std::uint64_t format, const std::uint64_t* arguments,
                      std::size_t count);

/// The ring of a program (abi::gpu_prints), in memory that host and GPU reach.
class printed_texts {
public:
  printed_texts(std::string kernel, std::string strings, abi::gpu_prints& ring);
  printed_texts(const printed_texts&) = delete;

  /// Writes texts that are complete to the standard output. Kernels may go on printing meanwhile.
  void print();
  abi::gpu_prints& ring() noexcept { return m_ring; }

private:
  const std::string m_kernel, m_strings;
  std::mutex m_mutex;  // only one thread at a time reads the ring
  abi::gpu_prints& m_ring;
};

}  // namespace sinter::gpu
