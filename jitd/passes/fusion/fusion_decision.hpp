#pragma once
/// Makes the decisions of a fusion: whether members may be joined, which barriers are needed between them, and which
/// memory can move into work-items. Plain numbers in and out (access_form.hpp); docs/fusion.md has the argument.
///
/// *Proved* covers everything that a kernel may do, *disproved* needs an example among certain accesses; all else is
/// unknown.

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
  unsigned space = 0;            ///< allocation, numbered from 1; 0: unknown memory
  std::int64_t base = 0;         ///< bytes from the start of the space to the pointer
  promotion requested = promotion::none;
  bool unobservable = false;     ///< nobody reads the final contents: promised, or nothing refers to them any more
  std::uint64_t elements = 0;    ///< extent of the pointer's accessor; 0: not an accessor
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
  fusion_range range;         ///< of the fused kernel
  bool no_barriers = false;   ///< the user's promise
  bool only_proved = false;   ///< automatic and strict fusion: unknown counts as no, and so does every promise
  bool trusted = false;       ///< the user's promise that no work-item needs what another one did
};

/// A set that is to move out of memory.
struct promoted_set {
  std::size_t set;            ///< its place in the decision
  std::uint64_t saved_bytes;  ///< of memory traffic per launch
  std::string name, basis;    ///< basis: a proof, or a promise
  promotion to;
  std::uint64_t bytes;        ///< of the memory that takes its place
  std::string kept_because{};  ///< why it stays in memory after all; empty: it does not
};
/// A sentence about the set's fate.
report_statement describe(const promoted_set& set);

struct fusion_decision {
  std::string refused;             ///< why the members can't be joined; empty: they can
  verdict legality = verdict::proved;
  std::vector<unsigned> barriers;  ///< members with a barrier in front
  std::vector<identical_set> sets; ///< identical arguments, with promotions
  report_statements notes;         ///< about all but promoted sets
  std::vector<std::string> unproved;  ///< accesses of which it is not proved that they do not meet
  std::vector<promoted_set> promoted;
  std::uint64_t saved_bytes = 0;   ///< of memory traffic per launch, by promotions
};

/// Work-items have the same ids in both.
bool same_range(const fusion_range& a, const fusion_range& b);

fusion_decision decide_fusion(const decision_request& request);

/// Pointers to one place of one space become one argument; notes say which.
std::vector<identical_set> identical_arguments(const std::vector<fusion_pointer>& pointers,
                                               report_statements& notes);

} // namespace sinter::passes
