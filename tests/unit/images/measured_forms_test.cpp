/// Tests which measured times prove that a fused kernel is faster than its members, and what the cache stores about
/// these times.
#include <doctest/doctest.h>

#include <images/measured_forms.hpp>
#include <random>

using sinter::measured_forms;
using form = measured_forms::form;

namespace {

/// Simulates launches with these times until the measurement is complete. Returns the number of launches.
template <class Time>
int measure(measured_forms& forms, const Time& time) {
  int launches = 0;
  for (; !forms.is_enough(); ++launches) {
    REQUIRE(launches < 100);
    const form next = forms.next();
    forms.add(next, time(next));
  }
  return launches;
}

}  // namespace

TEST_CASE("both forms come in turns, and the first launch of each does not count") {
  measured_forms forms;
  form last = form::apart;
  for (int i = 0; i < 6; ++i) {
    const form next = forms.next();
    CHECK(next != last);
    last = next;
    forms.add(next, i < 2 ? 1 : 1000);
  }
  CHECK(forms.least(form::joined) == 1000);
  CHECK(forms.least(form::apart) == 1000);
}

TEST_CASE("a clear difference is known soon, a small one later, and none keeps the members apart") {
  std::mt19937 random(7);
  const auto noisy = [&](std::uint64_t least) { return least + random() % (least / 4); };
  for (const form faster : {form::joined, form::apart}) {
    measured_forms clear;
    CHECK(measure(clear, [&](form which) { return noisy(which == faster ? 1000 : 2000); }) == 8);
    CHECK(clear.better() == faster);
  }
  for (int i = 0; i < 50; ++i) {
    measured_forms alike, faster, slower;
    CHECK(measure(alike, [&](form) { return 1000; }) == 18);
    CHECK(alike.better() == form::apart);
    measure(faster, [&](form which) { return noisy(which == form::joined ? 800 : 1100); });
    CHECK(faster.better() == form::joined);
    measure(slower, [&](form which) { return noisy(which == form::joined ? 1100 : 800); });
    CHECK(slower.better() == form::apart);
  }
}

TEST_CASE("slow launches in between change nothing") {
  measured_forms forms;
  int launches = 0;
  measure(forms, [&](form which) { return ++launches % 5 == 0 ? 90000 : which == form::joined ? 1000 : 1500; });
  CHECK(forms.better() == form::joined);
}

TEST_CASE("sizes within a class are alike, others are not") {
  CHECK(sinter::size_class(0) != sinter::size_class(1));
  for (const std::uint64_t size : {2u, 64u, 1000u, 4096u, 1u << 30}) {
    CHECK(sinter::size_class(size) != sinter::size_class(2 * size));
    CHECK(sinter::size_class(size) != sinter::size_class(size / 2));
  }
  CHECK(sinter::size_class(1 << 20) == sinter::size_class((1 << 20) + 1000));
  CHECK(sinter::size_class(1 << 20) != sinter::size_class(3 << 19));
}

TEST_CASE("a choice that is written is read, and nothing else") {
  for (const form kept : {form::joined, form::apart}) {
    const std::uint64_t least[2] = {123, ~std::uint64_t{0}};
    const std::string bytes = sinter::write_choice(kept, least);
    form found = kept == form::joined ? form::apart : form::joined;
    std::uint64_t times[2] = {0, 0};
    CHECK(sinter::read_choice(bytes, found, times));
    CHECK(found == kept);
    CHECK(times[0] == least[0]);
    CHECK(times[1] == least[1]);
    for (std::size_t size = 0; size < bytes.find(' ') + 6; ++size)
      CHECK_FALSE(sinter::read_choice(bytes.substr(0, size), found, times));
  }
  form found;
  std::uint64_t times[2];
  for (const char* wrong : {"", "joined", "joined 1", "joined 1 ", "joined 1 2 ", "joined 1 2x", "joined -1 2",
                            "other 1 2", "joined 1  2", "joined 99999999999999999999 1"}) {
    CAPTURE(wrong);
    CHECK_FALSE(sinter::read_choice(wrong, found, times));
  }
}
