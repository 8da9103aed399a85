/// Tests teams: the threads that share a short launch.

#include <doctest/doctest.h>
#include <sched.h>

#include <atomic>
#include <backends/cpu/team.hpp>
#include <base/processors.hpp>
#include <chrono>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

/// Makes a team that is never destroyed, as in the runtime.
sinter::team& team_of(unsigned helpers) { return *new sinter::team(helpers); }

/// Counts how often the team runs each part of the launch.
std::vector<int> runs_of(sinter::team& team, std::uint32_t pieces, unsigned helpers) {
  std::vector<std::atomic<int>> counts(pieces);
  REQUIRE(team.run(pieces, helpers, false, [&](std::uint32_t i) { counts[i].fetch_add(1); }));
  return {counts.begin(), counts.end()};
}

}  // namespace

TEST_CASE("each piece is run once, whoever comes in time") {
  for (const unsigned helpers : {0u, 1u, 2u, 5u}) {
    sinter::team& team = team_of(helpers);
    CHECK(team.most_helpers() == helpers);
    for (int round = 0; round < 300; ++round) {
      for (const std::uint32_t pieces : {0u, 1u, 2u, 3u, 7u, 100u}) {
        for (const int count : runs_of(team, pieces, static_cast<unsigned>(round) % (helpers + 2))) REQUIRE(count == 1);
      }
    }
  }
}

TEST_CASE("helpers sleep after a while, and are woken") {
  sinter::team& team = team_of(1);
  CHECK(!runs_of(team, 1, 1).empty());
  while (team.is_awake()) std::this_thread::yield();
  // The calling thread's part waits until another thread has run the other part.
  std::atomic<bool> second{false};
  REQUIRE(team.run(2, 1, false, [&](std::uint32_t i) {
    if (i == 1) second.store(true);
    while (!second.load()) std::this_thread::yield();
  }));
  CHECK(second.load());
}

TEST_CASE("who is held up by one piece loses the others of its part") {
  constexpr std::uint32_t pieces = 60;
  for (const unsigned helpers : {1u, 3u}) {
    sinter::team& team = team_of(helpers);
    for (const std::uint32_t slow : {0u, 20u, 30u, 59u}) {
      std::atomic<std::uint32_t> others{0};
      // If the team left a part to the thread that waits for this part, the call would never end.
      REQUIRE(team.run(pieces, helpers, false, [&](std::uint32_t i) {
        if (i != slow) {
          others.fetch_add(1);
          return;
        }
        while (others.load() != pieces - 1) std::this_thread::yield();
      }));
      CHECK(others.load() == pieces - 1);
    }
  }
}

TEST_CASE("what a piece throws reaches the caller, and the team goes on") {
  sinter::team& team = team_of(2);
  for (std::uint32_t bad = 0; bad < 8; ++bad) {
    CHECK_THROWS_AS(team.run(8, 2, false,
                             [&](std::uint32_t i) {
                               if (i == bad) throw std::runtime_error("bad");
                             }),
                    std::runtime_error);
    for (const int count : runs_of(team, 8, 2)) REQUIRE(count == 1);
  }
}

TEST_CASE("one call has a team at a time") {
  sinter::team& team = team_of(1);
  std::atomic<int> runs{0};
  std::thread patient;
  REQUIRE(team.run(1, 0, false, [&](std::uint32_t) {
    std::thread([&] { CHECK(!team.run(1, 0, false, [&](std::uint32_t) { runs.fetch_add(100); })); }).join();
    patient = std::thread([&] { team.run(5, 1, true, [&](std::uint32_t) { runs.fetch_add(1); }); });
    runs.fetch_add(1);
  }));
  patient.join();
  CHECK(runs.load() == 6);
}

TEST_CASE("a thread that leaves a processor goes to another one, and may come back later") {
  const std::vector<int>& all = sinter::usable_processors();
  for (const int each : all) {
    std::thread([&] {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(each, &set);
      REQUIRE(sched_setaffinity(0, sizeof(set), &set) == 0);
      sinter::leave_processor(each);
      REQUIRE(sched_getaffinity(0, sizeof(set), &set) == 0);
      // The thread may run on all processors of the process again. If the process has only one processor, the thread
      // stays on this processor.
      CHECK(CPU_COUNT(&set) == static_cast<int>(all.size()));
      CHECK(CPU_ISSET(each, &set));
    }).join();
  }
}

TEST_CASE("a helper that has the caller's processor comes in time again") {
  if (sinter::usable_processors().size() < 2) return;
  sinter::team& team = team_of(1);
  // The caller never sleeps. So a helping thread that needs the caller's processor waits until the system's scheduler
  // lets it run.
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  std::atomic<int> helped{0};
  const std::thread::id caller = std::this_thread::get_id();
  while (helped.load() < 100 && std::chrono::steady_clock::now() < end) {
    team.run(2, 1, true, [&](std::uint32_t) {
      if (std::this_thread::get_id() != caller) helped.fetch_add(1);
      for (int i = 0; i < 20'000; ++i) asm volatile("");
    });
  }
  CHECK(helped.load() >= 100);
}
