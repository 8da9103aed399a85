#pragma once
/// Makes the decisions of a fusion: whether members may be joined, which barriers are needed between them, and which
/// memory can move into work-items. Input and output are plain numbers (access_form.hpp); docs/fusion.md has the
/// reasoning.
///
/// A property is *proved* if it holds for everything that a kernel may do. It is *disproved* if there is a
/// counterexample among accesses that certainly happen, and otherwise unknown.

#include <string>
#include <vector>

#include "access_form.hpp"
#include "conflict.hpp"
#include "fusion_metadata.hpp"
#include "passes/report.hpp"

namespace sinter::passes {

struct fusion_pointer {
  fusion_argument argument;
  std::string name;              ///< for reports
  unsigned space = 0;            ///< number of the allocation, beginning with 1; 0 for unknown memory
  std::int64_t base = 0;         ///< bytes from the start of the space to the pointer
  promotion requested = promotion::none;
  /// Whether nobody reads the final contents: the user promises this, or nothing refers to the contents any more.
  bool unobservable = false;
  std::uint64_t elements = 0;    ///< extent of the pointer's accessor; 0 if the pointer is not from an accessor
  std::uint64_t element_bytes = 0;
};

struct fusion_member {
  std::string name;
  fusion_range range;
  access_summary accesses;
};

struct decision_request {
  std::vector<fusion_member> members;
  std::vector<fusion_pointer> pointers;
  fusion_range range;         ///< the range of the fused kernel
  bool no_barriers = false;   ///< whether the user promises that no barriers are needed
  bool only_proved = false;   ///< for automatic and strict fusion: promises don't count, only proofs
  bool trusted = false;       ///< whether the user promises that no work-item needs results of another work-item
};

/// Describes a set of identical arguments whose data should move from global memory to registers or local memory.
struct promoted_set {
  std::size_t set;            ///< index of the set in the decision's sets
  std::uint64_t saved_bytes;  ///< bytes of memory traffic that the set no longer causes in each launch
  std::string name, basis;    ///< `basis` is the reason for the promotion: a proof or a promise
  promotion to;
  std::uint64_t bytes;        ///< size of the memory that replaces the set
  std::string kept_because{};  ///< why the set stays in global memory although its promotion was decided; empty if the
                               ///< set is promoted
};
/// Returns the report's sentence that says whether the set was promoted.
report_statement describe(const promoted_set& set);

struct fusion_decision {
  std::string refused;             ///< why the members can't be joined; empty if they can
  verdict legality = verdict::proved;
  std::vector<unsigned> barriers;  ///< numbers of the members that have a barrier in front of them
  std::vector<identical_set> sets; ///< sets of identical arguments, each with its promotion
  report_statements notes;         ///< the report's notes, except notes about promoted sets
  std::vector<std::string> unproved;  ///< pairs of accesses that may meet
  std::vector<promoted_set> promoted;
  std::uint64_t saved_bytes = 0;   ///< bytes of memory traffic that promotions save in each launch
};

/// Whether work-items have the same ids in both ranges.
bool same_range(const fusion_range& a, const fusion_range& b);

fusion_decision decide_fusion(const decision_request& request);

/// If several pointers point to the same address of the same space, makes one argument of these pointers. Adds notes
/// that name the pointers.
std::vector<identical_set> identical_arguments(const std::vector<fusion_pointer>& pointers,
                                               report_statements& notes);

} // namespace sinter::passes
