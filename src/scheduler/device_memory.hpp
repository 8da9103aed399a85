#pragma once
/// Memory of devices. Commands hold memory until a thread has seen that they are complete, or longer if other commands
/// of their devices are not complete. An allocation fails only if waiting for these frees nothing.

#include <cstddef>
#include <functional>
#include <vector>

#include <backends/device.hpp>

#include <sycl/detail/shared.hpp>

namespace sycl::inline _V1::detail {

class submission_queue;

/// Tells which thread finishes complete commands during a wait for memory: objects of the user are destroyed there.
enum class finisher {
  caller,    ///< the waiting thread, at once; it holds no locks
  attendant  ///< the attendant, moments later
};

/// Calls `attempt`, which allocates `bytes` of the device's own memory (0: other memory). If it fails, waits for
/// submitted commands that end without the calling thread, and calls it again whenever memory is freed. False: it never
/// succeeded.
bool find_memory(sinter::device_backend& device, std::size_t bytes, finisher by, const std::function<bool()>& attempt);
/// Null if there is no memory even after waiting.
void* allocate_memory(sinter::device_backend& device, sinter::memory_kind kind, std::size_t bytes,
                      std::size_t alignment, finisher by = finisher::caller);
/// Frees memory. All memory is freed through this function, because other threads may be waiting for it.
void give_back(sinter::device_backend& device, void* memory) noexcept;

/// Memory of a buffer, which no command uses any more, is kept for the next buffer of that size: programs make and
/// destroy temporaries in loops, and drivers take as long for that as for a launch. It is kept as long as the attendant
/// is awake, or until somebody else finds no memory (find_memory).
void keep_for_buffers(sinter::device_backend& device, void* memory, std::size_t bytes) noexcept;
/// Returns kept memory of that size; null: there is none.
void* take_kept(const sinter::device_backend& device, std::size_t bytes) noexcept;
/// Called when the attendant falls asleep.
void free_all_kept() noexcept;

/// Sets the function that lists queues, except those of transfers. Only the upper layers know queues.
void find_queues_by(std::vector<shared<submission_queue>> (*queues)());

/// While one lives, memory is given back as soon as commands let go of an object (keep_until_complete).
class kept_memory {
public:
  kept_memory();
  kept_memory(const kept_memory&) = delete;
  ~kept_memory();

private:
  std::size_t m_number;
};

}  // namespace sycl::detail
