#pragma once
/// With SINTER_TIERED, kernels without code start as host code, which every program contains, and the JIT makes their
/// code in the background if that pays.

#include <backends/stream.hpp>
#include <images/code_variant.hpp>

namespace sinter {

/// When host code of a kernel has run for so many nanoseconds in all launches, the JIT is asked for code. Compiling
/// takes at least ten times as long.
inline constexpr double worth_compiling = 1e6;

/// Returns whether the host copy of the kernel gives the same results and may run part of the launch now.
bool may_start_on_host(const kernel_launch& launch) noexcept;

/// The state of launches that find no code, for one kernel and one size of groups.
class tiered_start {
public:
  /// Returns the state that belongs to the launch. It is never destroyed.
  static tiered_start& of(const kernel_launch& launch, const code_target& target);

  /// Returns the code in memory or in the cache, or null if there is none yet. Code without an entry means that there
  /// will never be any.
  const code_variant* find_code(const kernel_launch& launch);
  /// Returns whether compiling has failed. The launching thread should then report the reason.
  bool has_failed() const noexcept { return m_failed; }
  bool has_asked() const noexcept { return m_asked; }
  /// Notes how many nanoseconds a part of the launch took as host code. Asks the JIT for code when host code has taken
  /// worth_compiling nanoseconds.
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
