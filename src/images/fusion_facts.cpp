#include "fusion_facts.hpp"

#include <cstring>

namespace sinter {
namespace {

struct fixed_part {
  std::uint32_t range_member, local_member, any_size, promotion_count;
  std::uint64_t local_memory_bytes, saved_bytes, work_items;
  std::uint32_t refused_size, report_size, dependence_count, nothing;
  std::uint64_t numbers_size;
  std::uint64_t global_range[3], local_range[3];
};
static_assert(sizeof(fixed_part) == 112);

/// Groups fill the range; or there is none.
bool is_geometry(const fixed_part& fixed) {
  for (unsigned d = 0; d < 3; ++d) {
    if ((fixed.global_range[d] == 0) != (fixed.global_range[0] == 0)) return false;
    if ((fixed.local_range[d] == 0) != (fixed.global_range[0] == 0)) return false;
    if (fixed.local_range[d] != 0 && fixed.global_range[d] % fixed.local_range[d] != 0) return false;
  }
  return true;
}

}  // namespace

std::string write_fusion_facts(const fusion_facts& facts) {
  const fixed_part fixed{facts.range_member,
                         facts.local_member,
                         facts.any_size ? 1u : 0u,
                         static_cast<std::uint32_t>(facts.promotions.size()),
                         facts.local_memory_bytes,
                         facts.saved_bytes,
                         facts.work_items,
                         static_cast<std::uint32_t>(facts.refused.size()),
                         static_cast<std::uint32_t>(facts.report.size()),
                         static_cast<std::uint32_t>(facts.depends_on.size()),
                         0,
                         facts.numbers.size(),
                         {facts.global_range[0], facts.global_range[1], facts.global_range[2]},
                         {facts.local_range[0], facts.local_range[1], facts.local_range[2]}};
  std::string bytes(reinterpret_cast<const char*>(&fixed), sizeof(fixed));
  bytes.append(facts.refused).append(facts.report);
  bytes.append(reinterpret_cast<const char*>(facts.depends_on.data()),
               facts.depends_on.size() * sizeof(abi::fusion_dependence));
  bytes.append(reinterpret_cast<const char*>(facts.promotions.data()),
               facts.promotions.size() * sizeof(abi::fusion_promotion));
  return bytes.append(facts.numbers);
}

bool read_fusion_facts(std::string_view bytes, std::size_t members, fusion_facts& facts) {
  fixed_part fixed;
  if (bytes.size() < sizeof(fixed)) return false;
  std::memcpy(&fixed, bytes.data(), sizeof(fixed));
  bytes.remove_prefix(sizeof(fixed));
  const std::uint64_t places = std::uint64_t{fixed.dependence_count} * sizeof(abi::fusion_dependence);
  const std::uint64_t promoted = std::uint64_t{fixed.promotion_count} * sizeof(abi::fusion_promotion);
  const std::uint64_t texts = std::uint64_t{fixed.refused_size} + fixed.report_size;
  if (fixed.numbers_size > bytes.size() || texts + places + promoted + fixed.numbers_size != bytes.size()) {
    return false;
  }
  if (!is_geometry(fixed) || fixed.nothing != 0) return false;
  if (fixed.range_member >= members || fixed.local_member >= members || fixed.any_size > 1) return false;
  const auto take = [&](std::size_t size) {
    const std::string_view part = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return part;
  };
  facts.refused = take(fixed.refused_size);
  facts.report = take(fixed.report_size);
  const auto take_list = [&](auto& list, std::size_t count) {
    list.resize(count);
    const std::string_view part = take(count * sizeof(list[0]));
    if (!part.empty()) std::memcpy(list.data(), part.data(), part.size());
  };
  take_list(facts.depends_on, fixed.dependence_count);
  take_list(facts.promotions, fixed.promotion_count);
  facts.numbers = take(fixed.numbers_size);
  for (const abi::fusion_dependence& place : facts.depends_on) {
    if (place.member >= members) return false;
  }
  for (const abi::fusion_promotion& each : facts.promotions) {
    const bool is_known = each.to == static_cast<std::uint32_t>(abi::promotion::private_memory) ||
                          each.to == static_cast<std::uint32_t>(abi::promotion::local_memory);
    if (each.member >= members || !is_known) return false;
  }
  facts.take_numbers_of(fixed);
  facts.work_items = fixed.work_items;
  return true;
}

}  // namespace sinter
