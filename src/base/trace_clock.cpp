#include "trace_clock.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

namespace sinter {

std::uint64_t steady_time() noexcept {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

#if defined(__x86_64__)

namespace {

// A time is the latest reading of the steady clock plus the ticks that the processor has counted since. The reading is
// at most some 50 us old. The system may make the steady clock 500 millionths faster or slower, so the error is at most
// 25 ns.
constexpr std::uint64_t most_ticks = std::uint64_t{1} << 17;
// A reading of the clock takes 25 ns. A reading that took longer was interrupted, so its time is unknown.
constexpr std::uint64_t most_ticks_of_reading = 200;
// The length of a tick is computed from two readings that are at least this many nanoseconds apart. Each reading is
// exact to 25 ns, so the length has an error of some millionths.
constexpr std::uint64_t first_measured = 10'000'000;
constexpr double scale_unit = 4294967296.0;

/// The ticks and the time when the process first asked for the time.
struct beginning {
  bool counts_evenly = false;
  std::uint64_t ticks = 0, time = 0;

  beginning() noexcept {
    // If Linux uses the counter for its own clock, the counter is equal on all processors, and never stops.
    if (std::FILE* file = std::fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re")) {
      char name[16] = "";
      counts_evenly = std::fgets(name, sizeof(name), file) && std::strcmp(name, "tsc\n") == 0;
      std::fclose(file);
    }
    ticks = __builtin_ia32_rdtsc();
    time = steady_time();
  }
};

/// A thread's latest reading of the steady clock. The initial values look like a very old reading, so that the thread
/// reads the clock at first use.
struct known_time {
  std::uint64_t ticks = 0, time = 0;
  std::uint64_t scale = 0;  ///< length of a tick, in units of 2^-32 nanoseconds
  std::uint64_t told = 0;   ///< the latest result of tell()

  /// Returns `now`, or the previous result if that is later, so that times never go backwards: the previous result was
  /// estimated, and may have been ahead of the clock.
  std::uint64_t tell(std::uint64_t now) noexcept { return told = std::max(told, now); }
};
constinit thread_local known_time known;

[[gnu::noinline]] std::uint64_t ask(known_time& its) noexcept {
  static const beginning first;
  const std::uint64_t before = __builtin_ia32_rdtsc(), time = steady_time(), after = __builtin_ia32_rdtsc();
  if (first.counts_evenly && after - before < most_ticks_of_reading && time - first.time >= first_measured) {
    its.ticks = before + (after - before) / 2;
    its.time = time;
    // If the machine was asleep between the two readings, estimated times are too small, but by no more than 50 us.
    its.scale = static_cast<std::uint64_t>(static_cast<double>(time - first.time) /
                                           static_cast<double>(its.ticks - first.ticks) * scale_unit);
  }
  return its.tell(time);
}

}  // namespace

std::uint64_t trace_time() noexcept {
  known_time& its = known;
  const std::uint64_t passed = __builtin_ia32_rdtsc() - its.ticks;
  return passed < most_ticks ? its.tell(its.time + (passed * its.scale >> 32)) : ask(its);
}
#else
std::uint64_t trace_time() noexcept { return steady_time(); }
#endif

}  // namespace sinter
