#include "compile_counts.hpp"

#include <base/environment.hpp>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "cache.hpp"

namespace sinter {
namespace {

void print_summary() {
  const compile_counts& counts = compile_counts::instance();
  const kernel_cache& cache = kernel_cache::instance();
  std::fprintf(stderr, "sinter: %u kernels compiled in %.1f ms, %u loaded from the cache, %u not compiled; cache: %s\n",
               counts.compiled.load(), static_cast<double>(counts.microseconds.load()) / 1000.0,
               counts.hits.load(), counts.failures.load(),
               cache.enabled() ? cache.directory().c_str() : ("off (" + cache.disabled_because() + ")").c_str());
}

}  // namespace

compile_counts& compile_counts::instance() {
  static auto* counts = [] {
    if (environment().report_summary) std::atexit(print_summary);
    return new compile_counts;
  }();
  return *counts;
}

void compile_counts::note_compiled(const abi::jit_result& result) {
  compiled.fetch_add(1);
  microseconds.fetch_add(static_cast<std::uint64_t>(result.milliseconds * 1000.0));
}

void count_refused(const abi::kernel_descriptor& kernel) {
  static std::mutex mutex;
  static auto* known = new std::set<const abi::kernel_descriptor*>;
  std::lock_guard lock(mutex);
  if (known->insert(&kernel).second) compile_counts::instance().failures.fetch_add(1);
}

}  // namespace sinter
