#include "specialized_tiers.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "loader.hpp"

namespace sinter {
namespace {

constexpr const char* any_constants = "any";

struct kernel_variants {
  std::mutex mutex;  // protects all below
  std::set<group_layout> layouts;                                ///< that some code was made for
  std::map<std::string, std::unique_ptr<kernel_tier>> tiers[2];  ///< by description; wide and narrow ids
};

struct variant_table {
  std::mutex mutex;  // protects kernels
  std::map<const abi::kernel_descriptor*, std::unique_ptr<kernel_variants>> kernels;

  static variant_table& instance() {
    static auto* table = new variant_table;
    return *table;
  }

  kernel_variants& of(const abi::kernel_descriptor& kernel) {
    std::lock_guard lock(mutex);
    auto& variants = kernels[&kernel];
    if (!variants) variants = std::make_unique<kernel_variants>();
    return *variants;
  }
};

std::string describe(const abi::specialization_table::entry& entry) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string line = std::to_string(entry.key) + "=";
  for (std::uint64_t at = 0; at < entry.size; ++at) {
    const unsigned char byte = static_cast<const unsigned char*>(entry.value)[at];
    line += digits[byte >> 4];
    line += digits[byte & 15];
  }
  return line;
}

} // namespace

std::string describe(const abi::specialization_table& constants) {
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i < constants.count; ++i) lines.push_back(describe(constants.entries[i]));
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + " ";
  return text;
}

const kernel_tier& acquire_specialized(const abi::kernel_descriptor& kernel, bool narrow_ids,
                                       const group_layout& layout,
                                       const abi::specialization_table& constants, const tier_maker& make) {
  kernel_variants& variants = variant_table::instance().of(kernel);
  std::lock_guard lock(variants.mutex);
  std::vector entries(constants.entries, constants.entries + constants.count);
  auto& layouts = variants.layouts;
  if (!layout.is_any() && (layouts.contains(layout) || layouts.size() < most_group_layouts)) {
    for (const auto& entry : layouts.insert(layout).first->describe()) entries.push_back(entry);
  }
  const abi::specialization_table known_values{static_cast<std::uint32_t>(entries.size()), entries.data()};
  std::string description = describe(known_values);
  auto& tiers = variants.tiers[narrow_ids];
  const abi::specialization_table* folded = &known_values;
  if (!tiers.contains(description) && tiers.size() >= most_specialized) {
    description = any_constants;
    folded = nullptr;
  }
  std::unique_ptr<kernel_tier>& tier = tiers[description];
  if (!tier) tier.reset(make(folded, description));
  return *tier;
}

std::vector<std::unique_ptr<kernel_tier>> take_specialized(const abi::kernel_descriptor& kernel) {
  std::vector<std::unique_ptr<kernel_tier>> taken;
  variant_table& table = variant_table::instance();
  std::lock_guard lock(table.mutex);
  if (auto found = table.kernels.find(&kernel); found != table.kernels.end()) {
    for (auto& tiers : found->second->tiers) {
      for (auto& each : tiers) taken.push_back(std::move(each.second));
    }
    table.kernels.erase(found);
  }
  return taken;
}

} // namespace sinter
