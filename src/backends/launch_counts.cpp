#include "launch_counts.hpp"

#include <algorithm>
#include <base/report.hpp>
#include <cstdlib>
#include <images/code_variant.hpp>
#include <images/kernel_name.hpp>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace sinter {

constinit std::atomic<std::uint64_t> launch_counts[code_origins];

namespace {

/// The report of SINTER_REPORT=launches: the number of launches for each kernel and each origin of its code.
struct launch_report {
  std::mutex mutex;  // protects counts
  std::map<std::pair<std::string, code_origin>, std::uint64_t> counts;

  static launch_report& instance() {
    static auto* report = [] {
      std::atexit([] { instance().print(); });
      return new launch_report;
    }();
    return *report;
  }
  void print() {
    static const char* const names[code_origins] = {"host entry", "jit", "cache", "host copy", "host copy, then jit"};
    for (const auto& [what, count] : counts) {
      const char* origin = names[static_cast<int>(what.second)];
      const std::string number = std::to_string(count);
      print_report({"launches",
                    {"",
                     std::string(8 - std::min<std::size_t>(number.size(), 8), ' ') + number + " launches of '" +
                         what.first + "' (" + origin + ")",
                     {{"kernel", what.first}, {"origin", origin}, {"launches", count}}}});
    }
  }
};

}  // namespace

void report_launch(const kernel_launch& launch, code_origin origin) {
  launch_report& report = launch_report::instance();
  std::lock_guard lock(report.mutex);
  ++report.counts[{launch.is_fused() ? launch.code->name : kernel_display_name(*launch.kernel), origin}];
}

launch_counters current_launch_counters() noexcept {
  return {launch_counts[0].load(), launch_counts[1].load(), launch_counts[2].load(), launch_counts[3].load(),
          launch_counts[4].load()};
}

}  // namespace sinter
