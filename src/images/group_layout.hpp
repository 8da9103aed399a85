#pragma once
/// The layout of work-groups for which code is made: the local range, the offsets of local accessors in local memory,
/// and the lengths of their rows.

#include <abi/launch_abi.hpp>
#include <abi/planted_error.hpp>
#include <compare>
#include <cstring>
#include <string>
#include <vector>

namespace sinter {

class group_layout {
public:
  group_layout() = default;  ///< matches any layout
  /// Makes the layout for a launch with this argument block. `leaves` describes the block's arguments, including its
  /// local accessors. In two cases, the object matches any layout: `range` is all 0, so that launches with other
  /// accessors can share the code; or there are local accessors but no block, for example when a program asks how many
  /// groups fit.
  template <class Leaves>
  group_layout(const abi::local_range& range, const void* block, const Leaves& leaves) : m_range(range) {
    for (const abi::image_leaf& leaf : leaves) {
      if (leaf.kind != abi::leaf_kind::local_accessor) continue;
      if (!block) {
        m_range = {};
        return;
      }
      if (is_any() && !abi::is_planted("places_of_others")) return;
      m_places.push_back({leaf.offset, leaf.size});
      m_accessors.append(static_cast<const char*>(block) + leaf.offset, leaf.size);
    }
  }

  bool is_any() const noexcept { return m_range == abi::local_range{}; }
  /// Returns whether code for this layout can run a launch with this range and block. Without a block, code fits only
  /// if it does not depend on local accessors.
  bool fits(const abi::local_range& range, const void* block) const noexcept {
    if (m_range != range || (!block && !m_places.empty())) return false;
    const char* bytes = m_accessors.data();
    for (const place& each : m_places) {
      if (std::memcmp(static_cast<const char*>(block) + each.offset, bytes, each.size) != 0) return false;
      bytes += each.size;
    }
    return true;
  }

  /// Returns the layout in the form that the compiler takes, which points to data of this object.
  abi::known_groups known() const noexcept { return {m_range, m_accessors.data(), m_accessors.size()}; }

  friend auto operator<=>(const group_layout& a, const group_layout& b) {
    if (const auto order = a.m_range <=> b.m_range; order != 0) return order;
    return a.m_accessors <=> b.m_accessors;
  }
  friend bool operator==(const group_layout& a, const group_layout& b) { return (a <=> b) == 0; }

private:
  struct place {
    std::uint32_t offset, size;  ///< position of the accessor in the argument block
  };

  abi::local_range m_range{};  ///< all 0 if the object matches any layout
  std::vector<place> m_places;
  std::string m_accessors;  ///< bytes of the accessors, one after the other
};

}  // namespace sinter
