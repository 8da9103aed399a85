#pragma once
/// Finds out which form of a list of kernels is faster: one kernel, or its members one by one. If the JIT's estimate is
/// not clear, launches use the two forms in turns until one is found to be faster. The choice is kept for the process,
/// and in the cache for later processes. Results have the same bits in both forms.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "measured_forms.hpp"

namespace sinter {

/// The choice for one list. The class is thread-safe.
class fusion_choice {
public:
  using form = measured_forms::form;

  /// `estimate` is the JIT's estimate in words, and `names` has the names of the kernels.
  fusion_choice(std::string key, std::string names, std::string estimate);

  bool is_kept() const noexcept { return m_kept.load(std::memory_order_acquire) != nothing; }
  bool is_kept(form which) const noexcept {
    return m_kept.load(std::memory_order_acquire) == static_cast<std::uint8_t>(which);
  }
  /// Returns the form for the next launch.
  form next();
  /// Notes the time of a launch in one form. Reports and stores the choice as soon as it is clear.
  void note(form which, std::uint64_t nanoseconds);
  /// Returns a sentence about the measured times, or one that says that measuring goes on.
  std::string text() const;

private:
  static constexpr std::uint8_t nothing = 2;
  void load();
  void store() const;
  std::string measured_text() const;

  const std::string m_key, m_names, m_estimate;
  mutable std::mutex m_mutex;  // protects the members below
  measured_forms m_times;
  std::uint64_t m_least[2] = {0, 0};  ///< least times of the two forms, which are the reason of the choice
  std::atomic<std::uint8_t> m_kept{nothing};  ///< written under the mutex
};

/// Returns the choice for all lists of this process with this key, which begins with `key_of_fusion`. It is never
/// destroyed.
fusion_choice& choice_for(const std::string& key, const std::string& names, const std::string& estimate);

}  // namespace sinter
