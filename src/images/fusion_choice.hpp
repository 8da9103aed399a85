#pragma once
/// Which form of a list of kernels is faster: one kernel, or its members one by one. Where the JIT's estimate is not
/// clear, launches take both forms in turns until one is found to be faster; it is kept for the process, and in the
/// cache for later ones (results are the same bits in both).

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "measured_forms.hpp"

namespace sinter {

/// Thread-safe.
class fusion_choice {
public:
  using form = measured_forms::form;

  /// `estimate`: of the JIT, for people. `names`: of the kernels.
  fusion_choice(std::string key, std::string names, std::string estimate);

  bool is_kept() const noexcept { return m_kept.load(std::memory_order_acquire) != nothing; }
  bool is_kept(form which) const noexcept {
    return m_kept.load(std::memory_order_acquire) == static_cast<std::uint8_t>(which);
  }
  /// The form that the next launch takes.
  form next();
  /// Such a launch took this long. Reports and stores the choice when there is one.
  void note(form which, std::uint64_t nanoseconds);
  /// A sentence: what was measured, or that it is being measured.
  std::string text() const;

private:
  static constexpr std::uint8_t nothing = 2;
  void load();
  void store() const;
  std::string measured_text() const;

  const std::string m_key, m_names, m_estimate;
  mutable std::mutex m_mutex;  // protects the members below
  measured_forms m_times;
  std::uint64_t m_least[2] = {0, 0};  ///< what the choice rests on
  std::atomic<std::uint8_t> m_kept{nothing};  ///< written under the mutex
};

/// The choice for all lists of this process with this key, which begins with `key_of_fusion`; never destroyed.
fusion_choice& choice_for(const std::string& key, const std::string& names, const std::string& estimate);

}  // namespace sinter
