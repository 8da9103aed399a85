/// Handles exit() in a kernel's host code on a thread that works for oneTBB. oneTBB's own cleanup runs after the
/// cleanup of this library. oneTBB's cleanup would destroy data that the thread still uses, and crash.

#include <unistd.h>

#include <base/program_end.hpp>
#include <base/running.hpp>
#include <cstdio>

#include "parallel.hpp"

namespace sinter {
namespace {

/// This destructor of the library runs after all functions that were registered with atexit and after the program's
/// static objects are destroyed.
[[gnu::destructor]] void end_inside_pool() {
  if (!sycl::detail::running_scope::current() || !is_in_pool()) return;
  std::fflush(nullptr);
  _exit(exit_status());
}

}  // namespace
}  // namespace sinter
