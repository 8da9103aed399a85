#pragma once
/// Memory of devices. Commands hold some until somebody has seen that they are complete, or longer where others of
/// their devices are still to end: an allocation fails only when none comes free by waiting for them.

#include <cstddef>
#include <functional>
#include <vector>

#include <backends/device.hpp>

#include <sycl/detail/shared.hpp>

namespace sycl::inline _V1::detail {

class submission_queue;

/// Tells which thread finishes complete commands during a wait for memory: objects of the user are destroyed there.
enum class finisher {
  caller,    ///< at once; it holds no locks
  attendant  ///< moments later
};

/// An attempt to get so many bytes of the device's own memory; 0: other memory. Where there is none: waits for what is
/// submitted, as far as it ends without the calling thread, and tries again whenever memory comes free. False: in vain.
bool find_memory(sinter::device_backend& device, std::size_t bytes, finisher by, const std::function<bool()>& attempt);
/// Null: in vain.
void* allocate_memory(sinter::device_backend& device, sinter::memory_kind kind, std::size_t bytes,
                      std::size_t alignment, finisher by = finisher::caller);
/// All memory goes back here: others may be waiting for it.
void give_back(sinter::device_backend& device, void* memory) noexcept;

/// Says which queues there are, but for those of transfers: those above know.
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
