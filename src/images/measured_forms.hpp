#pragma once
/// Decides which of the two forms of a fusion list is faster. This class only compares times that others have measured.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter {

/// Contains the times of both forms in nanoseconds, and makes the decision.
class measured_forms {
public:
  enum class form : std::uint8_t { joined, apart };

  /// Returns the form that has had fewer launches so far.
  form next() const noexcept;
  /// Adds the time of a launch. The first launch of each form does not count, because its code and memory are not in
  /// the caches yet.
  void add(form which, std::uint64_t nanoseconds);
  bool is_enough() const;
  /// Returns the form that is faster. The fused kernel is chosen only if its time is shorter by more than the noise of
  /// the measurements.
  form better() const;
  std::uint64_t least(form which) const noexcept;
  std::size_t count(form which) const noexcept { return m_times[index(which)].size(); }

private:
  static std::size_t index(form which) noexcept { return static_cast<std::size_t>(which); }

  std::vector<std::uint64_t> m_times[2];
  bool m_is_warm[2] = {false, false};
};

/// Returns the class of a launch with this number of work-items. The sizes in one class differ by a factor of less than
/// 1.5.
std::string size_class(std::uint64_t work_items);

/// Returns the choice as text, in the format in which the cache stores it. `least` contains the shortest times of both
/// forms.
std::string write_choice(measured_forms::form kept, const std::uint64_t (&least)[2]);
/// Reads a choice from the cache's text. Returns false if the bytes are not a choice.
bool read_choice(const std::string& bytes, measured_forms::form& kept, std::uint64_t (&least)[2]);

}  // namespace sinter
