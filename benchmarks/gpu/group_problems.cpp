/// Inputs and expected results of the kernels in groups.cpp and groups.cu.

#include <algorithm>

#include "problem.hpp"

namespace {

constexpr std::size_t period = 1000003;

std::size_t whole_groups(std::size_t count) {
  return (count + side::group_size - 1) / side::group_size * side::group_size;
}

problem byte_counts(std::size_t count) {
  dice dice;
  std::vector<std::uint8_t> values(period);
  std::vector<std::uint32_t> expected(side::bin_count);
  for (std::size_t i = 0; i < period; ++i) {
    // A byte of a product of random numbers, so that some bytes are more frequent than others.
    values[i] = static_cast<std::uint8_t>(((dice.next() >> 24) * (dice.next() >> 24)) >> 8);
    expected[values[i]] += static_cast<std::uint32_t>(count / period + (i < count % period));
  }
  const device_array<std::uint8_t> device_values(count, values);
  const device_array<std::uint32_t> bins(side::bin_count);
  return {[=] { side::histogram(device_values.get(), bins.get(), count); }, [=] { bins.spoil(); },
          [=] { return bins.values() == expected; }, 1e-9 * static_cast<double>(count)};
}

problem prefix_sums(std::size_t count) {
  dice dice;
  std::vector<std::uint32_t> values(count);
  const auto expected = std::make_shared<std::vector<std::uint32_t>>(count);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) (*expected)[i] = sum += values[i] = dice.next();
  const device_array<std::uint32_t> device_values(values), sums(count), space(count / side::group_size * 2 + 1024);
  return {[=] { side::scan(device_values.get(), sums.get(), space.get(), count); },
          [=] { sums.spoil(), space.spoil(); }, [=] { return sums.values() == *expected; },
          8e-9 * static_cast<double>(count)};
}

problem sorted_numbers(std::size_t size) {
  std::size_t count = side::sort_block;
  while (count < size) count *= 2;
  dice dice;
  const auto values = std::make_shared<std::vector<std::uint32_t>>(count);
  for (std::uint32_t& each : *values) each = dice.next();
  const device_array<std::uint32_t> device_values(*values), sorted(count);
  return {[=] { side::bitonic(device_values.get(), sorted.get(), count); }, [=] { sorted.spoil(); },
          [=] {
            std::vector<std::uint32_t> expected = *values;
            std::sort(expected.begin(), expected.end());
            return sorted.values() == expected;
          },
          1e-6 * static_cast<double>(count), "million numbers"};
}

problem sum(std::size_t count) {
  dice dice;
  // The values are small whole numbers, whose sums are exact in every order.
  std::vector<float> values(period);
  for (float& each : values) each = static_cast<float>(static_cast<int>(dice.next() >> 16) % 17 - 8);
  double expected = 0;
  for (std::size_t i = 0; i < period; ++i) {
    expected += static_cast<double>(values[i]) * static_cast<double>(count / period + (i < count % period));
  }
  const device_array<float> device_values(count, values), result(1);
  return {[=] { side::reduce_sum(device_values.get(), result.get(), count); }, [=] { result.spoil(); },
          [=] { return is_close(static_cast<double>(result.values()[0]), expected, 0, 0, 0); },
          4e-9 * static_cast<double>(count)};
}

template <std::size_t OfEach>
problem most(std::size_t size) {
  const std::size_t whole = side::group_size * OfEach, count = (size + whole - 1) / whole * whole;
  dice dice;
  std::vector<std::int32_t> values(period);
  for (std::int32_t& each : values) each = -1 - static_cast<std::int32_t>(dice.next() >> 1);
  // The maximum occurs once, in the middle of the array.
  const device_array<std::int32_t> device_values(count, values), result(1);
  const std::int32_t largest = 7;
  side::copy_pageable(device_values.get() + count / 2, &largest, sizeof(largest));
  side::wait();
  return {[=] { side::reduce_max(device_values.get(), result.get(), count, OfEach); }, [=] { result.spoil(); },
          [=] { return result.values()[0] == largest; }, 4e-9 * static_cast<double>(count)};
}

problem sums_of_groups(std::size_t size) {
  const std::size_t count = whole_groups(size);
  dice dice;
  std::vector<float> values(count);
  for (float& each : values) each = static_cast<float>(static_cast<int>(dice.next() >> 16) % 17 - 8);
  std::vector<float> expected(count / side::group_size);
  for (std::size_t i = 0; i < count; ++i) expected[i / side::group_size] += values[i];
  const device_array<float> device_values(values), sums(expected.size());
  return {[=] { side::group_sums(device_values.get(), sums.get(), count); }, [=] { sums.spoil(); },
          [=] { return sums.values() == expected; }, 4e-9 * static_cast<double>(count)};
}

using group_function = void (*)(const std::uint32_t*, std::uint32_t*, std::size_t);

/// Makes a problem over groups of numbers. `expected` computes a group's results in place.
template <group_function Launch, class Expected>
problem numbers_of_groups(std::size_t size, double amount_of_one, const char* unit, const Expected& expected) {
  const std::size_t count = whole_groups(size);
  dice dice;
  const auto values = std::make_shared<std::vector<std::uint32_t>>(count);
  for (std::uint32_t& each : *values) each = dice.next();
  const device_array<std::uint32_t> device_values(*values), results(count);
  return {[=] { Launch(device_values.get(), results.get(), count); }, [=] { results.spoil(); },
          [=] {
            std::vector<std::uint32_t> wanted = *values;
            for (std::size_t first = 0; first < count; first += side::group_size) expected(wanted.data() + first);
            return results.values() == wanted;
          },
          amount_of_one * static_cast<double>(count), unit};
}

void scan_inclusively(std::uint32_t* values) {
  for (std::size_t i = 1; i < side::group_size; ++i) values[i] += values[i - 1];
}

problem inclusive_scans(std::size_t size) {
  return numbers_of_groups<side::group_inclusive_scans>(size, 8e-9, "GB", scan_inclusively);
}

problem exclusive_scans(std::size_t size) {
  return numbers_of_groups<side::group_exclusive_scans>(size, 8e-9, "GB", [](std::uint32_t* values) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < side::group_size; ++i) {
      const std::uint32_t value = values[i];
      values[i] = sum;
      sum += value;
    }
  });
}

constexpr const char* billions = "billion items";

problem sums_in_registers(std::size_t size) {
  return numbers_of_groups<side::group_sums_in_registers>(size, 1e-9 * side::rounds, billions,
                                                          [](std::uint32_t* values) {
                                                            for (int round = 0; round < side::rounds; ++round) {
                                                              std::uint32_t sum = 0;
                                                              for (std::size_t i = 0; i < side::group_size; ++i)
                                                                sum += values[i];
                                                              for (std::size_t i = 0; i < side::group_size; ++i)
                                                                values[i] ^= sum;
                                                            }
                                                          });
}

problem scans_in_registers(std::size_t size) {
  return numbers_of_groups<side::group_scans_in_registers>(size, 1e-9 * side::rounds, billions,
                                                           [](std::uint32_t* values) {
                                                             for (int round = 0; round < side::rounds; ++round)
                                                               scan_inclusively(values);
                                                           });
}

}  // namespace

std::vector<problem_row> group_problems() {
  constexpr std::size_t large = std::size_t{1} << 28, registers = std::size_t{1} << 23;
  return {{"histogram", std::size_t{1} << 30, byte_counts},
          {"scan", std::size_t{1} << 26, prefix_sums},
          {"bitonic sort", std::size_t{1} << 24, sorted_numbers},
          {"reduction, sum of floats", 4 * large, sum},
          {"reduction, nd_range, 1 int each", large, most<1>},
          {"reduction, nd_range, 256 ints each", 4 * large, most<256>},
          {"reduce_over_group", std::size_t{1} << 27, sums_of_groups},
          {"inclusive_scan_over_group", std::size_t{1} << 27, inclusive_scans},
          {"exclusive_scan_over_group", std::size_t{1} << 27, exclusive_scans},
          {"reduce_over_group, 64 times", registers, sums_in_registers},
          {"inclusive_scan_over_group, 64 times", registers, scans_in_registers}};
}
