#include "partitions.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace sycl::inline _V1::detail {
namespace {

/// Returns whether the step is host code, or an empty step whose only effect is a copy of buffers' contents to the
/// host.
bool is_on_host(const graph_step& step) noexcept {
  return step.work->on_host && (!step.is_nothing() || !step.work->requirements.empty());
}

/// A union-find structure of disjoint sets of steps.
class sets {
public:
  explicit sets(std::size_t count) : m_parents(count) { std::iota(m_parents.begin(), m_parents.end(), 0u); }
  std::uint32_t find(std::uint32_t at) noexcept {
    while (m_parents[at] != at) at = m_parents[at] = m_parents[m_parents[at]];
    return at;
  }
  void join(std::uint32_t a, std::uint32_t b) noexcept { m_parents[find(a)] = find(b); }

private:
  std::vector<std::uint32_t> m_parents;
};

void add_once(std::vector<std::uint32_t>& all, std::uint32_t added) {
  if (std::find(all.begin(), all.end(), added) == all.end()) all.push_back(added);
}

}  // namespace

std::vector<graph_partition> make_partitions(std::span<const graph_step> steps) {
  const auto count = static_cast<std::uint32_t>(steps.size());
  // Each path to a step has a number of edges from or to steps of the host. The largest of these numbers is the depth
  // of the step. So no path between two steps of equal depth leads through a step of the host.
  std::vector<std::uint32_t> depth(count);
  sets joined(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const std::uint32_t each : steps[i].before) {
      const bool alone = is_on_host(steps[i]) || is_on_host(steps[each]);
      depth[i] = std::max(depth[i], depth[each] + (alone ? 1 : 0));
    }
    for (const std::uint32_t each : steps[i].before) {
      if (depth[each] == depth[i]) joined.join(i, each);
    }
  }
  // Two sets become one set if they wait for the same sets, and if the same sets wait for them.
  std::map<std::uint32_t, std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> neighbours;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_on_host(steps[i])) continue;
    auto& [before, after] = neighbours[joined.find(i)];
    for (const std::uint32_t each : steps[i].before) {
      if (depth[each] != depth[i]) add_once(before, is_on_host(steps[each]) ? each : joined.find(each));
    }
    for (const std::uint32_t each : steps[i].after) {
      if (depth[each] != depth[i]) add_once(after, is_on_host(steps[each]) ? each : joined.find(each));
    }
  }
  std::map<std::tuple<std::uint32_t, std::vector<std::uint32_t>, std::vector<std::uint32_t>>, std::uint32_t> alike;
  for (auto& [piece, its] : neighbours) {
    auto& [before, after] = its;
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    const auto [found, is_new] = alike.try_emplace({depth[piece], before, after}, piece);
    if (!is_new) joined.join(piece, found->second);
  }
  // Partitions are sorted by depth, so that each comes after the partitions that it waits for.
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return depth[a] != depth[b] ? depth[a] < depth[b] : a < b; });
  std::vector<graph_partition> result;
  std::map<std::uint32_t, std::uint32_t> place;  // for each set, the index of its partition
  std::vector<std::uint32_t> partition_of(count);
  for (const std::uint32_t i : order) {
    const auto [found, is_new] = place.try_emplace(joined.find(i), static_cast<std::uint32_t>(result.size()));
    if (is_new) result.emplace_back().on_host = is_on_host(steps[i]);
    partition_of[i] = found->second;
    graph_partition& mine = result[found->second];
    for (const std::uint32_t each : steps[i].before) {
      if (partition_of[each] != found->second) add_once(mine.before, partition_of[each]);
    }
    mine.steps.push_back(i);
  }
  return result;
}

}  // namespace sycl::detail
