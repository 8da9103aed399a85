#pragma once
/// Memory of devices. A command's memory is freed only after a thread has seen that the command is complete, and
/// possibly later, if other commands of its device are incomplete. So a failed allocation waits for commands and tries
/// again before it reports the failure.

#include <cstddef>
#include <functional>
#include <vector>

#include <backends/device.hpp>

#include <sycl/detail/shared.hpp>

namespace sycl::inline _V1::detail {

class submission_queue;

/// Says which thread finishes complete commands during a wait for memory. The thread that finishes a command also
/// destroys objects of the user.
enum class finisher {
  caller,    ///< the waiting thread finishes commands, at once; this thread must hold no locks
  attendant  ///< the attendant finishes commands, moments later
};

/// Calls `attempt`, which allocates `bytes` bytes of the device's own memory. If `bytes` is 0, `attempt` allocates
/// memory that is not the device's own. If `attempt` fails, waits for submitted commands, and calls `attempt` again
/// whenever memory is freed. Does not wait for commands that can end only with the help of the calling thread. Returns
/// false if no attempt succeeded.
bool find_memory(sinter::device_backend& device, std::size_t bytes, finisher by, const std::function<bool()>& attempt);
/// Returns null if the allocation fails even after waiting.
void* allocate_memory(sinter::device_backend& device, sinter::memory_kind kind, std::size_t bytes,
                      std::size_t alignment, finisher by = finisher::caller);
/// Frees memory and notifies threads that wait for memory. All memory of devices has to be freed through this function.
void give_back(sinter::device_backend& device, void* memory) noexcept;

/// Keeps the device memory of a destroyed buffer for the next buffer of the same size, because programs make temporary
/// buffers in loops, and a driver's allocation takes as long as a launch. No command may use the memory any more. The
/// memory is freed when the attendant falls asleep, or when another allocation fails (find_memory).
void keep_for_buffers(sinter::device_backend& device, void* memory, std::size_t bytes) noexcept;
/// Returns memory of this size that keep_for_buffers has kept, or null if there is none.
void* take_kept(sinter::device_backend& device, std::size_t bytes) noexcept;
/// Frees all memory that keep_for_buffers has kept. Called when the attendant falls asleep.
void free_all_kept() noexcept;

/// Sets the function that lists all queues except the queues of transfers. Only the layers above the scheduler know all
/// queues.
void find_queues_by(std::vector<shared<submission_queue>> (*queues)());

/// An object of this class exists for each memory block that the program has freed while commands still use it
/// (keep_until_complete). find_memory waits until these objects are destroyed.
class kept_memory {
public:
  kept_memory();
  kept_memory(const kept_memory&) = delete;
  ~kept_memory();

private:
  std::size_t m_number;
};

}  // namespace sycl::detail
