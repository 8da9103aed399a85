/// Preloaded into a program, this makes all graphs native graphs of the device if it has them, even where submitting
/// single steps is faster.

#include <scheduler/test_hooks.hpp>

namespace {

[[maybe_unused]] const bool wanted = [] {
  sycl::detail::test_hooks().all_programs = true;
  return true;
}();

}  // namespace
