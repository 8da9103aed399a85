#pragma once
/// SINTER_TIERED: kernels without code start as host code, which every program contains, and the JIT makes their code
/// in the background if that pays.

#include <backends/stream.hpp>
#include <images/code_variant.hpp>

namespace sinter {

/// When host code has run for this many nanoseconds, over all launches, the JIT is asked, which takes at least ten
/// times as long.
inline constexpr double worth_compiling = 1e6;

/// Whether the host copy of the kernel gives the same results, and may run part of the launch now.
bool may_start_on_host(const kernel_launch& launch) noexcept;

/// Launches of one kernel, with groups of one size, that find no code.
class tiered_start {
public:
  /// The state that belongs to the launch. Never destroyed.
  static tiered_start& of(const kernel_launch& launch, const code_target& target);

  /// The code in memory or in the cache; null: there is none yet. No entry: there will never be one.
  const code_variant* find_code(const kernel_launch& launch);
  /// Compiling has failed: the launching thread should report why.
  bool has_failed() const noexcept { return m_failed; }
  bool has_asked() const noexcept { return m_asked; }
  /// Notes how many nanoseconds a part of the launch took as host code. Asks the JIT when that is worth it.
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
