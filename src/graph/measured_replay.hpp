#pragma once
/// Part of a graph for a device that works by itself: replays run some kernels as one or one by one, in turns, until
/// one form is known to be faster. The device measures, and results are looked at when the next replay is submitted.

#include <backends/program.hpp>
#include <cstdint>
#include <images/fusion_choice.hpp>
#include <memory>
#include <vector>

namespace sycl::inline _V1::detail {

/// Not thread-safe.
class measured_replay {
public:
  /// `choices`: of the part's fused kernels, at least one, which are made together. `steps`: all that the fused kernels
  /// stand for, in order.
  measured_replay(std::vector<sinter::fusion_choice*> choices, std::vector<std::uint32_t> steps,
                  std::unique_ptr<sinter::device_timer> timer)
      : m_choices(std::move(choices)), m_steps(std::move(steps)), m_timer(std::move(timer)) {}

  /// The form of the next replay.
  sinter::fusion_choice::form next();
  /// After next(): measures that replay; null: it is not measured, because an earlier one is under way, or the choice
  /// is made.
  sinter::device_timer* timer() const noexcept { return m_is_new ? m_timer.get() : nullptr; }
  /// Whether the step runs alone in the other form.
  bool has(std::uint32_t step) const noexcept;

  std::unique_ptr<sinter::device_program> apart;  ///< all steps with these ones alone; null: handed over one by one

private:
  const std::vector<sinter::fusion_choice*> m_choices;
  const std::vector<std::uint32_t> m_steps;
  const std::unique_ptr<sinter::device_timer> m_timer;
  sinter::fusion_choice::form m_form = sinter::fusion_choice::form::joined;  ///< of the replay that is measured
  std::uint64_t m_least[2] = {};  ///< of each form; 0: not known yet
  bool m_is_under_way = false, m_is_new = false;
};

}  // namespace sycl::detail
