#include "fusion_facts.hpp"

#include <abi/fusion_parts.hpp>
#include <cstring>

namespace sinter {
namespace {

struct fixed_part {
  std::uint32_t range_member, local_member, any_size, promotion_count;
  std::uint64_t local_memory_bytes, saved_bytes, work_items;
  std::uint32_t refused_size, code_size, dependence_count, statement_count;
  std::uint64_t numbers_size;
  std::uint64_t global_range[3], local_range[3];
};
static_assert(sizeof(fixed_part) == 112);

/// Returns whether the facts contain a range that the groups fill exactly, or no range at all.
bool is_geometry(const fixed_part& fixed) {
  for (unsigned d = 0; d < 3; ++d) {
    if ((fixed.global_range[d] == 0) != (fixed.global_range[0] == 0)) return false;
    if ((fixed.local_range[d] == 0) != (fixed.global_range[0] == 0)) return false;
    if (fixed.local_range[d] != 0 && fixed.global_range[d] % fixed.local_range[d] != 0) return false;
  }
  return true;
}

void append_number(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void append_text(std::string& bytes, std::string_view text) {
  append_number(bytes, text.size());
  bytes.append(text);
}

/// Reads numbers, texts and lists one after the other from bytes that may be damaged.
class part_reader {
public:
  explicit part_reader(std::string_view bytes) : m_rest(bytes) {}

  std::string_view take(std::uint64_t size) {
    m_failed |= size > m_rest.size();
    if (m_failed) return {};
    const std::string_view part = m_rest.substr(0, size);
    m_rest.remove_prefix(size);
    return part;
  }
  std::uint64_t take_number() {
    std::uint64_t number = 0;
    const std::string_view part = take(sizeof(number));
    if (!m_failed) std::memcpy(&number, part.data(), sizeof(number));
    return number;
  }
  std::string take_text() { return std::string(take(take_number())); }
  template <class Element>
  void take_list(std::vector<Element>& list, std::uint32_t count) {
    const std::string_view part = take(std::uint64_t{count} * sizeof(Element));
    if (m_failed) return;
    list.resize(count);
    if (!part.empty()) std::memcpy(list.data(), part.data(), part.size());
  }
  report_statement take_statement() {
    report_statement statement{take_text(), take_text()};
    for (std::uint64_t left = take_number(); left != 0 && !m_failed; --left) {
      std::string name = take_text();
      statement.values.push_back({std::move(name), take_number()});
    }
    return statement;
  }

  bool failed() const { return m_failed; }
  bool is_at_end() const { return m_rest.empty(); }

private:
  std::string_view m_rest;
  bool m_failed = false;
};

}  // namespace

std::vector<std::uint32_t> fusion_facts::parts(std::size_t members) const {
  std::vector<std::uint32_t> firsts;
  for (const report_statement& each : statements) {
    if (refused.empty() || each.topic != abi::part_topic || each.values.size() != 1) continue;
    const auto* first = std::get_if<std::uint64_t>(&each.values.front().value);
    // The bytes may be damaged, so each number has to be larger than the previous one.
    const std::uint64_t least = firsts.empty() ? 0 : firsts.back() + 1;
    if (!first || *first >= members || *first < least || (firsts.empty() && *first != 0)) return {};
    firsts.push_back(static_cast<std::uint32_t>(*first));
  }
  if (firsts.size() < 2 || firsts.size() == members) return {};
  return firsts;
}

std::string write_fusion_facts(const fusion_facts& facts) {
  const fixed_part fixed{facts.range_member,
                         facts.local_member,
                         facts.any_size ? 1u : 0u,
                         static_cast<std::uint32_t>(facts.promotions.size()),
                         facts.local_memory_bytes,
                         facts.saved_bytes,
                         facts.work_items,
                         static_cast<std::uint32_t>(facts.refused.size()),
                         static_cast<std::uint32_t>(facts.code.size()),
                         static_cast<std::uint32_t>(facts.depends_on.size()),
                         static_cast<std::uint32_t>(facts.statements.size()),
                         facts.numbers.size(),
                         {facts.global_range[0], facts.global_range[1], facts.global_range[2]},
                         {facts.local_range[0], facts.local_range[1], facts.local_range[2]}};
  std::string bytes(reinterpret_cast<const char*>(&fixed), sizeof(fixed));
  bytes.append(facts.refused).append(facts.code);
  bytes.append(reinterpret_cast<const char*>(facts.depends_on.data()),
               facts.depends_on.size() * sizeof(abi::fusion_dependence));
  bytes.append(reinterpret_cast<const char*>(facts.promotions.data()),
               facts.promotions.size() * sizeof(abi::fusion_promotion));
  bytes.append(facts.numbers);
  for (const report_statement& each : facts.statements) {
    append_text(bytes, each.topic);
    append_text(bytes, each.text);
    append_number(bytes, each.values.size());
    for (const report_value& value : each.values) {
      append_text(bytes, value.name);
      append_number(bytes, std::get<std::uint64_t>(value.value));
    }
  }
  return bytes;
}

bool read_fusion_facts(std::string_view bytes, std::size_t members, fusion_facts& facts) {
  fixed_part fixed;
  if (bytes.size() < sizeof(fixed)) return false;
  std::memcpy(&fixed, bytes.data(), sizeof(fixed));
  if (!is_geometry(fixed)) return false;
  if (fixed.range_member >= members || fixed.local_member >= members || fixed.any_size > 1) return false;
  part_reader rest(bytes.substr(sizeof(fixed)));
  facts.refused = rest.take(fixed.refused_size);
  facts.code = rest.take(fixed.code_size);
  rest.take_list(facts.depends_on, fixed.dependence_count);
  rest.take_list(facts.promotions, fixed.promotion_count);
  facts.numbers = rest.take(fixed.numbers_size);
  for (std::uint32_t i = 0; i < fixed.statement_count && !rest.failed(); ++i) {
    facts.statements.push_back(rest.take_statement());
  }
  if (rest.failed() || !rest.is_at_end()) return false;
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
