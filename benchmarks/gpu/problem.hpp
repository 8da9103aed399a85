#pragma once
/// Parts of the cases of gpu_kernels: memory, random numbers, and comparison with expected values.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "launches.hpp"

/// A case with its memory, ready to run.
struct problem {
  std::function<void()> run;       ///< submits the work
  std::function<void()> spoil;     ///< overwrites results, to detect programs that compute nothing
  std::function<bool()> is_right;  ///< compares with plain scalar execution
  double amount = 0;               ///< amount of work of one run
  const char* unit = "GB";
};

struct problem_row {
  const char* name;
  std::size_t size;  ///< the size if the user gives none
  problem (*make)(std::size_t size);
};

/// Each of these functions is defined in a separate file.
std::vector<problem_row> memory_problems();
std::vector<problem_row> kernel_problems();
std::vector<problem_row> group_problems();

/// Memory of the device.
template <class T>
class device_array {
public:
  explicit device_array(std::size_t count)
      : m_memory(static_cast<T*>(side::allocate(count * sizeof(T))), side::release), m_count(count) {}
  explicit device_array(const std::vector<T>& values) : device_array(values.size()) { put(values); }
  /// Fills the array by repeating the values.
  device_array(std::size_t count, const std::vector<T>& values) : device_array(count) { put(values); }

  T* get() const { return m_memory.get(); }
  std::size_t size() const { return m_count; }
  std::size_t bytes() const { return m_count * sizeof(T); }
  /// Overwrites the contents and waits, because blocking copies of CUDA C++ are not ordered with the stream.
  void spoil() const { side::fill(get(), 0xff, bytes()), side::wait(); }

  /// Returns up to `most` elements from `first` on.
  std::vector<T> part(std::size_t first, std::size_t most) const {
    std::vector<T> values(std::min(most, m_count - first));
    side::wait();
    side::copy_pageable(values.data(), get() + first, values.size() * sizeof(T));
    side::wait();
    return values;
  }
  std::vector<T> values() const { return part(0, m_count); }

private:
  void put(const std::vector<T>& values) {
    for (std::size_t first = 0; first < m_count; first += values.size()) {
      side::copy_pageable(get() + first, values.data(), std::min(values.size(), m_count - first) * sizeof(T));
    }
    side::wait();
  }

  std::shared_ptr<T> m_memory;
  std::size_t m_count;
};

/// Random numbers, which are equal in each run.
class dice {
public:
  std::uint32_t next() {
    m_state = m_state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(m_state >> 32);
  }
  float between(float low, float high) { return low + (high - low) * static_cast<float>(next() >> 8) * 0x1p-24f; }
  std::vector<float> floats(std::size_t count, float low, float high) {
    std::vector<float> values(count);
    for (float& each : values) each = between(low, high);
    return values;
  }

private:
  std::uint64_t m_state = 42;
};

/// Whether the values differ by at most `tolerance` times the sum of the expected magnitude and `typical`. The
/// comparison is written so that NaN counts as wrong.
inline bool is_close(double found, double expected, double tolerance, double typical, std::size_t place) {
  if (std::abs(found - expected) <= tolerance * (std::abs(expected) + typical)) return true;
  std::fprintf(stderr, "element %zu is %.9g instead of %.9g\n", place, found, expected);
  return false;
}

/// Whether each element equals `expected(i % period)`.
template <class T, class Expected>
bool repeats(const device_array<T>& array, std::size_t period, double tolerance, double typical,
             const Expected& expected) {
  std::vector<T> wanted(std::min(period, array.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<T>(expected(i));
  for (std::size_t first = 0; first < array.size(); first += period) {
    const std::vector<T> found = array.part(first, period);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!is_close(static_cast<double>(found[i]), static_cast<double>(wanted[i]), tolerance, typical, first + i)) {
        return false;
      }
    }
  }
  return true;
}

template <class T, class Expected>
bool all_are(const device_array<T>& array, double tolerance, double typical, const Expected& expected) {
  return repeats(array, array.size(), tolerance, typical, expected);
}
