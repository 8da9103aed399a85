#pragma once
/// Texts that kernels print where the driver has no printf: work-items leave numbers, and the host formats them.

#include <abi/gpu_launch.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace sinter::gpu {

/// The text that printf makes of the format at an offset of `strings`, where each ends by 0; an argument of %s is an
/// offset as well. What leads nowhere, or lacks its argument, is left out.
std::string formatted(const std::string& strings, std::uint64_t format, const std::uint64_t* arguments,
                      std::size_t count);

/// The ring of a program (abi::gpu_prints), in memory that host and GPU reach.
class printed_texts {
public:
  printed_texts(std::string kernel, std::string strings, abi::gpu_prints& ring);
  printed_texts(const printed_texts&) = delete;

  /// Writes to the standard output what work-items have completed. Kernels may go on printing meanwhile.
  void print();
  abi::gpu_prints& ring() noexcept { return m_ring; }

private:
  const std::string m_kernel, m_strings;
  std::mutex m_mutex;  // readers of the ring come one by one
  abi::gpu_prints& m_ring;
};

}  // namespace sinter::gpu
