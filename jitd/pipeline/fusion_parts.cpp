#include "fusion_parts.hpp"

#include <abi/fusion_parts.hpp>
#include <abi/members_behind.hpp>

#include "fusion.hpp"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

namespace sinter::jit {
namespace {

// Only a list with at least this number of members can be cut into parts: a part has two members or more, and at least
// one member of the list is outside of the part.
constexpr std::uint32_t shortest_cut = 3;

/// The request to fuse a part of a list. If members outside of the part also use some memory, the memory keeps its
/// contents.
class part_of_list {
public:
  part_of_list(const fusion_state& whole, std::uint32_t first, std::uint32_t count) : m_request(whole.request) {
    const auto is_in = [=](std::uint32_t member) { return member >= first && member < first + count; };
    llvm::SmallSet<std::uint32_t, 16> of_others;
    const llvm::ArrayRef pointers(whole.request.pointers, whole.request.pointer_count);
    for (const abi::fusion_pointer& each : pointers) {
      if (!is_in(each.member)) of_others.insert(each.space);
    }
    for (abi::fusion_pointer each : pointers) {
      if (!is_in(each.member)) continue;
      each.member -= first;
      if (of_others.contains(each.space)) {
        each.unobservable = 0;
        each.requested = abi::promotion::none;
      }
      m_pointers.push_back(each);
    }
    for (abi::fusion_dependence each : llvm::ArrayRef(whole.request.constants, whole.request.constant_count)) {
      if (!is_in(each.member)) continue;
      each.member -= first;
      m_constants.push_back(each);
    }
    m_request.members += first;
    m_request.member_count = count;
    m_request.pointers = m_pointers.data();
    m_request.pointer_count = static_cast<std::uint32_t>(m_pointers.size());
    m_request.constants = m_constants.data();
    m_request.constant_count = m_constants.size();
  }
  const abi::fusion_request& request() const { return m_request; }

private:
  abi::fusion_request m_request;
  std::vector<abi::fusion_pointer> m_pointers;
  std::vector<abi::fusion_dependence> m_constants;
};

bool may_join(const fusion_state& whole, std::uint32_t first, std::uint32_t count) {
  if (count == 1) return true;
  const part_of_list part(whole, first, count);
  fusion_state state{whole.module, part.request(), whole.facts.slice(first, count), first};
  state.ranges = ranges_of(part.request());
  llvm::Error error = run_steps(deciding_steps(), state);
  const bool joined = !error;
  llvm::consumeError(std::move(error));
  if (state.view) state.view->eraseFromParent();
  if (state.stencils) {
    for (const auto& stage : state.stencils->stages) stage.kernel->eraseFromParent();
  }
  return joined;
}

/// Finds by bisection the longest part of the list that can be joined. Bisection works for this reason: if a part can't
/// be joined, a longer part that contains it can't be joined either.
std::uint32_t longest_part(const fusion_state& whole, std::uint32_t first) {
  std::uint32_t right = 1, wrong = whole.request.member_count - first + 1;
  if (first == 0) --wrong;
  // The first attempt is a part with all members that are left. If the list was cut at one kernel that can't be joined,
  // all members behind this kernel can usually be joined.
  for (std::uint32_t next = wrong - 1; wrong - right > 1; next = right + (wrong - right) / 2) {
    (may_join(whole, first, next) ? right : wrong) = next;
  }
  return right;
}

}  // namespace

char fusion_refusal::ID;

void fusion_refusal::log(llvm::raw_ostream& text) const { text << m_why; }

llvm::Error with_parts(llvm::Error why, fusion_state& state) {
  const std::uint32_t count = state.request.member_count;
  if (count < shortest_cut || abi::last_runs_behind(state.request)) return why;
  if (state.view) state.view->eraseFromParent();
  state.view = nullptr;
  passes::report_statements parts;
  for (std::uint32_t first = 0; first < count;) {
    const std::uint32_t members = longest_part(state, first);
    std::string names;
    for (const kernel_facts& each : state.facts.slice(first, members)) {
      names += (names.empty() ? "'" : ", '") + each.display_name + "'";
    }
    parts.push_back({abi::part_topic, names, {{abi::part_first, std::uint64_t{first}}}});
    first += members;
  }
  if (parts.size() == count) return why;
  return llvm::make_error<fusion_refusal>(llvm::toString(std::move(why)), std::move(parts));
}

}  // namespace sinter::jit
