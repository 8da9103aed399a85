#pragma once
/// Runs one function on the device and on the host, on random numbers.

#include <random>

#include "check.hpp"

namespace e2e {

/// Compares the results of function(random bits, index) on device and host.
template <class Result, class Function>
void check_same(Function function) {
  constexpr std::size_t count = 301;
  std::mt19937_64 random(11);
  std::vector<std::uint64_t> in(count);
  for (std::uint64_t& each : in) each = random() >> (random() % 64);
  std::vector<Result> found(count), expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = function(in[i], i);
  auto queue = make_queue();
  {
    sycl::buffer<std::uint64_t> from(in.data(), count);
    sycl::buffer<Result> to(found.data(), count);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor bits(from, handler, sycl::read_only);
      sycl::accessor results(to, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { results[i] = function(bits[i], i[0]); });
    });
  }
  CHECK_ALL_EQUAL(found, expected);
}

}  // namespace e2e
