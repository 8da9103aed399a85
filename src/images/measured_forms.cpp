#include "measured_forms.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

namespace sinter {
namespace {

using form = measured_forms::form;

// For each of the two forms, between 3 and 8 launches are measured. Measuring ends earlier if all launches in one form
// were shorter than all launches in the other form.
constexpr std::size_t least_launches = 3, most_launches = 8;
// The fused kernel is only chosen if it saves more than 1/32 of the time, because smaller differences may be noise.
constexpr std::uint64_t noise_share = 32;

}  // namespace

form measured_forms::next() const noexcept {
  const auto known = [&](form which) { return count(which) + (m_is_warm[index(which)] ? 1 : 0); };
  return known(form::joined) <= known(form::apart) ? form::joined : form::apart;
}

void measured_forms::add(form which, std::uint64_t nanoseconds) {
  if (std::exchange(m_is_warm[index(which)], true)) m_times[index(which)].push_back(nanoseconds);
}

bool measured_forms::is_enough() const {
  const std::vector<std::uint64_t>&a = m_times[0], &b = m_times[1];
  const std::size_t launches = std::min(a.size(), b.size());
  if (launches < least_launches || launches >= most_launches) return launches >= most_launches;
  const auto [least_a, most_a] = std::minmax_element(a.begin(), a.end());
  const auto [least_b, most_b] = std::minmax_element(b.begin(), b.end());
  return *most_a < *least_b || *most_b < *least_a;
}

std::uint64_t measured_forms::least(form which) const noexcept {
  const std::vector<std::uint64_t>& times = m_times[index(which)];
  return times.empty() ? 0 : *std::min_element(times.begin(), times.end());
}

form measured_forms::better() const {
  const std::uint64_t joined = least(form::joined), apart = least(form::apart);
  return joined < apart - apart / noise_share ? form::joined : form::apart;
}

std::string size_class(std::uint64_t work_items) {
  const int octave = std::bit_width(work_items);
  const bool upper = octave >= 2 && (work_items >> (octave - 2) & 1) != 0;
  return std::to_string(octave) + (upper ? "+" : "");
}

std::string write_choice(form kept, const std::uint64_t (&least)[2]) {
  return std::string(kept == form::joined ? "joined " : "apart ") + std::to_string(least[0]) + " " +
         std::to_string(least[1]);
}

bool read_choice(const std::string& bytes, form& kept, std::uint64_t (&least)[2]) {
  const std::size_t space = bytes.find(' ');
  const std::string word = bytes.substr(0, space);
  if (space == std::string::npos || (word != "joined" && word != "apart")) return false;
  const char *at = bytes.data() + space + 1, *const end = bytes.data() + bytes.size();
  std::uint64_t numbers[2];
  for (std::uint64_t& each : numbers) {
    const auto [next, error] = std::from_chars(at, end, each);
    if (error != std::errc()) return false;
    at = next;
    if (&each == numbers && (at == end || *at++ != ' ')) return false;
  }
  if (at != end) return false;
  kept = word == "joined" ? form::joined : form::apart;
  std::copy(numbers, numbers + 2, least);
  return true;
}

}  // namespace sinter
