#pragma once
/// Measures, on a device that works by itself, whether a partition of a graph is faster with fused kernels or with the
/// separate kernels. Until the result is known, some replays use the fused kernels, and the other replays use the
/// separate kernels. The device takes the times, and the host reads them when it submits the next replay.

#include <backends/program.hpp>
#include <cstdint>
#include <images/fusion_choice.hpp>
#include <memory>
#include <vector>

namespace sycl::inline _V1::detail {

/// Not thread-safe.
class measured_replay {
public:
  /// `choices` has an entry for each fused kernel of the partition, at least one. One decision is made for all of them,
  /// because only the whole partition is measured. `steps` are the steps that the fused kernels replace, in order.
  measured_replay(std::vector<sinter::fusion_choice*> choices, std::vector<std::uint32_t> steps,
                  std::unique_ptr<sinter::device_timer> timer)
      : m_choices(std::move(choices)), m_steps(std::move(steps)), m_timer(std::move(timer)) {}

  /// The form of the next replay.
  sinter::fusion_choice::form next();
  /// Must be called after next(). Returns the timer for the replay whose form next() has returned, or null if the
  /// replay is not measured because an earlier measurement is under way or the choice is made.
  sinter::device_timer* timer() const noexcept { return m_is_new ? m_timer.get() : nullptr; }
  /// Whether the step is part of a fused kernel, and runs alone only in the form `apart`.
  bool has(std::uint32_t step) const noexcept;

  /// the driver's program of all steps, in which the members of fused kernels run one by one; null if steps are handed
  /// over one by one
  std::unique_ptr<sinter::device_program> apart;

private:
  const std::vector<sinter::fusion_choice*> m_choices;
  const std::vector<std::uint32_t> m_steps;
  const std::unique_ptr<sinter::device_timer> m_timer;
  sinter::fusion_choice::form m_form = sinter::fusion_choice::form::joined;  ///< form of the replay that is measured
  std::uint64_t m_least[2] = {};  ///< the shortest time of each form; 0: not known yet
  bool m_is_under_way = false, m_is_new = false;
};

}  // namespace sycl::detail
