/// exit() that a kernel's host code calls on a thread that is at work for oneTBB: oneTBB's own end, which comes after
/// this library's, takes away what that thread stands on, and crashes.

#include <unistd.h>

#include <base/program_end.hpp>
#include <base/running.hpp>
#include <cstdio>

#include "parallel.hpp"

namespace sinter {
namespace {

/// By now all has run that the program registered for its end, and static objects of it are destroyed.
[[gnu::destructor]] void end_inside_pool() {
  if (!sycl::detail::running_scope::current() || !is_in_pool()) return;
  std::fflush(nullptr);
  _exit(exit_status());
}

}  // namespace
}  // namespace sinter
