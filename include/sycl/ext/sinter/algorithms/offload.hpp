#pragma once
/// Decides which calls of the C++ library's algorithms can run on devices, and chooses the device.

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

/// Iterators whose elements kernels can read. Kernels use a copy of the iterator.
template <class Iterator>
concept readable = std::random_access_iterator<Iterator> && is_device_copyable_v<Iterator>;

/// Iterators through which kernels can write. vector<bool> is excluded, because its neighbouring elements share a byte.
template <class Iterator>
concept writable = readable<Iterator> && !std::is_same_v<std::iter_reference_t<Iterator>, std::vector<bool>::reference>;

/// Types of values and function objects that kernels can capture.
template <class... T>
concept copyable = (is_device_copyable_v<T> && ...);

/// A queue of the default device, and a queue of a device that can access all memory of the program, if there is such a
/// device. The queues are out-of-order, so calls from several threads can run at the same time.
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

/// Whether kernels of the queue can read the elements: the elements are in USM memory of the queue's context, or are
/// computed from the iterator alone, like the numbers of std::views::iota.
template <class Iterator>
bool seen_by(const queue& where, const Iterator& first) {
  if constexpr (std::contiguous_iterator<Iterator>)
    return get_pointer_type(std::to_address(first), where.get_context()) != usm::alloc::unknown;
  else
    return std::is_integral_v<std::iter_value_t<Iterator>> && sizeof(Iterator) == sizeof(std::iter_value_t<Iterator>) &&
           std::is_same_v<std::iter_reference_t<Iterator>, std::iter_value_t<Iterator>>;
}

/// Returns the queue for a call with these ranges: a queue of the default device if this device can access the elements
/// of the ranges, otherwise a queue of a device that can access all memory. Throws sycl::exception with
/// errc::feature_not_supported if there is no such device.
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

/// Calls body(i) for each i < `count` in a kernel, and returns when the kernel is complete.
template <class Body>
void for_all(queue& where, std::size_t count, const Body& body) {
  if (count == 0) return;
  where.parallel_for(range<1>(count), [=](id<1> element) { body(element[0]); }).wait_and_throw();
}

/// How the elements of a scan or sort are distributed: the work-items of a work-group share a tile.
struct tiling {
  std::size_t group;     ///< number of work-items in a work-group
  std::size_t per_item;  ///< number of contiguous elements that one work-item processes in order
  std::size_t tile() const { return group * per_item; }
  std::size_t tiles(std::size_t count) const { return (count + tile() - 1) / tile(); }
};

/// Chooses the sizes. On a CPU, a work-group has one work-item, which processes many elements. On other devices, the
/// sizes are `of_threads`.
inline tiling tiling_for(const queue& where, std::size_t count, tiling of_threads) {
  const device& device = where.get_device();
  if (!device.is_cpu()) return of_threads;
  const std::size_t pieces = 4 * std::size_t(device.get_info<info::device::max_compute_units>());
  const std::size_t least = 4096;
  const std::size_t piece = (count + pieces - 1) / pieces;
  return {1, piece > least ? piece : least};
}

/// Calls body(i) for each i < `count`. Each call runs in a work-group of its own, so that even a few calls are spread
/// over threads.
template <class Body>
void for_groups(queue& where, std::size_t count, const Body& body) {
  where.parallel_for(nd_range<1>(count, 1), [=](nd_item<1> item) { body(item.get_global_id(0)); }).wait_and_throw();
}

/// Calls body(i) for each i < `count`. The function is meant for few calls that have much work each. On the CPU, each
/// call runs in a work-group of its own.
template <class Body>
void for_pieces(queue& where, std::size_t count, const Body& body) {
  if (!where.get_device().is_cpu()) return for_all(where, count, body);
  for_groups(where, count, body);
}

/// Allocates memory for `count` values until the end of the block: device memory, or host memory that the device can
/// access.
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
