#pragma once
/// Turns collected kernels into one command.

#include <scheduler/command.hpp>
#include <span>
#include <string>

#include <images/fused_code.hpp>

#include "fused_cache.hpp"
#include "fusion_list.hpp"
#include "member_arguments.hpp"

namespace sycl::inline _V1::detail {

/// Reports that a list is not fused.
void report_one_by_one(std::span<const command_ptr> members, const std::string& why);

/// Bytes of memory traffic that one launch of the code saves.
std::uint64_t saved_bytes(const sinter::kernel_launch& launch, const sinter::fused_code& code);

/// Makes the command `fused` run all members as one kernel. Afterwards, `fused` is the only command of the list that
/// counts as a user of the members' buffers. If the members can't or must not be fused, returns false with a reason,
/// and changes nothing.
bool make_fused(command& fused, std::span<const command_ptr> members, fusion_options options, std::string& why);

/// Memory that the kernels no longer use once they are fused.
struct promoted_memory {
  std::string name;             ///< name of an argument that points to the memory
  const buffer_record* record;  ///< null: the memory does not belong to a buffer, or other commands may use the buffer
  sinter::abi::promotion to;
  std::uint32_t bytes;  ///< size of the memory that replaces this memory
};

/// Several kernels that run as one, any number of times.
struct fused_kernels : counted {
  std::vector<command_ptr> members;
  std::vector<const void*> blocks;
  const sinter::fused_code* code = nullptr;
  sinter::fusion_choice* choice = nullptr;  ///< not null as long as it is measured whether the fused or the separate
                                            ///< kernels are faster
  sinter::kernel_launch launch{};
  std::vector<promoted_memory> promoted;
  const char* name = "fused kernel";  ///< name in the timeline
};
/// The graph whose kernels are fused.
struct fusing_graph {
  sinter::device_backend& backend;
  std::uint64_t number;
  bool lasting;  ///< true if no step of the graph will ever be updated
};
/// Returns null if it is not proved that fusion keeps the results, or if the kernels share no memory. In this case,
/// `refused` has the reason, and perhaps parts that can be fused. `elsewhere`: buffers of the members that other
/// commands use, too. `overwritten`: some of the buffers in `elsewhere`. The next command that uses such a buffer
/// overwrites the buffer without reading it. `last_runs_behind`: the last member is not fused, but runs after the
/// others. The fused members need not write memory that the last member overwrites, because no command reads this
/// memory in between.
shared<fused_kernels> fuse_for_replay(std::span<const command_ptr> members, const buffers_elsewhere& elsewhere,
                                      const buffers_elsewhere& overwritten, fusing_graph of, fusion_refused& refused,
                                      bool last_runs_behind = false);

} // namespace sycl::detail
