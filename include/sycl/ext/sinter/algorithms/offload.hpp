#pragma once
/// Decides which calls of the C++ library's algorithms can run on devices, and on which device.

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../../detail/standard.hpp"
#include "../../../device.hpp"
#include "../../../handler.hpp"
#include "../../../is_device_copyable.hpp"
#include "../../../queue.hpp"
#include "../../../usm.hpp"
#include "../sides.hpp"

namespace sycl::inline _V1::ext::sinter::algorithms {

/// Iterators whose elements kernels can read; the iterator itself is copied to the device.
template <class Iterator>
concept readable = std::random_access_iterator<Iterator> && is_device_copyable_v<Iterator>;

/// Iterators through which kernels can write. Neighbouring elements must not share a byte, unlike in vector<bool>.
template <class Iterator>
concept writable = readable<Iterator> && !std::is_same_v<std::iter_reference_t<Iterator>, std::vector<bool>::reference>;

/// Values and function objects that kernels can hold.
template <class... T>
concept copyable = (is_device_copyable_v<T> && ...);

/// The default device's queue, and the queue of a device that sees all memory of the program, if it exists. Calls from
/// several threads run at the same time.
struct queues {
  queue chosen{default_selector_v};
  std::optional<queue> seeing_all;

  queues() {
    if (chosen.get_device().has(aspect::usm_system_allocations)) {
      seeing_all = chosen;
      return;
    }
    for (const device& other : device::get_devices())
      if (other.has(aspect::usm_system_allocations)) {
        seeing_all.emplace(other);
        return;
      }
  }
  static queues& of_process() {
    static queues all;
    return all;
  }
};

/// Whether the elements are USM memory of the queue's context, or are computed from the iterator alone, like numbers of
/// std::views::iota.
template <class Iterator>
bool seen_by(const queue& where, const Iterator& first) {
  if constexpr (std::contiguous_iterator<Iterator>)
    return get_pointer_type(std::to_address(first), where.get_context()) != usm::alloc::unknown;
  else
    return std::is_integral_v<std::iter_value_t<Iterator>> && sizeof(Iterator) == sizeof(std::iter_value_t<Iterator>) &&
           std::is_same_v<std::iter_reference_t<Iterator>, std::iter_value_t<Iterator>>;
}

/// The device on which a call over these ranges runs: the default device if it sees their elements, otherwise the CPU.
/// Throws sycl::exception with errc::feature_not_supported if no device sees them.
template <class... Iterators>
queue& queue_for(const Iterators&... ranges) {
  queues& all = queues::of_process();
  if (all.seeing_all && all.chosen == *all.seeing_all) return all.chosen;
  if ((seen_by(all.chosen, ranges) && ...)) return all.chosen;
  if (all.seeing_all) return *all.seeing_all;
  throw exception(
      make_error_code(errc::feature_not_supported),
      "std::execution::par_unseq: the device '" + all.chosen.get_device().get_info<info::device::name>() +
          "' does not see the memory of the ranges, and SINTER_DEVICE hides the CPU; keep the elements in USM "
          "memory (sycl::usm_allocator), or let SINTER_DEVICE name the CPU as well");
}

/// Calls body(i) for each i below `count`, and returns when all calls are done.
template <class Body>
void for_all(queue& where, std::size_t count, const Body& body) {
  if (count == 0) return;
  where.parallel_for(range<1>(count), [=](id<1> element) { body(element[0]); }).wait_and_throw();
}

/// The distribution of the elements of a scan or sort: work-items of one group share a tile.
struct tiling {
  std::size_t group;     ///< number of work-items in a work-group
  std::size_t per_item;  ///< number of neighbouring elements that a work-item visits one by one
  std::size_t tile() const { return group * per_item; }
  std::size_t tiles(std::size_t count) const { return (count + tile() - 1) / tile(); }
};

/// Chooses the tiling: on a CPU, a core takes a long piece alone; on a GPU, work-groups of threads take short pieces.
inline tiling tiling_for(const queue& where, std::size_t count, tiling of_threads) {
  const device& device = where.get_device();
  if (!device.is_cpu()) return of_threads;
  const std::size_t pieces = 4 * std::size_t(device.get_info<info::device::max_compute_units>());
  const std::size_t least = 4096;
  const std::size_t piece = (count + pieces - 1) / pieces;
  return {1, piece > least ? piece : least};
}

/// Calls body(i) for each i below `count` in a work-group of its own, so that even a few calls are spread over threads.
template <class Body>
void for_groups(queue& where, std::size_t count, const Body& body) {
  where.parallel_for(nd_range<1>(count, 1), [=](nd_item<1> item) { body(item.get_global_id(0)); }).wait_and_throw();
}

/// Calls body(i) for each i below `count`, for few calls with much work each: on the CPU each call is a work-group.
template <class Body>
void for_pieces(queue& where, std::size_t count, const Body& body) {
  if (!where.get_device().is_cpu()) return for_all(where, count, body);
  for_groups(where, count, body);
}

/// Memory for `count` values until the end of the block: device memory, or host memory that the device sees.
template <class T>
class scratch {
public:
  scratch(std::size_t count, const queue& where, usm::alloc kind = usm::alloc::device)
      : m_queue(where), m_data(malloc<T>(count, where, kind)) {
    if (!m_data) throw std::bad_alloc();
  }
  scratch(const scratch&) = delete;
  ~scratch() { sycl::free(m_data, m_queue); }
  T* get() const { return m_data; }

private:
  queue m_queue;
  T* m_data;
};

} // namespace sycl::ext::sinter::algorithms
