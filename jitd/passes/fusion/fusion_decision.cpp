#include "fusion_decision.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "fused_range.hpp"

namespace sinter::passes {
namespace {

using wide = __int128;

verdict worse(verdict a, verdict b) { return std::max(a, b); }

class decider {
public:
  explicit decider(const decision_request& request) : m_request(request) {
    for (const fusion_pointer& pointer : request.pointers) {
      m_pointers[{pointer.argument.member, pointer.argument.offset}] = &pointer;
    }
    for (const fusion_member& member : request.members) {
      m_accesses.push_back(member.accesses.accesses);
      if (same_range(member.range, request.range)) continue;
      for (memory_access& access : m_accesses.back()) place_in_fused(access, member.range);
    }
  }

  fusion_decision run() {
    check_ranges();
    if (!m_result.refused.empty()) return std::move(m_result);
    check_members();
    if (!m_result.refused.empty()) return std::move(m_result);
    m_result.sets = identical_arguments(m_request.pointers, m_result.notes);
    promote();
    return std::move(m_result);
  }

private:
  // ------------------------------------------------------------------------------------------------- ranges

  void check_ranges() {
    std::vector<fusion_range> ranges;
    std::vector<std::string> names;
    for (const fusion_member& member : m_request.members) {
      ranges.push_back(member.range);
      names.push_back(member.name);
    }
    m_result.refused = passes::check_ranges(ranges, names, m_request.range);
  }

  // ------------------------------------------------------------------------------------------------- members

  /// Expresses the access in ids of the fused range. Work-items keep their linear ids.
  void place_in_fused(memory_access& access, const fusion_range& range) const {
    const fusion_range& fused = m_request.range;
    const std::optional<member_dimensions> dimensions = dimensions_in(range, fused);
    auto place = [&](affine_form& form) {
      return dimensions ? by_dimension(form, range, *dimensions) : by_linear_id(form, range);
    };
    access.known &= place(access.offset);
    std::vector<affine_form> guards;
    for (affine_form& guard : access.guards) {
      if (place(guard)) guards.push_back(guard);
    }
    access.certain &= guards.size() == access.guards.size();
    access.guards = std::move(guards);
    if (size_of(range) >= size_of(fused)) return;
    // Adds the guard that excludes work-items beyond the member's range.
    const auto bound = [&](affine_form& inside, unsigned d, std::int64_t step) {
      inside.coefficients[variable_global + d] = -step;
      inside.constant += step * static_cast<std::int64_t>(fused.offset[d]);
    };
    if (dimensions) {
      for (unsigned d = 0; d < 3; ++d) {
        if (dimensions->extent[d] == fused.global[d]) continue;
        affine_form inside;
        inside.constant = static_cast<std::int64_t>(dimensions->extent[d] - 1);
        bound(inside, d, 1);
        access.guards.push_back(inside);
      }
      return;
    }
    affine_form inside;
    inside.constant = static_cast<std::int64_t>(size_of(range) - 1);
    std::int64_t radix = 1;
    for (unsigned d = 3; d-- > 0; radix *= static_cast<std::int64_t>(fused.global[d])) bound(inside, d, radix);
    access.guards.push_back(inside);
  }

  /// Expresses a form in ids of the fused range. Returns false if an id of the form can't be expressed in this way.
  bool by_dimension(affine_form& form, const fusion_range& range, const member_dimensions& dimensions) const {
    const fusion_range& fused = m_request.range;
    const affine_form before = form;
    if (has_groups(range) != has_groups(fused)) {
      for (unsigned v = variable_local; v < variable_loop; ++v) {
        if (before.coefficients[v] != 0) return false;
      }
    }
    std::fill_n(form.coefficients.begin(), +variable_loop, 0);
    for (unsigned d = 0; d < 3; ++d) {
      unsigned place = dimensions.place[d];
      const std::int64_t global = before.coefficients[variable_global + d];
      if (place == member_dimensions::none) {
        if (fused.global[d] != 1) {
          form.constant += global * static_cast<std::int64_t>(range.offset[d]);
          continue;
        }
        // Both ranges have one work-item in this dimension, so the form may use either id.
        place = d;
      }
      form.constant += global * static_cast<std::int64_t>(range.offset[d] - fused.offset[place]);
      for (const unsigned variable : {variable_global, variable_local, variable_group})
        form.coefficients[variable + place] += before.coefficients[variable + d];
    }
    return true;
  }

  /// Expresses a form that depends on the member's linear id by ids of the fused range.
  bool by_linear_id(affine_form& form, const fusion_range& range) const {
    for (unsigned v = variable_local; v < variable_loop; ++v) {
      if (form.coefficients[v] != 0) return false;
    }
    std::int64_t step = 0, radix = 1, constant = form.constant;
    bool known = false;
    for (unsigned d = 3; d-- > 0; radix *= static_cast<std::int64_t>(range.global[d])) {
      const std::int64_t coefficient = form.coefficients[variable_global + d];
      constant += coefficient * static_cast<std::int64_t>(range.offset[d]);
      if (range.global[d] == 1) continue;
      if (coefficient % radix != 0 || (known && coefficient / radix != step)) return false;
      step = coefficient / radix;
      known = true;
    }
    radix = 1;
    for (unsigned d = 3; d-- > 0; radix *= static_cast<std::int64_t>(m_request.range.global[d])) {
      // An id with only one value gets the coefficient 0, so that forms of equal value have equal coefficients.
      const std::int64_t coefficient = m_request.range.global[d] == 1 ? 0 : step * radix;
      form.coefficients[variable_global + d] = coefficient;
      constant -= coefficient * static_cast<std::int64_t>(m_request.range.offset[d]);
    }
    form.constant = constant;
    return true;
  }

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

  /// Returns the access as the member makes it without fusion: in ids of the member's own range.
  ranged_access as_launched(unsigned member, const memory_access& access, std::int64_t base) const {
    const fusion_member& of = m_request.members[member];
    return {of.range, of.accesses.accesses[static_cast<std::size_t>(&access - m_accesses[member].data())], base};
  }

  conflict relate(unsigned p, const memory_access& a, unsigned k, const memory_access& b) const {
    const fusion_pointer* to_a = pointer_of(p, a);
    const fusion_pointer* to_b = pointer_of(k, b);
    if (to_a && to_b && to_a->space != to_b->space) return {};
    if (!to_a || !to_b) return {verdict::unknown, verdict::unknown, 0, 0};
    if (!a.known || !b.known) {
      conflict result{verdict::unknown, verdict::unknown, 0, 0};
      find_witness(m_request.range, as_launched(p, a, to_a->base), as_launched(k, b, to_b->base), result);
      return result;
    }
    conflict result = find_conflict(m_request.range, a, to_a->base, b, to_b->base);
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

  /// Whether the user has promised that barriers may be left out. If only proofs count, the promise has no effect.
  bool promised_away() const { return m_request.no_barriers && !m_request.only_proved; }

  /// promote_private promises that an element belongs to one work-item, promote_local that it belongs to one group.
  bool is_promised(unsigned p, const memory_access& a, unsigned k, const memory_access& b) const {
    const fusion_pointer* to_a = pointer_of(p, a);
    const fusion_pointer* to_b = pointer_of(k, b);
    return to_a && to_b && to_a->requested != promotion::none && to_b->requested != promotion::none &&
           !m_request.only_proved;
  }

  bool trusts_accesses() const { return m_request.trusted && !m_request.only_proved; }

  std::string list_unproved() const {
    constexpr std::size_t most_named = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(m_result.unproved.size(), most_named); ++i) {
      text += (text.empty() ? "" : "; ") + m_result.unproved[i];
    }
    const std::size_t named = std::min(m_result.unproved.size(), most_named);
    return named == m_result.unproved.size() ? text
                                             : text + "; and " + std::to_string(m_result.unproved.size() - named) +
                                                   " more";
  }

  static const char* verb(const memory_access& access) {
    return access.kind == access_kind::read ? "reads " : "writes ";
  }

  /// Describes two accesses that may meet (conflict.hpp).
  std::string describe(unsigned p, const memory_access& a, unsigned k, const memory_access& b) const {
    return "'" + m_request.members[k].name + "' " + verb(b) + describe(k, b) + ", '" + m_request.members[p].name +
           "' " + verb(a) + describe(p, a);
  }

  /// An access of the first member of a pair, and an access of the second member, which may meet.
  struct access_pair {
    const memory_access* before;
    const memory_access* after;
    conflict found;
  };

  /// Facts about two members, from which reports are made.
  struct member_pair {
    unsigned first = 0, second = 0;
    verdict free = verdict::proved;    ///< whether no work-item needs results of another work-item
    verdict within = verdict::proved;  ///< whether no work-item needs results of another group
    bool exchanged = false;            ///< whether work-items of one group certainly exchange data
    std::vector<unsigned> unknown;     ///< those of the two members that have effects unknown to the analysis
    std::vector<access_pair> unproved;
    /// The accesses for which the fusion is refused. The search stopped at these accesses.
    std::optional<access_pair> disproved;
  };

  bool is_grouped() const { return has_groups(m_request.range); }

  member_pair relate_members(unsigned p, unsigned k) const {
    member_pair facts;
    facts.first = p, facts.second = k;
    for (unsigned m : {k, p}) {
      if (m_request.members[m].accesses.unknown_effect.empty()) continue;
      facts.unknown.push_back(m);
      facts.free = facts.within = verdict::unknown;
    }
    for (const memory_access& a : m_accesses[p]) {
      for (const memory_access& b : m_accesses[k]) {
        if (harmless(a, b)) continue;
        const conflict found = relate(p, a, k, b);
        if (found.free == verdict::proved) continue;
        if ((is_grouped() ? found.within_group : found.free) == verdict::disproved) {
          facts.disproved = {&a, &b, found};
          return facts;
        }
        facts.unproved.push_back({&a, &b, found});
        facts.free = worse(facts.free, found.free);
        facts.within = worse(facts.within, found.within_group);
        facts.exchanged |= found.free == verdict::disproved && found.within_group == verdict::proved;
      }
    }
    return facts;
  }

  /// Checks every pair of members, and places barriers between members.
  void check_members() {
    for (unsigned k = 1; k < m_request.members.size(); ++k) {
      for (unsigned p = 0; p < k; ++p) {
        member_pair facts = relate_members(p, k);
        if (facts.disproved) return refuse_exchange(facts);
        if (facts.free == verdict::proved) continue;
        if (refuse_collective(facts)) return;
        note_unproved(facts);
        m_meeting.push_back(std::move(facts));
      }
    }
    if (m_request.only_proved && m_result.legality != verdict::proved) {
      m_result.refused = "not proved to be equal to the unfused kernels";
      return;
    }
    if (!m_result.unproved.empty() && !trusts_accesses()) {
      m_result.refused = "it is not proved that no work-item needs what another one did: " + list_unproved() +
                         "; end the fusion between them, or, where none does, promise it by "
                         "ext::sinter::property::fusion::trust_accesses";
      return;
    }
    if (is_grouped()) place_barriers();
  }

  void refuse_exchange(const member_pair& facts) {
    const auto& [a, b, found] = *facts.disproved;
    const std::string &first = m_request.members[facts.first].name, &second = m_request.members[facts.second].name;
    m_result.refused = "'" + second + "' " + verb(*b) + describe(facts.second, *b) + " where another work-" +
                       (is_grouped() ? "group" : "item") + " of '" + first + "' " + verb(*a) + "it" +
                       (a->where.empty() ? "" : " (" + a->where + ")") + ": work-item " +
                       std::to_string(found.other) +
                       (b->kind == access_kind::read ? " needs what work-item " : " overwrites what work-item ") +
                       std::to_string(found.item) + (a->kind == access_kind::read ? " reads" : " did") +
                       "; end the fusion before '" + second + "'";
    m_result.legality = verdict::disproved;
  }

  std::string describe_effect(unsigned member) const {
    return "'" + m_request.members[member].name + "' does " + m_request.members[member].accesses.unknown_effect;
  }

  /// Returns the first reason why the pair is not proved.
  std::string reason_of(const member_pair& facts) const {
    if (!facts.unknown.empty()) return describe_effect(facts.unknown.front());
    const access_pair& first = facts.unproved.front();
    return describe(facts.first, *first.before, facts.second, *first.after);
  }

  /// One work-item of a reduction combines the results of all work-items, at an unknown time. So it has to be proved
  /// that other members share no data with the reduction.
  bool refuse_collective(const member_pair& facts) {
    if (is_grouped() && facts.within == verdict::proved) return false;
    for (unsigned m : {facts.first, facts.second}) {
      if (!m_request.members[m].accesses.is_collective) continue;
      m_result.refused = "'" + m_request.members[m].name +
                         "' combines what all work-groups did, and it is not proved that '" +
                         m_request.members[m == facts.first ? facts.second : facts.first].name +
                         "' shares no data with it: " + reason_of(facts) + "; end the fusion between them";
      m_result.legality = verdict::unknown;
      return true;
    }
    return false;
  }

  void note_unproved(const member_pair& facts) {
    const bool in_groups = is_grouped() && facts.within == verdict::proved;
    // Within groups, a barrier makes the fusion right. A promise against barriers counts if no exchange is certain.
    if (in_groups && (facts.exchanged || !promised_away())) return;
    m_result.legality = worse(m_result.legality, verdict::unknown);
    std::vector<std::string> apart;
    for (unsigned m : facts.unknown) apart.push_back(describe_effect(m));
    std::set<std::pair<unsigned, unsigned>> leaves;
    for (const auto& [a, b, found] : facts.unproved) {
      const bool may_part = !is_grouped() || found.within_group != verdict::proved;
      if (!may_part || !leaves.insert({a->leaf, b->leaf}).second) continue;
      std::string text = describe(facts.first, *a, facts.second, *b);
      if (is_promised(facts.first, *a, facts.second, *b)) {
        m_result.notes.push_back({"not proved", text + "; trusted, for the promotion promises it"});
      } else {
        apart.push_back(std::move(text));
      }
    }
    if (in_groups) apart = {reason_of(facts)};
    for (const std::string& each : apart) {
      m_result.notes.push_back({"not proved", each + ": different work-" +
                                                  (is_grouped() && !in_groups ? "groups" : "items") +
                                                  " may depend on each other" +
                                                  (trusts_accesses() ? "; trusted, for the program promises it" : "")});
    }
    // If the program has promised that accesses of one group need no barrier, pairs of such accesses are not listed.
    if (!in_groups) m_result.unproved.insert(m_result.unproved.end(), apart.begin(), apart.end());
  }

  /// Goes through the pairs in the order of their second members. Puts a barrier in front of a member that needs one.
  void place_barriers() {
    std::size_t left_out = 0;
    for (const member_pair& each : m_meeting) {
      if (promised_away() && !each.exchanged) {
        ++left_out;
        continue;
      }
      const bool served = std::any_of(m_result.barriers.begin(), m_result.barriers.end(),
                                      [&](unsigned cut) { return cut > each.first && cut <= each.second; });
      if (served) continue;
      m_result.barriers.push_back(each.second);
      m_result.notes.push_back({"kept",
                                "the barrier before '" + m_request.members[each.second].name + "'" +
                                    (promised_away() ? ", in spite of no_barriers" : "") + ": work-items of a group " +
                                    (each.exchanged ? "exchange data" : "may exchange data") + ", " + reason_of(each),
                                {{"before", each.second}}});
    }
    const std::size_t standard = m_request.members.size() - 1;
    m_result.notes.push_back(
        {"barriers",
         std::to_string(m_result.barriers.size()) + " of " + std::to_string(standard) + " kept" +
             (left_out ? ", " + std::to_string(left_out) + " left out as promised" : ""),
         {{"kept", m_result.barriers.size()}, {"places", standard}, {"left_out_as_promised", left_out}}});
  }

  // ------------------------------------------------------------------------------------------------- promotion

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
      const bool alone = std::none_of(
          m_request.pointers.begin(), m_request.pointers.end(),
          [&](const fusion_pointer& other) { return other.space == first.space && other.base != first.base; });
      if (!alone) {
        if (requested) m_result.notes.push_back({"in memory", first.name + ": other arguments reach parts of it"});
        continue;
      }
      promote_set(set, first, wanted, requested);
    }
  }

  struct placed_access {
    unsigned member;
    const memory_access* access;
  };

  /// Whether the access is in a loop without iterations.
  static bool never_happens(const memory_access& access) {
    return std::find(access.turns.begin(), access.turns.end(), 0) != access.turns.end();
  }

  /// Returns two work-items whose accesses certainly meet in the pointer's memory, or null if none are known.
  const conflict* certain_exchange(const fusion_pointer& pointer) const {
    for (const member_pair& pair : m_meeting) {
      for (const access_pair& each : pair.unproved) {
        const fusion_pointer* used = pointer_of(pair.first, *each.before);
        if (each.found.free == verdict::disproved && used && used->space == pointer.space) return &each.found;
      }
    }
    return nullptr;
  }

  void promote_set(identical_set& set, const fusion_pointer& first, promotion wanted, bool requested) {
    std::vector<placed_access> accesses;
    std::string why;
    for (unsigned m = 0; m < m_request.members.size(); ++m) {
      const std::string& effect = m_request.members[m].accesses.unknown_effect;
      for (const memory_access& access : m_accesses[m]) {
        if (never_happens(access)) continue;
        const fusion_pointer* pointer = pointer_of(m, access);
        if (!pointer && effect.empty()) why = "'" + m_request.members[m].name + "' uses memory of unknown origin";
        if (pointer && pointer->space == first.space) accesses.push_back({m, &access});
      }
      if (!effect.empty()) why = "'" + m_request.members[m].name + "' contains " + effect;
    }
    if (accesses.empty() && why.empty()) return;
    std::uint64_t stride = 0;
    const std::vector<memory_access> by_id = in_global_ids(accesses);
    verdict answer = why.empty() ? private_verdict(accesses, stride, why) : verdict::unknown;
    if (const conflict* found = answer == verdict::unknown ? certain_exchange(first) : nullptr;
        found && wanted == promotion::private_memory) {
      answer = verdict::disproved;
      why =
          "work-item " + std::to_string(found->other) + " uses what work-item " + std::to_string(found->item) + " uses";
    }
    if (answer == verdict::proved) {
      set.promoted = promotion::private_memory;
      set.elements = 1;
      set.element_bytes = stride;
      note_promoted(set, first, accesses, requested ? "promised and proved" : "nobody refers to it any more, proved");
      return;
    }
    if (!requested) {
      m_result.notes.push_back({"in memory", first.name + ": " + why});
      return;
    }
    if (answer == verdict::disproved || m_request.only_proved) {
      m_result.notes.push_back({"in memory", first.name + " in spite of the promotion: " + why});
      return;
    }
    honour(set, first, wanted, accesses, why);
  }

  /// Promotes memory because the user promises that it is internal. sycl_ext_codeplay_kernel_fusion states the sizes.
  void honour(identical_set& set, const fusion_pointer& first, promotion wanted,
              const std::vector<placed_access>& accesses, const std::string& why) {
    std::uint64_t elements = 0;
    // Looks at all members that have the pointer, because a called function may access its memory.
    for (const fusion_argument& argument : set.arguments) {
      const fusion_range& range = m_request.members[argument.member].range;
      std::uint64_t parts = size_of(range);
      if (wanted == promotion::local_memory) {
        if (!has_groups(range)) {
          m_result.notes.push_back(
              {"in memory",
               first.name + ": Work-group size for local promotion not specified, not performing internalization"});
          return;
        }
        parts /= range.local[0] * range.local[1] * range.local[2];
      }
      if (parts == 0 || first.elements % parts != 0 || (elements != 0 && elements != first.elements / parts)) {
        m_result.notes.push_back(
            {"in memory", first.name + ": its elements do not divide among the work-items of every kernel"});
        return;
      }
      elements = first.elements / parts;
    }
    if (elements == 0 || first.element_bytes == 0 || elements * first.element_bytes > (1u << 16)) {
      m_result.notes.push_back({"in memory", first.name + ": too large to promote"});
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
    for (const placed_access& each : accesses) {
      // Equal accesses in different branches count once.
      const bool again =
          !each.access->certain && std::any_of(accesses.data(), &each, [&](const placed_access& earlier) {
            return earlier.member == each.member && earlier.access->kind == each.access->kind &&
                   earlier.access->bytes == each.access->bytes && earlier.access->offset == each.access->offset;
          });
      if (again) continue;
      std::uint64_t bytes = each.access->bytes;
      // A loop with an unknown number of iterations counts as one iteration.
      for (std::uint64_t turns : each.access->turns) bytes *= each.access->certain ? turns : 1;
      saved += bytes * size_of(m_request.members[each.member].range);
    }
    m_result.saved_bytes += saved;
    m_result.promoted.push_back({static_cast<std::size_t>(&set - m_result.sets.data()), saved, first.name, basis,
                                 set.promoted, set.elements * set.element_bytes});
  }

  /// Expresses offsets by global ids if group and local ids occur only as parts of global ids. Afterwards, `accesses`
  /// point to the result.
  std::vector<memory_access> in_global_ids(std::vector<placed_access>& accesses) const {
    std::vector<memory_access> result;
    result.reserve(accesses.size());
    for (placed_access& each : accesses) {
      affine_form& offset = result.emplace_back(*each.access).offset;
      for (unsigned d = 0; d < 3; ++d) {
        const std::int64_t of_group = offset.coefficients[variable_group + d],
                           of_local = offset.coefficients[variable_local + d];
        const auto size = static_cast<std::int64_t>(m_request.range.local[d]);
        // If there is one group, forms contain no group id. If groups have one work-item, forms contain no local id.
        const std::int64_t step = size == 1 ? of_group : of_local;
        const bool one_group = m_request.range.global[d] == m_request.range.local[d];
        if (step == 0 || (size != 1 && !one_group && of_group != step * size)) continue;
        offset.coefficients[variable_local + d] = offset.coefficients[variable_group + d] = 0;
        offset.coefficients[variable_global + d] += step;
        offset.constant -= step * static_cast<std::int64_t>(m_request.range.offset[d]);
      }
      each.access = &result.back();
    }
    return result;
  }

  /// Whether each work-item has elements of its own, at equal distances in the order of linear ids, and writes each
  /// element before it reads the element.
  verdict private_verdict(const std::vector<placed_access>& accesses, std::uint64_t& stride, std::string& why) const {
    const affine_form* shape = nullptr;
    wide low = 0, high = 0;
    for (const placed_access& each : accesses) {
      const memory_access& access = *each.access;
      if (!access.known)
        return why = "it is not known which element '" + m_request.members[each.member].name + "' uses",
               verdict::unknown;
      const byte_span span = bytes_of_item(access);
      if (!shape) {
        shape = &access.offset;
        low = high = span.first;
      } else if (!std::equal(shape->coefficients.begin(), shape->coefficients.begin() + variable_loop,
                             access.offset.coefficients.begin())) {
        return why = "its elements are numbered in several ways", verdict::unknown;
      }
      low = std::min(low, span.first);
      high = std::max(high, span.last);
    }
    if (!steps_with_linear_id(shape->coefficients, stride, why)) return verdict::unknown;
    wide start = low;
    for (unsigned d = 0; d < 3; ++d) start += wide{shape->coefficients[d]} * m_request.range.offset[d];
    // Offsets in the new memory are remainders, which are computed with unsigned numbers.
    if (start < 0) return why = "it is used in front of its start", verdict::unknown;
    // If there is only one work-item, this work-item owns all memory that it uses.
    if (stride == 0) stride = static_cast<std::uint64_t>(std::min<wide>(high, most_bytes_of_item + 1));
    if (stride > most_bytes_of_item) return why = too_far_apart, verdict::unknown;
    if (high - low > static_cast<wide>(stride)) {
      return why = "a work-item uses more than its place in the row of all", verdict::unknown;
    }
    for (const placed_access& each : accesses) {
      if (wraps_around(*each.access, start - low, static_cast<wide>(stride))) {
        return why = "an access of '" + m_request.members[each.member].name + "' reaches into two elements",
               verdict::unknown;
      }
    }
    for (const placed_access& reader : accesses) {
      if (reader.access->kind == access_kind::write || written_before(accesses, reader)) continue;
      const std::string name = "'" + m_request.members[reader.member].name + "'";
      const bool never = std::none_of(accesses.begin(), accesses.end(), [&](const placed_access& other) {
        return other.access->kind != access_kind::read &&
               std::pair(other.member, other.access->order) < std::pair(reader.member, reader.access->order);
      });
      if (never && reader.access->certain && reader.access->guards.empty()) {
        return why = name + " reads values from before the fusion", verdict::disproved;
      }
      return why = name + " reads what is not proved to have been written before", verdict::unknown;
    }
    return verdict::proved;
  }

  /// The new memory is addressed by offset % stride, so no access may wrap around its end.
  static bool wraps_around(const memory_access& access, wide moved, wide stride) {
    const byte_span span = bytes_of_item(access);
    const auto rest = [&](wide at) { return ((at + moved) % stride + stride) % stride; };
    if (rest(span.first) + (span.last - span.first) <= stride) return false;
    // An access in a loop stays within one stride if start, steps and stride are multiples of the access's size.
    const wide bytes = access.bytes;
    bool in_pieces = bytes != 0 && rest(access.offset.constant) % bytes == 0 && stride % bytes == 0;
    for (unsigned i = variable_loop; i < variable_count; ++i)
      in_pieces &= bytes != 0 && access.offset.coefficients[i] % bytes == 0;
    return !in_pieces;
  }

  /// Whether earlier writes that certainly happen cover the read completely.
  static bool written_before(const std::vector<placed_access>& accesses, const placed_access& reader) {
    const memory_access& r = *reader.access;
    std::vector<memory_access> in_step, finished;
    for (const placed_access& writer : accesses) {
      const memory_access& w = *writer.access;
      if (w.kind != access_kind::write || !w.certain) continue;
      if (std::pair(writer.member, w.order) >= std::pair(reader.member, r.order)) continue;
      const bool happens = std::all_of(w.guards.begin(), w.guards.end(), [&](const affine_form& guard) {
        return std::find(r.guards.begin(), r.guards.end(), guard) != r.guards.end();
      });
      if (!happens) continue;
      if (same_loops(w, r)) in_step.push_back(w);
      // Loops of earlier members have ended, and so have loops of one iteration.
      if (writer.member < reader.member || w.turns == std::array<std::uint64_t, loop_depth>{1, 1, 1})
        finished.push_back(w);
    }
    std::vector<byte_span> turn, whole;
    for (const memory_access& w : in_step) turn.push_back(bytes_of_turn(w));
    if (is_covered(bytes_of_turn(r), turn)) return true;
    join_pieces(finished);
    for (const memory_access& w : finished) {
      if (is_dense(w)) whole.push_back(bytes_of_item(w));
    }
    return is_covered(bytes_of_item(r), whole);
  }

  struct byte_span {
    wide first, last;
  };
  static byte_span bytes_of_turn(const memory_access& access) {
    return {access.offset.constant, wide{access.offset.constant} + access.bytes};
  }
  /// Whether the spans cover all bytes of `wanted`.
  static bool is_covered(byte_span wanted, std::vector<byte_span>& spans) {
    std::sort(spans.begin(), spans.end(), [](const byte_span& a, const byte_span& b) { return a.first < b.first; });
    for (const byte_span& each : spans) {
      if (each.first <= wanted.first) wanted.first = std::max(wanted.first, each.last);
    }
    return wanted.first >= wanted.last;
  }
  /// A program may write an element in parts. Joins such neighbouring accesses if they are in the same iterations of
  /// equal loops.
  static void join_pieces(std::vector<memory_access>& accesses) {
    std::sort(accesses.begin(), accesses.end(),
              [](const memory_access& a, const memory_access& b) { return a.offset.constant < b.offset.constant; });
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      memory_access& whole = accesses[i];
      for (std::size_t k = i + 1; k < accesses.size();) {
        const byte_span ours = bytes_of_turn(whole), next = bytes_of_turn(accesses[k]);
        if (!same_loops(whole, accesses[k]) || whole.guards != accesses[k].guards || next.first > ours.last) {
          ++k;
          continue;
        }
        whole.bytes = static_cast<std::uint64_t>(std::max(ours.last, next.last) - ours.first);
        accesses.erase(accesses.begin() + static_cast<std::ptrdiff_t>(k));
      }
    }
  }
  /// Returns the bytes that a work-item accesses in all iterations, relative to the offset's part that depends on ids.
  static byte_span bytes_of_item(const memory_access& access) {
    byte_span result{access.offset.constant, wide{access.offset.constant} + access.bytes};
    for (unsigned i = 0; i < loop_depth; ++i) {
      const wide way = access.offset.coefficients[variable_loop + i] * (static_cast<wide>(access.turns[i]) - 1);
      (way < 0 ? result.first : result.last) += way;
    }
    return result;
  }
  /// Whether the loops around the two accesses move both accesses by the same distance in each iteration. If `a` has
  /// only one iteration, `b` may access the same bytes in several iterations.
  static bool same_loops(const memory_access& a, const memory_access& b) {
    for (unsigned i = 0; i < loop_depth; ++i) {
      const unsigned v = variable_loop + i;
      if (a.offset.coefficients[v] != b.offset.coefficients[v]) return false;
      const bool guarded = std::any_of(a.guards.begin(), a.guards.end(),
                                       [&](const affine_form& each) { return each.coefficients[v] != 0; });
      const bool stays = a.turns[i] == 1 && a.offset.coefficients[v] == 0 && !guarded;
      if (a.turns[i] != b.turns[i] && !stays) return false;
    }
    return true;
  }
  /// Whether the access covers every byte of its span. The accesses have no gaps if two conditions hold: guards do not
  /// depend on loops, and the step of each loop is at most the number of bytes that the loops with smaller steps cover.
  static bool is_dense(const memory_access& access) {
    for (const affine_form& guard : access.guards) {
      for (unsigned i = variable_loop; i < variable_count; ++i) {
        if (guard.coefficients[i] != 0) return false;
      }
    }
    std::array<std::pair<wide, wide>, loop_depth> steps;
    for (unsigned i = 0; i < loop_depth; ++i) {
      const wide step = access.offset.coefficients[variable_loop + i];
      steps[i] = {step < 0 ? -step : step, static_cast<wide>(access.turns[i])};
    }
    std::sort(steps.begin(), steps.end());
    wide reach = access.bytes;
    for (const auto& [step, turns] : steps) {
      if (turns > 1 && step > reach) return false;
      reach += step * (turns - 1);
    }
    return true;
  }

  /// Whether the offset grows in equal steps with the linear id. The step is 0 if there is only one work-item.
  bool steps_with_linear_id(const std::array<std::int64_t, variable_count>& coefficients, std::uint64_t& stride,
                            std::string& why) const {
    why = "its elements are not numbered by the linear id";
    for (unsigned v = variable_local; v < variable_loop; ++v) {
      if (coefficients[v] != 0) return false;
    }
    stride = 0;
    wide radix = 1;
    for (int d = 2; d >= 0; --d) {
      if (m_request.range.global[d] > 1) {
        const wide step = coefficients[static_cast<unsigned>(d)];
        if (step == 0) why = "several work-items use the same element";
        if (step <= 0 || step % radix != 0 || (stride != 0 && step / radix != static_cast<wide>(stride))) return false;
        if (step / radix > most_bytes_of_item) return why = too_far_apart, false;
        stride = static_cast<std::uint64_t>(step / radix);
      }
      radix *= static_cast<wide>(m_request.range.global[d]);
    }
    why.clear();
    return true;
  }

  // Promoted memory may have at most this size.
  static constexpr std::uint64_t most_bytes_of_item = 4096;
  static constexpr const char* too_far_apart = "the elements of neighbouring work-items lie more than 4096 bytes apart";
  const decision_request& m_request;
  std::map<std::pair<unsigned, unsigned>, const fusion_pointer*> m_pointers;
  std::vector<std::vector<memory_access>> m_accesses;  ///< each member's accesses, in ids of the fused range
  std::vector<member_pair> m_meeting;  ///< pairs of members whose accesses may meet
  fusion_decision m_result;
};

} // namespace

bool same_range(const fusion_range& a, const fusion_range& b) {
  return std::equal(a.global, a.global + 3, b.global) && std::equal(a.local, a.local + 3, b.local) &&
         std::equal(a.offset, a.offset + 3, b.offset);
}

report_statement describe(const promoted_set& set) {
  if (!set.kept_because.empty()) return {"in memory", set.name + ": " + set.kept_because};
  return {"promoted",
          set.name + " to " + (set.to == promotion::local_memory ? "local" : "private") + " memory, " +
              std::to_string(set.bytes) + " bytes (" + set.basis + ")",
          {{"bytes", set.bytes}}};
}

fusion_decision decide_fusion(const decision_request& request) { return decider(request).run(); }

std::vector<identical_set> identical_arguments(const std::vector<fusion_pointer>& pointers,
                                               report_statements& notes) {
  std::map<std::pair<unsigned, std::int64_t>, std::size_t> known;
  std::vector<identical_set> sets;
  std::vector<std::string> merged;
  for (const fusion_pointer& pointer : pointers) {
    if (pointer.space != 0) {
      auto [at, inserted] = known.insert({{pointer.space, pointer.base}, sets.size()});
      if (!inserted) {
        sets[at->second].arguments.push_back(pointer.argument);
        merged[at->second] += " = " + pointer.name;
        continue;
      }
    }
    sets.push_back({{pointer.argument}});
    merged.push_back(pointer.name);
  }
  for (std::size_t i = 0; i < merged.size(); ++i) {
    if (sets[i].arguments.size() > 1) notes.push_back({"merged", merged[i]});
  }
  return sets;
}

} // namespace sinter::passes
