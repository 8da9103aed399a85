/// Handles exit() in a kernel's host code on a thread that works for oneTBB. oneTBB's own end comes after this
/// library's; it destroys the data that the thread uses, and would crash.

#include <unistd.h>

#include <base/program_end.hpp>
#include <base/running.hpp>
#include <cstdio>

#include "parallel.hpp"

namespace sinter {
namespace {

/// Called when all functions that the program registered for its end have run and its static objects are destroyed.
[[gnu::destructor]] void end_inside_pool() {
  if (!sycl::detail::running_scope::current() || !is_in_pool()) return;
  std::fflush(nullptr);
  _exit(exit_status());
}

}  // namespace
}  // namespace sinter
