#pragma once
/// The arguments of the members of a fusion in the form that the JIT takes: ranges, blocks, and which pointers share
/// memory.

#include <abi/launch_abi.hpp>
#include <memory>
#include <scheduler/command.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace sycl::inline _V1::detail {

class buffer_record;
class memory_users;

/// Buffers that are also used by commands which are no members.
using buffers_elsewhere = std::unordered_set<const memory_users*>;

class member_arguments {
public:
  /// `user`: the command that is registered as the user of the members' buffers. `is_list_of_program`: whether the
  /// program made the list; otherwise requests for promotions don't count, because such a request is a promise about
  /// lists of the program. `elsewhere`: buffers that are also used by those kernels of `user` which are no members.
  member_arguments(std::span<const command_ptr> members, const command* user, bool is_list_of_program,
                   const buffers_elsewhere* elsewhere = nullptr)
      : member_arguments(members, user, elsewhere, is_list_of_program) {}
  /// For members that the graph will run again and again. Only two kinds of buffers count as temporaries: buffers that
  /// the program has destroyed, and the buffers in `overwritten`, which a later command overwrites before any command
  /// reads them.
  member_arguments(std::span<const command_ptr> members, const buffers_elsewhere& elsewhere, std::uint64_t graph,
                   const buffers_elsewhere* overwritten)
      : member_arguments(members, nullptr, &elsewhere, true, graph, overwritten) {}

  /// Memory that nobody can read once its buffers are destroyed.
  struct candidate {
    const buffer_record* record;
    std::size_t pointer;
    bool unobservable;  ///< whether code is made as if nobody could read the memory any more
    std::uint64_t graph;  ///< the graph that runs the members; 0: none does

    /// Whether nobody can read the memory now.
    bool is_unobservable(const command* user) const;
  };
  /// Whether temporaries exist that may still be destroyed before the launch.
  bool has_candidates() const noexcept { return m_has_candidates; }
  std::span<const candidate> candidates() const noexcept { return m_candidates; }
  /// From now on, temporaries are treated as if their buffers were destroyed already.
  void forget_temporaries();

  std::span<const sinter::abi::fusion_member> members() const noexcept { return m_members; }
  std::span<const sinter::abi::fusion_pointer> pointers() const noexcept { return m_pointers; }
  /// The places, in the argument blocks, of constants whose values are part of the code and of the key: tables of
  /// specialization constants, and captured constants.
  std::vector<sinter::abi::fusion_dependence> values() const {
    std::vector<sinter::abi::fusion_dependence> all = m_tables;
    all.insert(all.end(), m_specialized.begin(), m_specialized.end());
    return all;
  }
  bool has_values() const noexcept { return !m_tables.empty() || !m_specialized.empty(); }
  /// From now on, the requested code reads these constants at run time.
  void look_up_constants() noexcept { m_tables.clear(), m_specialized.clear(); }
  /// All parts of the argument blocks except pointers. The JIT's decision may depend on their values.
  const std::vector<sinter::abi::fusion_dependence>& numbers() const noexcept { return m_numbers; }
  /// Promotions that could not be done as requested.
  const std::vector<const char*>& warnings() const noexcept { return m_warnings; }
  /// The buffers of all members except the `count` members from number `first` on.
  buffers_elsewhere buffers_around(std::size_t first, std::size_t count) const;
  /// Whether several members use the same memory: otherwise, fusing them saves no traffic.
  bool share_memory() const noexcept;
  /// Lets the last member run behind the others (abi/members_behind.hpp). Returns false if the member has no pointer,
  /// because the description of a pointer stores this fact.
  bool run_last_behind() noexcept;
  /// The number of members that run as one kernel: all members, without the last member if it runs behind the others.
  std::size_t launched() const noexcept { return m_members.size() - (m_last_runs_behind ? 1 : 0); }
  /// Keeps copies of the argument blocks, so that the members may be destroyed.
  void own_blocks();
  /// Gives the pointers names for reports.
  void name_pointers();
  std::span<sinter::abi::kernel_descriptor* const> kernels() const noexcept { return m_kernels; }
  /// The width of ids: 32 bits if all members' ids fit into 32 bits.
  sinter::abi::id_width ids() const noexcept { return m_ids; }
  /// Returns the key. Fusions that may run the same code have equal keys, as far as this is known without compiling.
  /// The key does not depend on the process.
  std::string key() const;
  /// Appends the first part of the key, which does not depend on temporaries; append_outlook appends the rest.
  void append_lasting_key(std::string& key) const;
  void append_outlook(std::string& key) const;
  /// Appends the values of specialization constants, which are another part of the key.
  void append_constants(std::string& key) const;
  /// Appends the extents of the slowest dimension, and the lengths of accessors, which depend on these extents. The key
  /// only says which of these numbers are equal.
  void append_sizes(std::string& bytes) const;
  /// Appends the bytes at these places of the argument blocks. Returns false and appends nothing if a place lies
  /// outside of its block.
  bool append_bytes_at(std::span<const sinter::abi::fusion_dependence> places, std::string& bytes) const;

private:
  /// Copies of specialization constants. The copies outlive the command to which the constants belong.
  struct constants {
    std::vector<std::vector<char>> values;
    std::vector<sinter::abi::specialization_table::entry> entries;
    sinter::abi::specialization_table table;
  };
  const sinter::abi::specialization_table* table_at(const sinter::abi::fusion_dependence& place) const;
  /// The target of a pointer.
  struct target {
    const char* address;
    const buffer_record* buffer;  ///< null: the pointer is no accessor
    const char *begin, *end;      ///< the memory into which the pointer points; both are null if this memory is unknown
  };
  void add_member(const command_ptr& member);
  member_arguments(std::span<const command_ptr> members, const command* user, const buffers_elsewhere* elsewhere,
                   bool promises_count, std::uint64_t graph = 0, const buffers_elsewhere* overwritten = nullptr);
  void add_pointers(std::uint32_t index, std::span<const command_ptr> members, const command* user,
                    const buffers_elsewhere* elsewhere);
  void number_spaces();
  void settle_promotions();

  std::vector<sinter::abi::kernel_descriptor*> m_kernels;
  std::vector<sinter::abi::fusion_member> m_members;
  bool m_last_runs_behind = false;
  std::vector<sinter::abi::fusion_pointer> m_pointers;
  std::vector<target> m_targets;  ///< the target of each pointer
  std::vector<sinter::abi::fusion_dependence> m_numbers;
  std::vector<candidate> m_candidates;
  std::vector<std::string> m_names;
  std::vector<sinter::abi::fusion_dependence> m_tables, m_specialized;
  std::vector<std::vector<char>> m_blocks;
  std::vector<std::shared_ptr<constants>> m_constants;
  std::vector<const char*> m_warnings;
  sinter::abi::id_width m_ids = sinter::abi::id_width::bits_32;
  const buffers_elsewhere* const m_overwritten;
  const bool m_promises_count;
  const std::uint64_t m_graph;  ///< the graph whose nodes the members are; 0: none
  bool m_has_candidates = false;
};

} // namespace sycl::detail
