#pragma once
/// With SINTER_TIERED, kernels that are not compiled yet start as host code, which every program contains. If a kernel
/// runs long enough, the JIT compiles it in the background.

#include <backends/stream.hpp>
#include <images/code_variant.hpp>

namespace sinter {

/// When a kernel's host code has run for this many nanoseconds in all launches together, code is requested from the
/// JIT. Compiling takes at least ten times as long as this.
inline constexpr double worth_compiling = 1e6;

/// Returns whether the kernel has a host copy that gives the same results as compiled code, and whether the host copy
/// may run part of this launch.
bool may_start_on_host(const kernel_launch& launch) noexcept;

/// The state of the tiered start of one kernel, for one size of groups.
class tiered_start {
public:
  /// Returns the state that belongs to the launch. It is never destroyed.
  static tiered_start& of(const kernel_launch& launch, const code_target& target);

  /// Returns the kernel's code from memory or from the cache, or null if there is none yet. If the result has no entry
  /// function, the kernel can't be compiled.
  const code_variant* find_code(const kernel_launch& launch);
  /// Returns whether compiling has failed. If compiling has failed, the launching thread requests the code itself,
  /// which reports the reason.
  bool has_failed() const noexcept { return m_failed; }
  bool has_asked() const noexcept { return m_asked; }
  /// Adds the nanoseconds that a part of the launch took as host code. Requests code from the JIT when the sum reaches
  /// worth_compiling.
  void note(const kernel_launch& launch, double nanoseconds);

private:
  tiered_start(const code_target& target, const abi::local_range& group) : m_target(target), m_group(group) {}
  void ask(const kernel_launch& launch);

  const code_target& m_target;
  const abi::local_range m_group;
  std::atomic<double> m_nanoseconds{0};
  std::atomic<bool> m_looked{false}, m_asked{false}, m_failed{false};
};

}  // namespace sinter
