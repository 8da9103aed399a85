#include <doctest/doctest.h>

#include <algorithm>
#include <base/trace_clock.hpp>
#include <chrono>
#include <thread>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

std::int64_t steady() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock_type::now().time_since_epoch()).count();
}

std::int64_t told() { return static_cast<std::int64_t>(sinter::trace_time()); }

}  // namespace

TEST_CASE("the timeline has the steady clock's times") {
  // The clock needs some time to measure the length of a tick. The loop runs longer than this. The clock reads the
  // system's clock about every 50 us.
  std::int64_t furthest = 0, last = 0, back = 0;
  for (const auto end = clock_type::now() + std::chrono::milliseconds(150); clock_type::now() < end;) {
    for (int i = 0; i < 1000; ++i) {
      const std::int64_t before = steady(), time = told(), after = steady();
      furthest = std::max({furthest, before - time, time - after});
      back = std::max(back, last - time);
      last = time;
    }
  }
  CHECK(furthest < 200);
  CHECK(back <= 0);
}

TEST_CASE("a time that was told is no later than one that another thread is told behind it") {
  std::vector<std::int64_t> times;
  for (int i = 0; i < 200; ++i) {
    times.push_back(told());
    std::thread([&] { times.push_back(told()); }).join();
  }
  CHECK(std::is_sorted(times.begin(), times.end()));
}
