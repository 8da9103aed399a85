#pragma once
/// The fusion list of a queue: kernels collected between start_fusion and complete_fusion.
///
/// The list has one command in the DAG, which represents all collected kernels. This command gets the dependencies of
/// the kernels, and is held back. If a host thread waits for one of the kernels, or a command outside the list needs
/// one, the list ends early: the kernels become commands of their own, in order, and the list's command runs after
/// them. When a fusion succeeds, the list's command runs the fused kernel itself.
///
/// If a kernel of another list that the program has started needs a buffer of this list, this list does not end: the
/// other list just waits for this list's command. This list ends if one of its next kernels would depend on the other
/// list, because the two lists would then wait for each other.

#include <exception>
#include <mutex>
#include <scheduler/command.hpp>
#include <scheduler/command_list.hpp>
#include <scheduler/scheduler.hpp>
#include <scheduler/submission_queue.hpp>
#include <span>
#include <string>
#include <vector>

namespace sycl::inline _V1::detail {

struct fusion_options {
  bool no_barriers = false;
  bool force = false;
  bool automatic = false;  ///< the runtime made the list: fusions need a proof, and no launch waits for the compiler
  bool trusted = false;    ///< the program's promises about its accesses are trusted without proof
  bool only_proved = false;  ///< promises of the program do not count, only proofs do
  bool must_pay = false;   ///< tiles are not used if they may be slower than the separate kernels
  bool tiles = false;  ///< kernels that read results of neighbouring work-items may compute these results again
  bool part = false;   ///< the list is a part of a longer list that was cut
  bool timed = false;  ///< the launch can measure whether the fused or the separate kernels are faster
  std::uint32_t tile_limits = 0;  ///< the device's limits, packed as abi::tile_limits; 0: the CPU of this process
};

class fusion_list final : public command_list {
public:
  /// Used by start() alone.
  fusion_list(shared<submission_queue> queue, bool automatic);
  /// Makes a list, which collects from now on.
  static shared<fusion_list> start(shared<submission_queue> queue, bool automatic);

  /// For automatic lists: whether a kernel with these requirements may join the kernels that the list has collected.
  bool fits(const command& kernel, std::span<const requirement> requirements);

  /// Adds a kernel, which is held back, and moves its `details` into the list. Returns the command to which the
  /// kernel's event refers, or null if the list has just ended.
  command_ptr collect(const command_ptr& kernel, collected_kernel& details);
  /// Runs the kernels one by one, or as one kernel if the list is automatic and fusion is possible. Does nothing when
  /// the list has ended.
  void end_early(list_end cause) override;
  /// Runs the kernels as one, if possible. Returns the command to wait for.
  command_ptr complete(const fusion_options& options);

private:
  struct kernels {
    std::vector<command_ptr> members;
    std::vector<collected_kernel> details;  ///< one entry for each collected kernel

    bool begin_again_with(const command& kernel, std::span<const requirement> requirements,
                          const sinter::abi::kernel_descriptor* begin) const;
  };
  struct ending {
    bool fused = false;
    std::string why;             ///< why the kernels are not fused
    std::string names;           ///< names of the kernels, in strict mode only
    std::exception_ptr failure;
    kernels left;                ///< destroyed without the mutex: they may hold the last reference to an object
  };
  obstacle add(const command_ptr& kernel, collected_kernel& details);
  bool try_to_fuse(const fusion_options& options, std::string& why);
  void submit_one_by_one();
  void note_automatic(const ending& how);
  ending end(const fusion_options* options, const char* cause = "");

  const shared<submission_queue> m_queue;
  const command_ptr m_command;  ///< completes with the last kernel; unless the list is automatic, events refer to it
  // protects the members below; held while the list ends, so that other threads never see a list that has half ended
  std::mutex m_mutex;
  kernels m_kernels;
  /// For automatic lists of a program that repeats a sequence of kernels: whether the list began in the middle of the
  /// sequence and ends before the sequence's first kernel.
  bool m_is_rest = false;
};

/// Whether `next` may join an automatic list, or a group of a graph, of these launches. There is at least one launch.
/// Kernels for which the result is false can rarely be fused.
bool goes_on(std::span<const sinter::kernel_launch* const> list, const sinter::kernel_launch& next);
// Longer lists gain little and take long to compile.
inline constexpr std::size_t longest_list = 16;

/// Prints a warning, unless SYCL_RT_WARNING_LEVEL is 0.
void warn_fusion(const std::string& text);
/// Warns that a command group that is no kernel was submitted to a queue in fusion mode.
void warn_not_fused(const std::string& kind);

} // namespace sycl::detail
