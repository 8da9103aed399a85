#include "compile_counts.hpp"

#include <base/environment.hpp>
#include <base/report.hpp>
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
  const std::uint64_t compiled = counts.compiled.load(), hits = counts.hits.load(), failures = counts.failures.load();
  const double milliseconds = static_cast<double>(counts.microseconds.load()) / 1000.0;
  char time[32];
  std::snprintf(time, sizeof(time), "%.1f", milliseconds);
  print_report({"summary",
                {"",
                 std::to_string(compiled) + " kernels compiled in " + time + " ms, " + std::to_string(hits) +
                     " loaded from the cache, " + std::to_string(failures) + " not compiled; cache: " +
                     (cache.enabled() ? cache.directory() : "off (" + cache.disabled_because() + ")"),
                 {{"compiled", compiled},
                  {"milliseconds", milliseconds},
                  {"from_cache", hits},
                  {"not_compiled", failures},
                  {"cache", cache.enabled() ? cache.directory() : std::string()}}}});
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
