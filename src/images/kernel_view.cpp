#include "kernel_view.hpp"

#include <abi/device_targets.hpp>

namespace sinter {

std::vector<std::uint32_t> missing_aspects(const abi::aspect_set& required, std::span<const std::uint32_t> present) {
  std::vector<std::uint32_t> result;
  if (!required) return result;
  abi::aspect_set missing = required;
  // All aspects beyond the limit share one bit. This bit does not tell which of these aspects is required.
  for (std::uint32_t aspect : present) {
    if (aspect < abi::aspect_limit) missing = missing & ~abi::aspect_bit(aspect);
  }
  abi::for_each_aspect(missing, [&](std::uint32_t aspect) { result.push_back(aspect); });
  return result;
}

std::string other_targets(std::uint32_t flags, std::uint32_t its) {
  std::string names;
  if ((flags & abi::kernel_fixed_targets) == 0 || (flags & its) != 0) return names;
  for (const abi::known_target& each : abi::known_targets) {
    if ((flags & each.flag) != 0) names += (names.empty() ? "" : ",") + std::string(each.name);
  }
  return names;
}

std::vector<std::uint32_t> kernel_view::missing_aspects(std::span<const std::uint32_t> present) const {
  return sinter::missing_aspects(m_row ? m_row->required_aspects : abi::aspect_set{}, present);
}

}  // namespace sinter
