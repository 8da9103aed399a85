#include "fusion_decision.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace sinter::passes {
namespace {

using wide = __int128;

// Nodes the search may visit before it says unknown.
constexpr unsigned search_budget = 4096;

wide absolute(wide value) { return value < 0 ? -value : value; }
wide floor_div(wide a, wide b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }
wide ceil_div(wide a, wide b) { return -floor_div(-a, b); }

/// One digit of a pair of work-items.
struct digit {
  wide coefficient;
  wide least, most;
};

/// Finds values of the digits with low <= constant + sum of products <= high that `accept` takes, largest coefficient first.
template <class Accept>
class digit_search {
public:
  digit_search(std::vector<digit> digits, Accept accept) : m_digits(std::move(digits)), m_accept(accept), m_values(m_digits.size()) {
    m_order.resize(m_digits.size());
    for (std::size_t i = 0; i < m_order.size(); ++i) m_order[i] = i;
    std::sort(m_order.begin(), m_order.end(), [&](std::size_t a, std::size_t b) {
      const wide one = absolute(m_digits[a].coefficient), other = absolute(m_digits[b].coefficient);
      return one != other ? one > other : a < b;
    });
    m_rest.resize(m_digits.size() + 1, {0, 0});
    for (std::size_t i = m_digits.size(); i-- > 0;) {
      const digit& d = m_digits[m_order[i]];
      m_rest[i] = {m_rest[i + 1].first + std::min(d.coefficient * d.least, d.coefficient * d.most),
                   m_rest[i + 1].second + std::max(d.coefficient * d.least, d.coefficient * d.most)};
    }
  }

  /// proved: there is none; disproved: there is one, in values(); unknown: the budget ran out.
  verdict run(wide low, wide high) {
    m_left = search_budget;
    if (find(0, low, high)) return verdict::disproved;
    return m_left == 0 ? verdict::unknown : verdict::proved;
  }
  const std::vector<wide>& values() const { return m_values; }

private:
  bool find(std::size_t depth, wide low, wide high) {
    if (m_left == 0) return false;
    --m_left;
    if (low > m_rest[depth].second || high < m_rest[depth].first) return false;
    if (depth == m_order.size()) return low <= 0 && 0 <= high && m_accept(m_values);
    const digit& d = m_digits[m_order[depth]];
    wide first = d.least, last = d.most;
    if (d.coefficient != 0) {
      // What the remaining digits can't make up for is out of the question.
      wide from = low - m_rest[depth + 1].second, to = high - m_rest[depth + 1].first;
      if (d.coefficient < 0) std::swap(from, to);
      first = std::max(first, ceil_div(from, d.coefficient));
      last = std::min(last, floor_div(to, d.coefficient));
    } else if (last - first > 2) {
      // Any value does: nought, and one that is not.
      m_values[m_order[depth]] = first <= 0 && 0 <= last ? 0 : first;
      if (find(depth + 1, low, high)) return true;
      m_values[m_order[depth]] = last != 0 ? last : first;
      return find(depth + 1, low, high);
    }
    for (wide value = first; value <= last && m_left != 0; ++value) {
      m_values[m_order[depth]] = value;
      if (find(depth + 1, low - d.coefficient * value, high - d.coefficient * value)) return true;
    }
    return false;
  }

  std::vector<digit> m_digits;
  Accept m_accept;
  std::vector<wide> m_values;
  std::vector<std::size_t> m_order;
  std::vector<std::pair<wide, wide>> m_rest;
  unsigned m_left = 0;
};

bool has_groups(const fusion_range& range) { return range.local[0] != 0; }

/// A form over independent digits: positions [0, count) of the global range, or of group and local range.
struct digit_form {
  wide constant = 0;
  wide coefficients[6] = {};  // 0-2: global position or group, 3-5: local
};

wide count_of(const fusion_range& range, unsigned index) {
  if (index < 3) return has_groups(range) ? static_cast<wide>(range.global[index] / range.local[index]) : static_cast<wide>(range.global[index]);
  return has_groups(range) ? static_cast<wide>(range.local[index - 3]) : 1;
}

digit_form digits_of(const fusion_range& range, const affine_form& form, std::int64_t base) {
  digit_form result;
  result.constant = static_cast<wide>(form.constant) + base;
  for (unsigned d = 0; d < 3; ++d) {
    const wide global = form.coefficients[variable_global + d];
    result.constant += global * static_cast<wide>(range.offset[d]);
    result.coefficients[d] += has_groups(range) ? global * static_cast<wide>(range.local[d]) : global;
    result.coefficients[3 + d] += has_groups(range) ? global : 0;
    result.coefficients[d] += form.coefficients[variable_group + d];
    result.coefficients[3 + d] += form.coefficients[variable_local + d];
  }
  return result;
}

std::uint64_t linear_id(const fusion_range& range, const wide (&digits)[6]) {
  wide result = 0;
  for (unsigned d = 0; d < 3; ++d) {
    const wide at = has_groups(range) ? digits[d] * static_cast<wide>(range.local[d]) + digits[3 + d] : digits[d];
    result = result * static_cast<wide>(range.global[d]) + at;
  }
  return static_cast<std::uint64_t>(result);
}

/// The search both forms of a conflict share. `differs` tells, for digits [from, to), whether two work-items are meant;
/// `place` gives the digits of both.
template <class Differs, class Place>
conflict search_conflict(const fusion_range& range, const std::vector<digit>& digits, wide low, wide high, Differs differs,
                         Place place) {
  conflict result;
  auto report = [&](const std::vector<wide>& values) {
    wide x[6], y[6];
    for (unsigned i = 0; i < 6; ++i) place(values, i, x[i], y[i]);
    result.item = linear_id(range, x);
    result.other = linear_id(range, y);
  };
  digit_search items(digits, [&](const std::vector<wide>& values) { return differs(values, 6); });
  result.free = items.run(low, high);
  if (result.free == verdict::disproved) report(items.values());
  if (!has_groups(range)) {
    result.within_group = result.free;
    return result;
  }
  // The first three digits are the group's.
  digit_search groups(digits, [&](const std::vector<wide>& values) { return differs(values, 3); });
  result.within_group = groups.run(low, high);
  if (result.within_group == verdict::disproved) {
    result.free = verdict::disproved;
    report(groups.values());
  }
  return result;
}

/// Both accesses move alike: only differences of digits matter.
conflict equal_coefficients(const fusion_range& range, const digit_form& a, wide bytes_a, const digit_form& b, wide bytes_b) {
  std::vector<digit> digits;
  for (unsigned i = 0; i < 6; ++i) {
    const wide most = count_of(range, i) - 1;
    digits.push_back({a.coefficients[i], -most, most});
  }
  const wide delta = a.constant - b.constant;
  return search_conflict(
      range, digits, -bytes_a + 1 - delta, bytes_b - 1 - delta,
      [](const std::vector<wide>& values, unsigned count) {
        return std::any_of(values.begin(), values.begin() + count, [](wide v) { return v != 0; });
      },
      [](const std::vector<wide>& values, unsigned i, wide& x, wide& y) {
        // x - y = value, both inside the box.
        x = std::max<wide>(0, values[i]);
        y = x - values[i];
      });
}

conflict different_coefficients(const fusion_range& range, const digit_form& a, wide bytes_a, const digit_form& b, wide bytes_b) {
  std::vector<digit> digits;
  for (unsigned i = 0; i < 6; ++i) digits.push_back({a.coefficients[i], 0, count_of(range, i) - 1});
  for (unsigned i = 0; i < 6; ++i) digits.push_back({-b.coefficients[i], 0, count_of(range, i) - 1});
  const wide delta = a.constant - b.constant;
  return search_conflict(
      range, digits, -bytes_a + 1 - delta, bytes_b - 1 - delta,
      [](const std::vector<wide>& values, unsigned count) {
        return !std::equal(values.begin(), values.begin() + count, values.begin() + 6);
      },
      [](const std::vector<wide>& values, unsigned i, wide& x, wide& y) {
        x = values[i];
        y = values[6 + i];
      });
}

verdict worse(verdict a, verdict b) { return std::max(a, b); }

bool same_range(const fusion_range& a, const fusion_range& b) {
  return std::equal(a.global, a.global + 3, b.global) && std::equal(a.local, a.local + 3, b.local) &&
         std::equal(a.offset, a.offset + 3, b.offset);
}

std::uint64_t size_of(const fusion_range& range) { return range.global[0] * range.global[1] * range.global[2]; }

class decider {
public:
  explicit decider(const decision_request& request) : m_request(request) {
    for (const fusion_pointer& pointer : request.pointers) {
      m_pointers[{pointer.argument.member, pointer.argument.offset}] = &pointer;
    }
  }

  fusion_decision run() {
    check_ranges();
    if (!m_result.refused.empty()) return std::move(m_result);
    check_members();
    if (!m_result.refused.empty()) return std::move(m_result);
    make_sets();
    promote();
    return std::move(m_result);
  }

private:
  // ------------------------------------------------------------------------------------------------- ranges

  /// Seed 000, "Restrictions".
  void check_ranges() {
    const fusion_range& fused = m_request.range;
    const std::uint64_t* local = nullptr;
    for (const fusion_member& member : m_request.members) {
      if (!has_groups(member.range)) continue;
      if (local && !std::equal(local, local + 3, member.range.local)) {
        m_result.refused = "Cannot fuse kernels with different local sizes";
        return;
      }
      local = member.range.local;
    }
    bool heterogeneous = false;
    for (const fusion_member& member : m_request.members) {
      if (!std::equal(member.range.offset, member.range.offset + 3, fused.offset)) {
        m_result.refused = "Cannot fuse kernels with different offsets or local sizes";
        return;
      }
      const bool differs = member.range.dimensions != fused.dimensions ||
                           !std::equal(member.range.global, member.range.global + 3, fused.global);
      heterogeneous |= differs;
      if (differs && has_groups(fused) &&
          (member.range.dimensions != fused.dimensions || member.range.global[1] != fused.global[1] ||
           member.range.global[2] != fused.global[2]) &&
          !(fused.global[0] == 1 && fused.global[1] == 1 && member.range.global[0] == 1 && member.range.global[1] == 1)) {
        m_result.refused = has_groups(member.range)
                               ? "Cannot fuse kernels when any of the fused kernels with a specific local size has different "
                                 "global sizes in dimensions [2, N) or different number of dimensions"
                               : "Cannot fuse kernels whose fusion would yield non-uniform work-group sizes";
        return;
      }
    }
    if (!local) return;
    for (unsigned d = 0; d < 3; ++d) {
      if (fused.global[d] % local[d] != 0) m_result.refused = "Cannot fuse kernels whose fusion would yield non-uniform work-group sizes";
    }
    if (heterogeneous && (fused.offset[0] | fused.offset[1] | fused.offset[2]) != 0) {
      m_result.refused = "Cannot fuse kernels with different offsets or local sizes";
    }
  }

  // ------------------------------------------------------------------------------------------------- members

  const fusion_pointer* pointer_of(unsigned member, const memory_access& access) const {
    if (access.leaf == no_leaf) return nullptr;
    auto known = m_pointers.find({member, access.leaf});
    return known == m_pointers.end() || known->second->space == 0 ? nullptr : known->second;
  }

  static bool harmless(const memory_access& a, const memory_access& b) {
    if (a.kind == access_kind::read && b.kind == access_kind::read) return true;
    const bool updates = a.kind == access_kind::update && b.kind == access_kind::update;
    return updates && a.commutes != 0 && a.commutes == b.commutes && a.bytes == b.bytes;
  }

  conflict relate(unsigned p, const memory_access& a, unsigned k, const memory_access& b) const {
    const fusion_pointer* to_a = pointer_of(p, a);
    const fusion_pointer* to_b = pointer_of(k, b);
    if (to_a && to_b && to_a->space != to_b->space) return {};
    if (!to_a || !to_b || !a.known || !b.known ||
        !same_range(m_request.members[p].range, m_request.members[k].range)) {
      return {verdict::unknown, verdict::unknown, 0, 0};
    }
    conflict result = find_conflict(m_request.members[p].range, a, to_a->base, b, to_b->base);
    if (!a.certain || !b.certain) {
      if (result.free == verdict::disproved) result.free = verdict::unknown;
      if (result.within_group == verdict::disproved) result.within_group = verdict::unknown;
    }
    return result;
  }

  std::string describe(unsigned member, const memory_access& access) const {
    const fusion_pointer* pointer = pointer_of(member, access);
    std::string text = pointer ? pointer->name : "memory";
    if (!access.where.empty()) text += " (" + access.where + ")";
    return text;
  }

  /// A promise is no proof: where only proof counts, it changes nothing.
  bool promised_away() const { return m_request.no_barriers && !m_request.only_proved; }

  /// Every pair of members, and with it every cut between them.
  void check_members() {
    struct pair {
      unsigned first, second;
      bool needed;  ///< work-items of one group certainly exchange data
    };
    std::vector<pair> group_pairs;
    const bool groups = has_groups(m_request.range);
    for (unsigned k = 1; k < m_request.members.size(); ++k) {
      for (unsigned p = 0; p < k; ++p) {
        verdict free = verdict::proved, within = verdict::proved;
        bool exchanged = false;
        std::string reason;
        if (!m_request.members[p].accesses.unknown_effect.empty()) reason = m_request.members[p].accesses.unknown_effect;
        if (!m_request.members[k].accesses.unknown_effect.empty()) reason = m_request.members[k].accesses.unknown_effect;
        if (!reason.empty()) free = within = verdict::unknown;
        for (const memory_access& a : m_request.members[p].accesses.accesses) {
          for (const memory_access& b : m_request.members[k].accesses.accesses) {
            if (harmless(a, b)) continue;
            const conflict found = relate(p, a, k, b);
            if (found.free == verdict::proved) continue;
            const bool refuses = groups ? found.within_group == verdict::disproved : found.free == verdict::disproved;
            if (refuses) {
              m_result.refused = "'" + m_request.members[k].name + "' " + (b.kind == access_kind::read ? "reads " : "writes ") +
                                 describe(k, b) + " where another work-" + (groups ? "group" : "item") + " of '" +
                                 m_request.members[p].name + "' " + (a.kind == access_kind::read ? "reads" : "writes") +
                                 " it" + (a.where.empty() ? "" : " (" + a.where + ")") + ": work-item " +
                                 std::to_string(found.other) + " needs what work-item " + std::to_string(found.item) +
                                 " did; end the fusion before '" + m_request.members[k].name + "'";
              m_result.legality = verdict::disproved;
              return;
            }
            if (reason.empty()) reason = describe(p, a) + " in '" + m_request.members[p].name + "' and " + describe(k, b) + " in '" + m_request.members[k].name + "'";
            free = worse(free, found.free == verdict::disproved ? verdict::disproved : verdict::unknown);
            within = worse(within, found.within_group);
            exchanged |= found.free == verdict::disproved && found.within_group == verdict::proved;
          }
        }
        if (free == verdict::proved) continue;
        // Without the barrier, what may happen between work-items of a group isn't proved either.
        const bool parted = groups && within == verdict::proved && (exchanged || !promised_away());
        if (!parted) {
          m_result.legality = worse(m_result.legality, verdict::unknown);
          m_result.notes.push_back("not proved  " + reason + ": different work-" +
                                   (groups && within != verdict::proved ? "groups" : "items") +
                                   " may depend on each other" +
                                   (m_request.only_proved ? "" : "; trusted, for the fusion was asked for"));
        }
        if (groups) group_pairs.push_back({p, k, exchanged});
      }
    }
    if (m_request.only_proved && m_result.legality != verdict::proved) {
      m_result.refused = "not proved to be equal to the unfused kernels";
      return;
    }
    if (!groups) return;
    // Fewest cuts that part every pair: the latest cut that serves the pair which ends first.
    std::size_t left_out = 0;
    for (const pair& each : group_pairs) {
      if (promised_away() && !each.needed) {
        ++left_out;
        continue;
      }
      if (promised_away()) {
        m_result.notes.push_back("kept        the barrier before '" + m_request.members[each.second].name +
                                 "', in spite of no_barriers: work-items of a group exchange data there");
      }
      const bool served = std::any_of(m_result.barriers.begin(), m_result.barriers.end(),
                                      [&](unsigned cut) { return cut > each.first && cut <= each.second; });
      if (!served) m_result.barriers.push_back(each.second);
    }
    const std::size_t standard = m_request.members.size() - 1;
    m_result.notes.push_back("barriers    " + std::to_string(m_result.barriers.size()) + " of " + std::to_string(standard) +
                             " kept" + (left_out ? ", " + std::to_string(left_out) + " left out as promised" : ""));
  }

  // ------------------------------------------------------------------------------------------------- promotion

  /// Pointers to one place of one space are one argument.
  void make_sets() {
    std::map<std::pair<unsigned, std::int64_t>, std::size_t> known;
    for (const fusion_pointer& pointer : m_request.pointers) {
      if (pointer.space != 0) {
        auto [at, inserted] = known.insert({{pointer.space, pointer.base}, m_result.sets.size()});
        if (!inserted) {
          m_result.sets[at->second].arguments.push_back(pointer.argument);
          continue;
        }
      }
      m_result.sets.push_back({{pointer.argument}});
    }
  }

  void promote() {
    for (identical_set& set : m_result.sets) {
      const fusion_pointer& first = *m_pointers.at({set.arguments[0].member, set.arguments[0].offset});
      if (first.space == 0) continue;
      promotion wanted = promotion::private_memory;
      bool requested = false, unobservable = true;
      for (const fusion_argument& argument : set.arguments) {
        const fusion_pointer& pointer = *m_pointers.at({argument.member, argument.offset});
        unobservable &= pointer.unobservable || pointer.requested != promotion::none;
        if (pointer.requested != promotion::none) requested = true, wanted = pointer.requested;
      }
      if (!unobservable) continue;
      const bool alone = std::none_of(m_request.pointers.begin(), m_request.pointers.end(), [&](const fusion_pointer& other) {
        return other.space == first.space && other.base != first.base;
      });
      if (!alone) {
        if (requested) m_result.notes.push_back("in memory   " + first.name + ": other arguments reach parts of it");
        continue;
      }
      promote_set(set, first, wanted, requested);
    }
  }

  struct placed_access {
    unsigned member;
    const memory_access* access;
  };

  void promote_set(identical_set& set, const fusion_pointer& first, promotion wanted, bool requested) {
    std::vector<placed_access> accesses;
    bool stray = false;
    for (unsigned m = 0; m < m_request.members.size(); ++m) {
      for (const memory_access& access : m_request.members[m].accesses.accesses) {
        const fusion_pointer* pointer = pointer_of(m, access);
        if (!pointer) stray |= true;
        if (pointer && pointer->space == first.space) accesses.push_back({m, &access});
      }
      stray |= !m_request.members[m].accesses.unknown_effect.empty();
    }
    if (accesses.empty() && !stray) return;
    std::string why;
    std::uint64_t stride = 0;
    verdict answer = stray ? verdict::unknown : private_verdict(accesses, stride, why);
    if (stray) why = "memory of unknown origin is used";
    if (answer == verdict::proved) {
      set.promoted = promotion::private_memory;
      set.elements = 1;
      set.element_bytes = stride;
      note_promoted(set, first, accesses, requested ? "promised and proved" : "nobody refers to it any more, proved");
      return;
    }
    if (!requested) {
      m_result.notes.push_back("in memory   " + first.name + ": " + why);
      return;
    }
    if (answer == verdict::disproved || m_request.only_proved) {
      m_result.notes.push_back("in memory   " + first.name + " in spite of the promotion: " + why);
      return;
    }
    honour(set, first, wanted, accesses, why);
  }

  /// The user's promise, with the sizes of seed 000.
  void honour(identical_set& set, const fusion_pointer& first, promotion wanted, const std::vector<placed_access>& accesses,
              const std::string& why) {
    std::uint64_t elements = 0;
    // All members that have the pointer: a function may use it where no access is seen.
    for (const fusion_argument& argument : set.arguments) {
      const fusion_range& range = m_request.members[argument.member].range;
      std::uint64_t parts = size_of(range);
      if (wanted == promotion::local_memory) {
        if (!has_groups(range)) {
          m_result.notes.push_back("in memory   " + first.name + ": Work-group size for local promotion not specified, not performing internalization");
          return;
        }
        parts /= range.local[0] * range.local[1] * range.local[2];
      }
      if (parts == 0 || first.elements % parts != 0 || (elements != 0 && elements != first.elements / parts)) {
        m_result.notes.push_back("in memory   " + first.name + ": its elements do not divide among the work-items of every kernel");
        return;
      }
      elements = first.elements / parts;
    }
    if (elements == 0 || first.element_bytes == 0 || elements * first.element_bytes > (1u << 16)) {
      m_result.notes.push_back("in memory   " + first.name + ": too large to promote");
      return;
    }
    set.promoted = wanted;
    set.elements = elements;
    set.element_bytes = first.element_bytes;
    note_promoted(set, first, accesses, "promised, not proved: " + why);
  }

  void note_promoted(const identical_set& set, const fusion_pointer& first, const std::vector<placed_access>& accesses,
                     const std::string& basis) {
    std::uint64_t saved = 0;
    for (const placed_access& each : accesses) saved += each.access->bytes * size_of(m_request.members[each.member].range);
    m_result.saved_bytes += saved;
    m_result.notes.push_back("promoted    " + first.name + " to " +
                             (set.promoted == promotion::local_memory ? "local" : "private") + " memory, " +
                             std::to_string(set.elements * set.element_bytes) + " bytes (" + basis + "), saves " +
                             std::to_string(saved / 1000) + " kB of traffic");
  }

  /// Exclusive to one work-item each, written before read, and laid out in equal steps along the linear id.
  verdict private_verdict(const std::vector<placed_access>& accesses, std::uint64_t& stride, std::string& why) const {
    const affine_form* shape = nullptr;
    std::int64_t low = 0, high = 0;
    for (const placed_access& each : accesses) {
      const memory_access& access = *each.access;
      const fusion_range& range = m_request.members[each.member].range;
      if (!access.known) return why = "it is not known which element '" + m_request.members[each.member].name + "' uses", verdict::unknown;
      if (!same_range(range, m_request.range)) return why = "the kernels have different ranges", verdict::unknown;
      if (!shape) {
        shape = &access.offset;
        low = high = access.offset.constant;
      } else if (shape->coefficients != access.offset.coefficients) {
        return why = "the kernels number its elements differently", verdict::unknown;
      }
      low = std::min(low, access.offset.constant);
      high = std::max(high, access.offset.constant + static_cast<std::int64_t>(access.bytes));
    }
    if (!steps_with_linear_id(shape->coefficients, stride)) return why = "its elements are not numbered by the linear id", verdict::unknown;
    std::int64_t start = low;
    for (unsigned d = 0; d < 3; ++d) start += shape->coefficients[d] * static_cast<std::int64_t>(m_request.range.offset[d]);
    if (high - low > static_cast<std::int64_t>(stride)) {
      return why = "several work-items use the same element", verdict::unknown;
    }
    // Remainders are computed without sign.
    if (start < 0) return why = "it is used in front of its start", verdict::unknown;
    // The new memory is addressed by offset % stride: one work-item's bytes must not wrap around its end.
    const std::int64_t first_byte = start % static_cast<std::int64_t>(stride);
    if (first_byte + (high - low) > static_cast<std::int64_t>(stride)) return why = "several work-items use the same element", verdict::unknown;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const memory_access& read = *accesses[i].access;
      if (read.kind == access_kind::write) continue;
      if (!written_before(accesses, accesses[i])) {
        why = "'" + m_request.members[accesses[i].member].name + "' reads values from before the fusion";
        const bool never = std::none_of(accesses.begin(), accesses.end(), [&](const placed_access& other) {
          return other.access->kind != access_kind::read &&
                 std::pair(other.member, other.access->order) < std::pair(accesses[i].member, read.order);
        });
        return read.certain && never ? verdict::disproved : verdict::unknown;
      }
    }
    return verdict::proved;
  }

  static bool written_before(const std::vector<placed_access>& accesses, const placed_access& reader) {
    return std::any_of(accesses.begin(), accesses.end(), [&](const placed_access& writer) {
      const memory_access& w = *writer.access;
      const memory_access& r = *reader.access;
      if (w.kind != access_kind::write || !w.certain) return false;
      if (std::pair(writer.member, w.order) >= std::pair(reader.member, r.order)) return false;
      return w.offset.constant <= r.offset.constant &&
             r.offset.constant + static_cast<std::int64_t>(r.bytes) <= w.offset.constant + static_cast<std::int64_t>(w.bytes);
    });
  }

  bool steps_with_linear_id(const std::array<std::int64_t, variable_count>& coefficients, std::uint64_t& stride) const {
    for (unsigned v = variable_local; v < variable_count; ++v) {
      if (coefficients[v] != 0) return false;
    }
    stride = 0;
    wide radix = 1;
    for (int d = 2; d >= 0; --d) {
      if (m_request.range.global[d] > 1) {
        const wide step = coefficients[static_cast<unsigned>(d)];
        if (step <= 0 || step % radix != 0 || (stride != 0 && step / radix != static_cast<wide>(stride))) return false;
        if (step / radix > 4096) return false;
        stride = static_cast<std::uint64_t>(step / radix);
      }
      radix *= static_cast<wide>(m_request.range.global[d]);
    }
    return stride != 0;
  }

  const decision_request& m_request;
  std::map<std::pair<unsigned, unsigned>, const fusion_pointer*> m_pointers;
  fusion_decision m_result;
};

} // namespace

conflict find_conflict(const fusion_range& range, const memory_access& a, std::int64_t base_a, const memory_access& b,
                       std::int64_t base_b) {
  const digit_form first = digits_of(range, a.offset, base_a), second = digits_of(range, b.offset, base_b);
  const bool alike = std::equal(first.coefficients, first.coefficients + 6, second.coefficients);
  return alike ? equal_coefficients(range, first, static_cast<wide>(a.bytes), second, static_cast<wide>(b.bytes))
               : different_coefficients(range, first, static_cast<wide>(a.bytes), second, static_cast<wide>(b.bytes));
}

fusion_decision decide_fusion(const decision_request& request) { return decider(request).run(); }

} // namespace sinter::passes
