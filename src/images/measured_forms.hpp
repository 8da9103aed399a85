#pragma once
/// Times of the two forms of a list of kernels, and which one is faster: numbers alone.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter {

/// Times of both forms, in nanoseconds, and what follows from them.
class measured_forms {
public:
  enum class form : std::uint8_t { joined, apart };

  /// The form with fewer launches so far.
  form next() const noexcept;
  /// Adds a launch. The first one of each form does not count: its code and its memory are cold.
  void add(form which, std::uint64_t nanoseconds);
  bool is_enough() const;
  /// One kernel has to be faster beyond noise.
  form better() const;
  std::uint64_t least(form which) const noexcept;
  std::size_t count(form which) const noexcept { return m_times[index(which)].size(); }

private:
  static std::size_t index(form which) noexcept { return static_cast<std::size_t>(which); }

  std::vector<std::uint64_t> m_times[2];
  bool m_is_warm[2] = {false, false};
};

/// Launches of sizes in one class are less than a factor of 1.5 apart.
std::string size_class(std::uint64_t work_items);

/// A choice as it is kept in the cache; `least`: the least times of both forms.
std::string write_choice(measured_forms::form kept, const std::uint64_t (&least)[2]);
/// False for bytes that are none.
bool read_choice(const std::string& bytes, measured_forms::form& kept, std::uint64_t (&least)[2]);

}  // namespace sinter
