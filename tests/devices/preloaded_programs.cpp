/// Preloaded into a program, this library makes the runtime submit every graph as a native graph if the device
/// supports it, even where submitting single steps is faster.

#include <scheduler/test_hooks.hpp>

namespace {

[[maybe_unused]] const bool wanted = [] {
  sycl::detail::test_hooks().all_programs = true;
  return true;
}();

}  // namespace
