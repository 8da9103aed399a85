#pragma once
/// sycl::event: the completion of a command (SYCL 2020 4.6.6).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend_enum.hpp"
#include "detail/export.hpp"
#include "detail/shared.hpp"
#include "exception.hpp"
#include "info.hpp"

namespace sycl::inline _V1 {

namespace detail {
struct object_access;  // defined in src/runtime
} // namespace detail

class SINTER_EXPORT event {
public:
  /// Makes an event that is complete. This event equals only its own copies.
  event() noexcept;
  event(const event&) noexcept;
  event(event&&) noexcept;
  event& operator=(event) noexcept;
  ~event();

  backend get_backend() const noexcept;
  /// Returns the events for which the event's command waits directly, except events that the runtime has already
  /// forgotten.
  std::vector<event> get_wait_list();
  void wait();
  static void wait(const std::vector<event>& events);
  /// Waits, and then passes pending asynchronous errors of the event's queue to the queue's async_handler.
  void wait_and_throw();
  static void wait_and_throw(const std::vector<event>& events);
  template <class Descriptor>
  typename Descriptor::return_type get_info() const;
  /// Returns a time in nanoseconds. Waits until the time is known. Throws errc::invalid if the queue was made without
  /// property::queue::enable_profiling.
  template <class Descriptor>
  typename Descriptor::return_type get_profiling_info() const;

  friend bool operator==(const event& a, const event& b) noexcept {
    return a.m_source == b.m_source && a.m_ticket == b.m_ticket;
  }
  friend bool operator!=(const event& a, const event& b) noexcept { return !(a == b); }

private:
  explicit event(std::nullptr_t) noexcept;
  friend struct detail::object_access;
  detail::shared<detail::counted> m_source;  ///< a command or an in-order queue; null if the event is complete
  /// If the source is an in-order queue, the command's number in the queue. If the event was constructed as complete, a
  /// number that no event has except this event's copies.
  std::uint64_t m_ticket = 0;
};

} // namespace sycl

template <>
struct std::hash<sycl::event> {
  SINTER_EXPORT std::size_t operator()(const sycl::event& object) const noexcept;
};
