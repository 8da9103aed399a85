#include "measured_replay.hpp"

#include <algorithm>

namespace sycl::inline _V1::detail {

using form = sinter::fusion_choice::form;

form measured_replay::next() {
  m_is_new = false;
  if (const std::uint64_t time = m_is_under_way ? m_timer->take() : 0) {
    for (sinter::fusion_choice* each : m_choices) each->note(m_form, time);
    std::uint64_t& least = m_least[static_cast<std::size_t>(m_form)];
    least = least == 0 ? time : std::min(least, time);
    m_is_under_way = false;
  }
  sinter::fusion_choice& first = *m_choices.front();
  if (first.is_kept()) return first.next();
  // Replays that are not measured use the form that has the shortest measured time so far.
  const auto [joined, apart] = m_least;
  if (m_is_under_way) return apart != 0 && apart < joined ? form::apart : form::joined;
  m_form = first.next();
  m_is_under_way = m_is_new = true;
  return m_form;
}

bool measured_replay::has(std::uint32_t step) const noexcept {
  return std::binary_search(m_steps.begin(), m_steps.end(), step);
}

}  // namespace sycl::detail
