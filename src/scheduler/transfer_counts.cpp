#include "transfer_counts.hpp"

#include <atomic>
#include <base/environment.hpp>
#include <base/report.hpp>
#include <cstdlib>
#include <string>

namespace sycl::inline _V1::detail {
namespace {

enum direction { to_device, to_host, between };

struct totals {
  std::atomic<std::uint64_t> count{0}, bytes{0};
  transfer_totals read() const noexcept { return {count.load(), bytes.load()}; }
};
constinit totals kinds_of_copies[3];

void report() {
  static const char* const names[] = {"to devices", "to the host", "between devices"};
  for (int i = 0; i < 3; ++i) {
    const transfer_totals each = kinds_of_copies[i].read();
    sinter::print_report({"transfers",
                          {"",
                           std::string("transfers ") + names[i] + ": " + std::to_string(each.count) + ", " +
                               std::to_string(each.bytes) + " bytes",
                           {{"direction", names[i]}, {"transfers", each.count}, {"bytes", each.bytes}}}});
  }
}

}  // namespace

void count_transfer(const transfer& made) noexcept {
  static const int reports = sinter::environment().report_transfers ? std::atexit(report) : 0;
  (void)reports;
  totals& where = kinds_of_copies[!made.to ? to_host : made.from ? between : to_device];
  where.count.fetch_add(1, std::memory_order_relaxed);
  where.bytes.fetch_add(made.copy.bytes(), std::memory_order_relaxed);
}

transfer_counts current_transfer_counts() noexcept {
  return {kinds_of_copies[to_device].read(), kinds_of_copies[to_host].read(), kinds_of_copies[between].read()};
}

}  // namespace sycl::detail
