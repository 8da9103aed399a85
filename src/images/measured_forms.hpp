#pragma once
/// Decides which of the two forms of a list of kernels is faster, from times alone.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter {

/// The times of both forms, in nanoseconds, and the decision.
class measured_forms {
public:
  enum class form : std::uint8_t { joined, apart };

  /// Returns the form with fewer launches so far.
  form next() const noexcept;
  /// Adds a launch. The first launch of each form does not count, because its code and memory are not in the caches
  /// yet.
  void add(form which, std::uint64_t nanoseconds);
  bool is_enough() const;
  /// Returns the faster form. One kernel is chosen only if the difference is larger than noise.
  form better() const;
  std::uint64_t least(form which) const noexcept;
  std::size_t count(form which) const noexcept { return m_times[index(which)].size(); }

private:
  static std::size_t index(form which) noexcept { return static_cast<std::size_t>(which); }

  std::vector<std::uint64_t> m_times[2];
  bool m_is_warm[2] = {false, false};
};

/// Returns the class of a launch's size. Sizes in one class differ by less than a factor of 1.5.
std::string size_class(std::uint64_t work_items);

/// Returns a choice in the form that the cache keeps. `least` has the least times of both forms.
std::string write_choice(measured_forms::form kept, const std::uint64_t (&least)[2]);
/// Reads a choice. Returns false if the bytes are no choice.
bool read_choice(const std::string& bytes, measured_forms::form& kept, std::uint64_t (&least)[2]);

}  // namespace sinter
