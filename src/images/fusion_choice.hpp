#pragma once
/// Determines which form of a fusion list is faster: the fused kernel, or its members one by one. If the JIT's estimate
/// is not clear, some launches use one form and other launches use the other form, until one form has proved to be
/// faster. Afterwards, this process uses the faster form, and the cache stores the choice for later processes. The
/// results are bitwise equal in both forms.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "measured_forms.hpp"

namespace sinter {

/// The choice between the two forms of one list. Several threads may use one object of this class at the same time.
class fusion_choice {
public:
  using form = measured_forms::form;

  /// `estimate` describes the JIT's estimate in words, and `names` contains the names of the kernels.
  fusion_choice(std::string key, std::string names, std::string estimate);

  bool is_kept() const noexcept { return m_kept.load(std::memory_order_acquire) != nothing; }
  bool is_kept(form which) const noexcept {
    return m_kept.load(std::memory_order_acquire) == static_cast<std::uint8_t>(which);
  }
  /// Returns the form that the next launch should use.
  form next();
  /// Records how long a launch in one form took. Reports and stores the choice when one form has proved to be
  /// faster.
  void note(form which, std::uint64_t nanoseconds);
  /// Returns a sentence about the measured times, or a sentence that says that launches are still measured.
  std::string text() const;

private:
  static constexpr std::uint8_t nothing = 2;
  void load();
  void store() const;
  std::string measured_text() const;

  const std::string m_key, m_names, m_estimate;
  mutable std::mutex m_mutex;  // protects the members below
  measured_forms m_times;
  std::uint64_t m_least[2] = {0, 0};  ///< shortest measured times of the two forms
  std::atomic<std::uint8_t> m_kept{nothing};  ///< written only while the mutex is held
};

/// Returns the choice that all fusion lists with this key share in this process. The key begins with the text of
/// `key_of_fusion`. The object is never destroyed.
fusion_choice& choice_for(const std::string& key, const std::string& names, const std::string& estimate);

}  // namespace sinter
