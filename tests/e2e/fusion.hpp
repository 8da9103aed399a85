#pragma once
/// Common parts of the programs about kernel fusion: queues that fuse, and the number of launches.

#include <cstdint>
#include <cstdlib>

#include "check.hpp"

namespace cx = sycl::ext::codeplay::experimental;

namespace e2e {

#ifdef SINTER_E2E_LIBRARY_MODE
constexpr bool can_fuse = false;
#else
constexpr bool can_fuse = true;
#endif

/// Returns the number in an environment variable, or `otherwise` if the variable is not set.
inline std::uint32_t number_from(const char* variable, std::uint32_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? static_cast<std::uint32_t>(std::atoi(text)) : otherwise;
}

/// The number of random lists that a program runs: E2E_LISTS, or else a number for TEST_LONG, or else the usual number.
inline std::uint32_t number_of_lists(std::uint32_t usual, std::uint32_t in_long_tests) {
  return number_from("E2E_LISTS", std::getenv("TEST_LONG") ? in_long_tests : usual);
}

inline const sycl::property_list promoted_private{cx::property::promote_private{}};

inline sycl::queue make_fusing_queue() { return make_queue({cx::property::queue::enable_fusion{}}); }

/// Counts the kernel launches since the construction of the object. All kernels must be complete when count() is
/// called.
class launches {
public:
  std::uint64_t count() const { return all() - m_before; }

private:
  static std::uint64_t all() {
    const auto counters = sycl::ext::sinter::launch_counters();
    return counters.host_entry + counters.jit + counters.cache + counters.host_copy + counters.taken_over;
  }
  std::uint64_t m_before = all();
};

/// The expected number of launches if all `members` are fused. In library mode, programs have no embedded code, so
/// kernels run one by one.
constexpr std::uint64_t launches_when_fused(std::uint64_t members) { return can_fuse ? 1 : members; }

/// The expected number of launches if each of the `members` reads results of neighbouring work-items of earlier
/// kernels. Such kernels are fused by tiles.
constexpr std::uint64_t launches_when_tiled(std::uint64_t members) { return launches_when_fused(members); }

/// Returns the error code of the exception that a function throws, or `success` if the function throws no exception.
template <class Function>
sycl::errc code_thrown_by(Function function) {
  try {
    function();
  } catch (const sycl::exception& error) {
    return static_cast<sycl::errc>(error.code().value());
  }
  return sycl::errc::success;
}

inline bool is_complete(const sycl::event& event) {
  return event.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete;
}

template <class T>
std::vector<T> counted(std::size_t count, T first = T()) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(first + static_cast<T>(i));
  return values;
}

}  // namespace e2e

/// Checks that `members` kernels ran as one fused kernel, or one by one if the program has no code that can be fused.
#define CHECK_FUSED(counter, members) CHECK_EQUAL((counter).count(), e2e::launches_when_fused(members))
