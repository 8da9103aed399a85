/// Inputs and expected results of BabelStream's kernels, copies and the pipeline.

#include <algorithm>
#include <cstring>

#include "problem.hpp"

namespace {

constexpr std::size_t period = 1000003;  // period of the contents; not a power of two, so that swapped blocks differ

struct arrays {
  explicit arrays(std::size_t count)
      : pattern_a(numbers()), pattern_b(numbers()), a(count, pattern_a), b(count, pattern_b), c(count) {}
  static std::vector<double> numbers() {
    static dice dice;
    std::vector<double> values(period);
    for (double& each : values) each = static_cast<double>(dice.between(-1, 1));
    return values;
  }
  std::vector<double> pattern_a, pattern_b;
  device_array<double> a, b, c;
};

template <class Launch, class Expected>
problem stream_problem(std::size_t count, int arrays_touched, const Launch& launch, const Expected& expected) {
  const auto all = std::make_shared<arrays>(count);
  return {[=] { launch(*all, count); }, [=] { all->c.spoil(); },
          [=] {
            return repeats(all->c, period, 1e-15, 1,
                           [&](std::size_t i) { return expected(all->pattern_a[i], all->pattern_b[i]); });
          },
          8e-9 * arrays_touched * static_cast<double>(count)};
}

problem copy_numbers(std::size_t count) {
  return stream_problem(
      count, 2, [](const arrays& all, std::size_t n) { side::stream_copy(all.a.get(), all.c.get(), n); },
      [](double a, double) { return a; });
}

problem mul_numbers(std::size_t count) {
  return stream_problem(
      count, 2, [](const arrays& all, std::size_t n) { side::stream_mul(all.c.get(), all.a.get(), n); },
      [](double a, double) { return side::stream_factor * a; });
}

problem add_numbers(std::size_t count) {
  return stream_problem(
      count, 3, [](const arrays& all, std::size_t n) { side::stream_add(all.a.get(), all.b.get(), all.c.get(), n); },
      [](double a, double b) { return a + b; });
}

problem triad_numbers(std::size_t count) {
  return stream_problem(
      count, 3, [](const arrays& all, std::size_t n) { side::stream_triad(all.c.get(), all.a.get(), all.b.get(), n); },
      [](double a, double b) { return a + side::stream_factor * b; });
}

problem dot_numbers(std::size_t count) {
  const auto all = std::make_shared<arrays>(count);
  const device_array<double> sum(1);
  return {[=] { side::stream_dot(all->a.get(), all->b.get(), sum.get(), count); }, [=] { sum.spoil(); },
          [=] {
            double of_period = 0, of_rest = 0;
            for (std::size_t i = 0; i < period; ++i) {
              const double product = all->pattern_a[i] * all->pattern_b[i];
              of_period += product;
              if (i < count % period) of_rest += product;
            }
            const double expected = static_cast<double>(count / period) * of_period + of_rest;
            return is_close(sum.values()[0], expected, 1e-9, static_cast<double>(count) * 1e-3, 0);
          },
          16e-9 * static_cast<double>(count)};
}

/// Fills memory with varying bytes, so that moved bytes are noticed.
void fill_with_numbers(unsigned char* bytes, std::size_t count) {
  dice dice;
  for (std::size_t i = 0; i + 4 <= count; i += 4) {
    const std::uint32_t number = dice.next();
    std::memcpy(bytes + i, &number, 4);
  }
}

std::shared_ptr<unsigned char> host_memory(std::size_t bytes, bool is_pinned) {
  if (is_pinned) return {static_cast<unsigned char*>(side::allocate_pinned(bytes)), side::release_pinned};
  return {new unsigned char[bytes], [](unsigned char* memory) { delete[] memory; }};
}

template <bool IsUp, bool IsPinned>
problem host_copy(std::size_t bytes) {
  bytes = (bytes + 3) / 4 * 4;
  const auto host = host_memory(bytes, IsPinned);
  const device_array<unsigned char> device(bytes);
  const auto numbers = std::make_shared<std::vector<unsigned char>>(bytes);
  fill_with_numbers(numbers->data(), bytes);
  if (IsUp) {
    std::memcpy(host.get(), numbers->data(), bytes);
  } else {
    side::copy_pageable(device.get(), numbers->data(), bytes);
    side::wait();
  }
  return {[=] {
            void* to = IsUp ? device.get() : host.get();
            const void* from = IsUp ? host.get() : device.get();
            if (IsPinned) return side::copy(to, from, bytes);
            side::copy_pageable(to, from, bytes);
          },
          [=] {
            if (IsUp) return device.spoil();
            std::memset(host.get(), 0xff, bytes);
          },
          [=] {
            if (IsUp) return device.values() == *numbers;
            return std::memcmp(host.get(), numbers->data(), bytes) == 0;
          },
          1e-9 * static_cast<double>(bytes)};
}

problem pipeline(std::size_t count) {
  constexpr std::size_t chunks = 16;
  const std::size_t chunk = std::max<std::size_t>(count / chunks, 1), all = chunk * chunks;
  const auto from_memory = host_memory(all * sizeof(float), true), to_memory = host_memory(all * sizeof(float), true);
  auto* from = reinterpret_cast<float*>(from_memory.get());
  auto* to = reinterpret_cast<float*>(to_memory.get());
  dice dice;
  for (std::size_t i = 0; i < all; ++i) from[i] = dice.between(-1, 1);
  return {[=] { side::pipeline(reinterpret_cast<float*>(from_memory.get()), to, chunk, chunks); },
          [=] { std::memset(to_memory.get(), 0xff, all * sizeof(float)); },
          [=] {
            for (std::size_t i = 0; i < all; i += i % 4096 == 0 ? 1 : 1021) {
              float value = from[i];
              for (int round = 0; round < side::pipeline_rounds; ++round) value = value * 0.999f + 0.25f;
              if (!is_close(static_cast<double>(to[i]), static_cast<double>(value), 1e-4, 0, i)) return false;
            }
            return true;
          },
          2e-9 * static_cast<double>(all * sizeof(float))};
}

}  // namespace

std::vector<problem_row> memory_problems() {
  constexpr std::size_t numbers = std::size_t{1} << 28, bytes = std::size_t{1} << 28;
  return {{"stream copy", numbers, copy_numbers},
          {"stream mul", numbers, mul_numbers},
          {"stream add", numbers, add_numbers},
          {"stream triad", numbers, triad_numbers},
          {"stream dot", numbers, dot_numbers},
          {"copy up, pinned", bytes, host_copy<true, true>},
          {"copy down, pinned", bytes, host_copy<false, true>},
          {"copy up, pageable", bytes, host_copy<true, false>},
          {"copy down, pageable", bytes, host_copy<false, false>},
          {"pipeline", std::size_t{1} << 27, pipeline}};
}
