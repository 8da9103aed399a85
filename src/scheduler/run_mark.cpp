#include "run_mark.hpp"

#include <base/race_notes.hpp>
#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_set>

#include "command_stream.hpp"

namespace sycl::inline _V1::detail {
namespace {

struct marks {
  std::mutex mutex;  // protects the members below
  std::vector<const void*> searching;
  std::multimap<const void*, dependency> waiting;

  static marks& instance() {
    static auto* all = new (sinter::lasting) marks;
    return *all;
  }
};

}  // namespace

constinit thread_local const run_mark* run_mark::innermost = nullptr;

std::vector<const void*> run_mark::all() {
  std::vector<const void*> found{this_thread()};
  for (const run_mark* each = innermost; each; each = each->m_outer) found.push_back(each->m_what);
  return found;
}

void waiting_mark::add(const dependency& awaited) {
  m_who = run_mark::all();
  marks& all = marks::instance();
  std::lock_guard lock(all.mutex);
  for (const void* each : m_who) all.waiting.emplace(each, awaited);
}

void waiting_mark::remove() {
  std::vector<dependency> dropped;  // destroyed without the lock
  marks& all = marks::instance();
  std::lock_guard lock(all.mutex);
  for (const void* each : m_who) {
    // The latest of the waits that are recorded for this thread or command.
    const auto latest = std::prev(all.waiting.upper_bound(each));
    dropped.push_back(std::move(latest->second));
    all.waiting.erase(latest);
  }
}

searching_mark::searching_mark() : m_who(run_mark::all()) {
  marks& all = marks::instance();
  std::lock_guard lock(all.mutex);
  all.searching.insert(all.searching.end(), m_who.begin(), m_who.end());
}

searching_mark::~searching_mark() {
  marks& all = marks::instance();
  std::lock_guard lock(all.mutex);
  for (const void* each : m_who) all.searching.erase(std::find(all.searching.begin(), all.searching.end(), each));
}

prospect prospect_of(const dependency& awaited) {
  std::vector<dependency> path{awaited};  // keeps the commands alive until all have been visited
  std::unordered_set<const void*> seen;
  prospect result = prospect::sure;
  for (std::size_t next = 0; next < path.size(); ++next) {
    const dependency at = path[next];
    const void* const what = at.node ? static_cast<const void*>(at.node.get()) : at.order.get();
    if (at.is_complete() || !seen.insert(what).second) continue;
    if (!(at.node ? at.node->works_by_itself() : at.order->works_by_itself())) result = prospect::unsure;
    {
      marks& all = marks::instance();
      std::lock_guard lock(all.mutex);
      const auto searches = [&](const void* who) {
        return std::find(all.searching.begin(), all.searching.end(), who) != all.searching.end();
      };
      if (searches(what)) return prospect::never;
      const bool is_access = at.node && at.node->host_access && at.node->status() == command::state::running;
      if (is_access && searches(at.node->accessing_thread)) return prospect::never;
      const auto [first, last] = all.waiting.equal_range(what);
      std::for_each(first, last, [&](const auto& each) { path.push_back(each.second); });
    }
    if (!at.node) continue;
    if (at.node->fusion.load(std::memory_order_acquire)) result = prospect::unsure;
    const short_list<dependency, 4> before = at.node->dependencies();
    for (std::size_t i = 0; i < before.size(); ++i) path.push_back(before[i]);
  }
  return result;
}

}  // namespace sycl::detail
