#include "fusion_choice.hpp"

#include <base/background_work.hpp>
#include <base/environment.hpp>
#include <base/race_notes.hpp>
#include <base/report.hpp>
#include <base/trace.hpp>
#include <cstdio>
#include <memory>
#include <unordered_map>

#include "bound_code.hpp"
#include "cache.hpp"

namespace sinter {
namespace {

using form = fusion_choice::form;

std::string milliseconds(std::uint64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f ms", static_cast<double>(nanoseconds) / 1e6);
  return text;
}

}  // namespace

fusion_choice::fusion_choice(std::string key, std::string names, std::string estimate)
    : m_key(std::move(key)), m_names(std::move(names)), m_estimate(std::move(estimate)) {
  if (!environment().measure_again) load();
}

form fusion_choice::next() {
  if (is_kept()) return is_kept(form::joined) ? form::joined : form::apart;
  std::lock_guard lock(m_mutex);
  return m_times.next();
}

void fusion_choice::note(form which, std::uint64_t nanoseconds) {
  if (is_kept()) return;
  {
    std::lock_guard lock(m_mutex);
    if (is_kept()) return;
    m_times.add(which, nanoseconds);
    if (!m_times.is_enough()) return;
    form better = m_times.better();
    if (environment().joined_wins) better = form::joined;
    if (environment().apart_wins) better = form::apart;
    for (const form each : {form::joined, form::apart})
      m_least[static_cast<std::size_t>(each)] = m_times.least(each);
    m_kept.store(static_cast<std::uint8_t>(better), std::memory_order_release);
  }
  const std::string what = text();
  const trace_scope in_trace(trace_kind::fusion, [&] { return m_names + ": " + what; });
  if (environment().report_fusion) {
    print_report({"fusion",
                  {"",
                   "fusion measured: " + what,
                   {{"nanoseconds_joined", m_least[0]},
                    {"nanoseconds_apart", m_least[1]},
                    {"joined", std::uint64_t{is_kept(form::joined)}}},
                   {{"members", m_names}, {"estimate", m_estimate}}}});
  }
  if (kernel_cache::instance().enabled()) run_in_background_next([this] { store(); });
}

std::string fusion_choice::text() const {
  std::lock_guard lock(m_mutex);
  if (!is_kept()) return "both forms run in turns until one is known to be faster (" + m_estimate + ")";
  return "one kernel takes " + milliseconds(m_least[0]) + ", its members one by one take " + milliseconds(m_least[1]) +
         ", so they run " + (is_kept(form::joined) ? "as one" : "one by one");
}

void fusion_choice::load() {
  std::string bytes;
  if (kernel_cache::instance().find(m_key, &bytes).empty()) return;
  form kept;
  if (read_choice(bytes, kept, m_least)) m_kept = static_cast<std::uint8_t>(kept);
}

void fusion_choice::store() const {
  const form kept = is_kept(form::joined) ? form::joined : form::apart;
  store_object(nullptr, nullptr, m_key, write_choice(kept, m_least));
}

fusion_choice& choice_for(const std::string& key, const std::string& names, const std::string& estimate) {
  static std::mutex mutex;
  static auto& known = *new (lasting) std::unordered_map<std::string, std::unique_ptr<fusion_choice>>;
  std::lock_guard lock(mutex);
  std::unique_ptr<fusion_choice>& found = known[key];
  if (!found) found = std::make_unique<fusion_choice>(key, names, estimate);
  return *found;
}

}  // namespace sinter
