#include "kernel_view.hpp"

namespace sinter {

std::vector<std::uint32_t> missing_aspects(std::uint64_t missing, std::span<const std::uint32_t> present) {
  std::vector<std::uint32_t> result;
  if (missing == 0) return result;
  for (std::uint32_t aspect : present) missing &= ~abi::aspect_bit(aspect);
  for (; missing != 0; missing &= missing - 1) result.push_back(static_cast<std::uint32_t>(__builtin_ctzll(missing)));
  return result;
}

std::string other_targets(std::uint32_t flags, bool is_cpu, bool is_cuda) {
  const bool for_x86 = (flags & abi::kernel_for_x86_64) != 0, for_nvptx = (flags & abi::kernel_for_nvptx64) != 0;
  if ((!for_x86 && !for_nvptx) || (for_x86 && is_cpu) || (for_nvptx && is_cuda)) return {};
  return std::string(for_x86 ? "x86_64" : "") + (for_x86 && for_nvptx ? "," : "") + (for_nvptx ? "nvptx64" : "");
}

std::vector<std::uint32_t> kernel_view::missing_aspects(std::span<const std::uint32_t> present) const {
  return sinter::missing_aspects(m_row ? m_row->required_aspects : 0, present);
}

std::string kernel_view::other_targets(bool is_cpu, bool is_cuda) const {
  return sinter::other_targets(flags(), is_cpu, is_cuda);
}

}  // namespace sinter
