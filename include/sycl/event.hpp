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
  /// Makes an event that is complete. It equals only its copies.
  event() noexcept;
  event(const event&) noexcept;
  event(event&&) noexcept;
  event& operator=(event) noexcept;
  ~event();

  backend get_backend() const noexcept;
  /// The events that this command directly waits for, except events that the runtime has already forgotten.
  std::vector<event> get_wait_list();
  void wait();
  static void wait(const std::vector<event>& events);
  /// Waits, and also passes the queue's pending asynchronous errors to its handler.
  void wait_and_throw();
  static void wait_and_throw(const std::vector<event>& events);
  template <class Descriptor>
  typename Descriptor::return_type get_info() const;
  /// Returns a time in nanoseconds; blocks until the time is known. Throws errc::invalid if the queue has no
  /// enable_profiling.
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
  /// For in-order queues, the command's number in the queue. For complete events, the event's own number.
  std::uint64_t m_ticket = 0;
};

} // namespace sycl

template <>
struct std::hash<sycl::event> {
  SINTER_EXPORT std::size_t operator()(const sycl::event& object) const noexcept;
};
