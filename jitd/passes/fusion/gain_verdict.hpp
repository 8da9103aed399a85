#pragma once
/// Whether one kernel is faster than its members alone, as far as an estimate can say.

#include <string>

namespace sinter::passes {

struct gain_verdict {
  /// `slower` and `faster` are certain, `unlikely` and `likely` are to be measured if somebody can.
  enum class kind { slower, unlikely, likely, faster };
  kind is = kind::faster;
  std::string why{};  ///< a sentence for all kinds but `faster`

  bool is_clear() const noexcept { return is == kind::slower || is == kind::faster; }
  /// Where nobody measures.
  bool pays() const noexcept { return is == kind::likely || is == kind::faster; }
};

}  // namespace sinter::passes
