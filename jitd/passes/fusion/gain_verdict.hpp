#pragma once
/// An estimate of whether the fused kernel is faster than its members one by one.

#include <string>

namespace sinter::passes {

struct gain_verdict {
  /// The kinds `slower` and `faster` are certain. For `unlikely` and `likely`, callers should measure if they can.
  enum class kind { slower, unlikely, likely, faster };
  kind is = kind::faster;
  std::string why{};  ///< a sentence with the reason; empty if the kind is `faster`

  bool is_clear() const noexcept { return is == kind::slower || is == kind::faster; }
  /// Decides for callers that do not measure.
  bool pays() const noexcept { return is == kind::likely || is == kind::faster; }
};

}  // namespace sinter::passes
