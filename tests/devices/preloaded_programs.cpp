/// Preloaded: graphs are the device's own wherever it has such, also where handing over their steps is faster.

#include <scheduler/test_hooks.hpp>

namespace {

[[maybe_unused]] const bool wanted = [] {
  sycl::detail::test_hooks().all_programs = true;
  return true;
}();

}  // namespace
