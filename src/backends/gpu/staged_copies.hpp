#pragma once
/// Copies between a GPU and host memory that is not page-locked, by way of page-locked memory, piece by piece. While
/// one piece is on the bus, several threads copy the next piece on the host. The driver's own copies are slower,
/// because only one thread copies on the host.

#include <array>
#include <cstddef>
#include <mutex>

#include "driver.hpp"

namespace sinter::gpu {

class gpu_context;

class staged_copies {
public:
  explicit staged_copies(gpu_context& gpu) noexcept : m_gpu(gpu) {}
  staged_copies(const staged_copies&) = delete;

  /// From this number of bytes on, staged copies are faster than the driver's copies.
  static constexpr std::size_t least = std::size_t{2} << 20;

  /// Copies from the GPU, after the stream's earlier work, and returns when the copy is complete. Returns false without
  /// copying if another thread is using the pieces, or if the pieces could not be allocated.
  bool down(char* to, const char* from, std::size_t bytes, stream_handle stream);
  /// Copies to the GPU, after the stream's earlier work. The source may change as soon as the function returns. Returns
  /// false in the same cases as `down`.
  bool up(char* to, const char* from, std::size_t bytes, stream_handle stream);

private:
  struct piece {
    char* memory = nullptr;
    event_handle free = nullptr;  ///< this event is complete when the piece's latest transfer over the bus has ended
  };
  bool is_ready();
  void await(const piece& used);
  void transfer(device_address to, device_address from, std::size_t bytes, stream_handle stream, const piece& used);

  static constexpr std::size_t piece_bytes = std::size_t{2} << 20, piece_count = 8;

  gpu_context& m_gpu;
  std::mutex m_mutex;  // protects the members below
  std::array<piece, piece_count> m_pieces;
  bool m_has_memory = false, m_has_none = false;
};

}  // namespace sinter::gpu
