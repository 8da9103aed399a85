#include "fused_steps.hpp"

#include <algorithm>
#include <cstring>
#include <memory/buffer_record.hpp>
#include <scheduler/test_hooks.hpp>

#include "measured_launch.hpp"
#include "temporaries.hpp"

namespace sycl::inline _V1::detail {
namespace {

// The largest number of sweeps of a stencil that are fused; more sweeps gain little.
constexpr std::size_t deepest_sweeps = 15;

/// Returns whether every dependency of `step` is in the group or comes before the group's first step.
bool follows(const graph_step& step, const fusion_group& group) {
  return std::all_of(step.before.begin(), step.before.end(), [&](std::uint32_t each) {
    return each < group.steps.front() ||
           std::find(group.steps.begin(), group.steps.end(), each) != group.steps.end();
  });
}

/// Makes a command from a step, because the functions of fusion take commands.
command_ptr member_of(const graph_step& step, sinter::device_backend& backend) {
  shared<node_work> work = step.work;
  if (work->counters.memory) {
    work = work->copy();
    std::memcpy(const_cast<char*>(static_cast<const char*>(work->launch.block)) + work->counters.place,
                &work->counters.memory, sizeof(void*));
    work->launch.finish = nullptr;
  }
  auto member = make_counted<command>();
  member->name = work->name;
  member->estimate = work->estimate;
  member->kernel = make_counted<kernel_work>(function_object(), work->launch, backend);
  member->kernel->launch.block = work->launch.block;
  member->kernel->memories = work->kernel->memories;
  for (const requirement& each : work->requirements) {
    const buffer_record& record = record_of(each);
    const void* begin = record.address_on(backend, record.data());
    member->kernel->memories.emplace_back(static_cast<const char*>(begin), record.bytes());
  }
  member->keep.push_back(work);
  return member;
}

/// Returns the buffers that steps outside the group use.
buffers_elsewhere used_elsewhere(const fusion_group& group, std::span<const graph_step> steps) {
  buffers_elsewhere result;
  if (promotes_what_is_read()) return result;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    if (std::find(group.steps.begin(), group.steps.end(), i) != group.steps.end()) continue;
    for (const requirement& each : steps[i].work->requirements) result.insert(each.memory.get());
  }
  return result;
}

bool is_in(const fusion_group& group, std::uint32_t step) {
  return std::find(group.steps.begin(), group.steps.end(), step) != group.steps.end();
}

/// Returns buffers whose contents after the group are never read, because the next step that uses such a buffer
/// overwrites it. All other steps that use the buffer wait for the overwriting step, or come before the group.
buffers_elsewhere overwritten_behind(const fusion_group& group, std::span<const graph_step> steps) {
  buffers_elsewhere result, later;
  for (std::uint32_t i = group.steps.front() + 1; i < steps.size(); ++i) {
    if (steps[i].is_nothing() || is_in(group, i)) continue;
    for (const requirement& each : steps[i].work->requirements) {
      if (later.insert(each.memory.get()).second && discards(steps[i], record_of(each)))
        result.insert(each.memory.get());
    }
  }
  return result;
}

/// Returns whether the group overwrites memory that it has read before; buffers in `but` don't count. For example,
/// sweeps of a stencil that alternate between two buffers overwrite what they have read.
bool overwrites_what_it_read(const fusion_group& group, std::span<const graph_step> steps,
                             const buffers_elsewhere* but) {
  buffers_elsewhere read, written;
  for (const std::uint32_t at : group.steps) {
    const auto& needs = steps[at].work->requirements;
    for (const requirement& each : needs) {
      const memory_users* memory = each.memory.get();
      if (mode_reads(each.mode) && !discards(steps[at], record_of(each)) && !written.contains(memory))
        read.insert(memory);
    }
    for (const requirement& each : needs) {
      const memory_users* memory = each.memory.get();
      if (!mode_writes(each.mode)) continue;
      if (read.contains(memory) && !(but && but->contains(memory))) return true;
      written.insert(memory);
    }
  }
  return false;
}

fusion_group first_of(const fusion_group& group, std::size_t count) {
  return {{group.steps.begin(), group.steps.begin() + static_cast<std::ptrdiff_t>(count)}, nullptr, {}};
}

/// Finds sweeps of a stencil that alternate between two buffers. The sweeps can be fused if a later step overwrites the
/// buffer that the first sweep reads. Each tile then keeps its new contents private while neighbouring tiles still read
/// the old contents. Returns how many sweeps at the beginning of the group can be fused in this way: all possible
/// numbers, the largest first.
std::vector<std::size_t> lengths_of_sweeps(const fusion_group& group, std::span<const graph_step> steps) {
  std::vector<std::size_t> lengths;
  for (std::size_t count = std::min(group.steps.size(), deepest_sweeps); count > 1; --count) {
    const fusion_group part = first_of(group, count);
    if (!overwrites_what_it_read(part, steps, nullptr)) break;
    const buffers_elsewhere overwritten = overwritten_behind(part, steps);
    if (!overwrites_what_it_read(part, steps, &overwritten)) lengths.push_back(count);
  }
  return lengths;
}

/// The kernel behind a fused group may overwrite memory that the group has read (sweeps between two allocations, or
/// between buffers that are written without `no_init`). Returns how many kernels at the beginning of the group can be
/// fused although the next kernel overwrites such memory. No other step may come between these kernels and the next
/// one, because such a step could read memory that the next kernel overwrites. Later steps are no problem: a later step
/// that does not wait for the next kernel would race with this kernel anyway. The caller knows that the first `known`
/// kernels can be fused.
std::vector<std::size_t> lengths_in_front_of_sweeps(const fusion_group& group, std::span<const graph_step> steps,
                                                    std::size_t known) {
  std::vector<std::size_t> lengths;
  if (group.steps.size() < 3 || known != 1) return lengths;
  const auto kernel_of = [&](std::size_t at) { return steps[group.steps[at]].work->launch.kernel; };
  if (kernel_of(0) != kernel_of(2)) return lengths;
  // Several numbers of sweeps are tried, because the size of halos, the size of memory or the distance between buffers
  // may allow fewer sweeps.
  for (std::size_t count = std::min(group.steps.size() - 1, deepest_sweeps); count > 1;
       count = lengths.size() % 2 == 0 ? count / 2 : count - 1) {
    const auto first = steps.begin() + group.steps[count - 1] + 1, last = steps.begin() + group.steps[count];
    if (!std::all_of(first, last, [](const graph_step& each) { return each.is_nothing(); })) break;
    lengths.push_back(count);
  }
  return lengths;
}

/// Fuses each part separately; the first part becomes the group.
void fuse_parts(fusion_group& group, const fusion_refused& refused, std::span<graph_step> steps, fusing_graph of,
                std::vector<fusion_group>& others) {
  std::vector<fusion_group> parts;
  for (std::size_t i = 0; i < refused.parts.size(); ++i) {
    const std::size_t end = i + 1 < refused.parts.size() ? refused.parts[i + 1] : group.steps.size();
    const std::span<const std::uint32_t> its = std::span(group.steps).subspan(refused.parts[i], end - refused.parts[i]);
    fusion_group& part = parts.emplace_back(fusion_group{{its.begin(), its.end()}, nullptr, refused.why});
    if (part.steps.size() > 1) fuse_group(part, steps, of, others);
  }
  group = std::move(parts.front());
  std::move(parts.begin() + 1, parts.end(), std::back_inserter(others));
}

}  // namespace

std::vector<fusion_group> find_groups(std::span<const graph_step> steps) {
  std::vector<fusion_group> groups;
  fusion_group open;
  std::vector<const sinter::kernel_launch*> launches;  // the launches of the group that is being collected
  const auto close = [&] {
    if (open.steps.size() > 1) groups.push_back(std::move(open));
    open = {};
    launches.clear();
  };
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const graph_step& step = steps[i];
    if (step.is_nothing()) continue;
    // A copy or a host task does not end a group by itself: it does so only if it has to run between two kernels of the
    // group.
    if (!step.work->kernel) continue;
    const bool joins = !open.steps.empty() && open.steps.size() < longest_list && follows(step, open) &&
                       goes_on(launches, step.work->launch);
    if (!joins) close();
    open.steps.push_back(i);
    launches.push_back(&step.work->launch);
  }
  close();
  return groups;
}

void fuse_group(fusion_group& group, std::span<graph_step> steps, fusing_graph of,
                std::vector<fusion_group>& others) {
  std::vector<command_ptr> members;
  for (const std::uint32_t each : group.steps) members.push_back(member_of(steps[each], of.backend));
  fusion_refused refused;
  const auto fuse_first = [&](std::size_t count) {
    fusion_group part = first_of(group, count);
    refused = {};
    const buffers_elsewhere overwritten = of.lasting ? overwritten_behind(part, steps) : buffers_elsewhere();
    part.fused =
        fuse_for_replay(std::span(members).first(count), used_elsewhere(part, steps), overwritten, of, refused);
    part.why = refused.why;
    return part;
  };
  // If the first n members can't be fused, no larger number of members can, so the largest number is found by
  // bisection.
  fusion_group longest = fuse_first(members.size());
  if (refused.measured) {
    group.why = refused.why;
    return;
  }
  const fusion_refused of_all = refused;
  std::string why = longest.why;
  std::size_t right = longest.fused ? members.size() : 1, wrong = members.size();
  if (!longest.fused && of.lasting) {
    for (const std::size_t count : lengths_of_sweeps(group, steps)) {
      if (count > wrong / 2 && wrong < members.size()) continue;
      fusion_group part = fuse_first(count);
      if (refused.measured) {
        group.why = refused.why;
        return;
      }
      wrong = count;
      if (!part.fused) continue;
      longest = std::move(part);
      right = count;
      break;
    }
    if (right == 1) wrong = members.size();
    for (const std::size_t count : lengths_in_front_of_sweeps(group, steps, right)) {
      refused = {};
      fusion_group part = first_of(group, count);
      part.fused = fuse_for_replay(std::span(members).first(count + 1), used_elsewhere(part, steps),
                                   overwritten_behind(part, steps), of, refused, /*last_runs_behind=*/true);
      if (refused.measured) {
        group.why = refused.why;
        return;
      }
      if (!part.fused) continue;
      longest = std::move(part);
      right = count, wrong = count + 1;
      break;
    }
  }
  if (right == 1 && !of_all.parts.empty()) return fuse_parts(group, of_all, steps, of, others);
  while (wrong - right > 1) {
    const std::size_t middle = right + (wrong - right) / 2;
    fusion_group part = fuse_first(middle);
    if (!part.fused) why = part.why;
    (part.fused ? right : wrong) = middle;
    if (part.fused || !longest.fused) longest = std::move(part);
  }
  const auto next = group.steps.begin() + static_cast<std::ptrdiff_t>(right);
  fusion_group rest{{next, group.steps.end()}, nullptr, std::move(why)};
  longest.steps.resize(right);
  group = std::move(longest);
  if (group.fused && lengthens_fused()) group.fused->launch.global_range[2] += 8 * group.fused->launch.local_range[2];
  if (rest.steps.empty()) return;
  if (rest.steps.size() > 1) fuse_group(rest, steps, of, others);
  others.push_back(std::move(rest));
}

void connect_group(const fusion_group& group, std::span<graph_step> steps, sinter::device_backend& backend) {
  const std::uint32_t first = group.steps.front();
  for (const std::uint32_t each : group.steps) {
    graph_step& step = steps[each];
    step.is_fused = static_cast<bool>(group.fused) && each != first;
    step.fused = each == first ? group.fused : nullptr;
    if (step.is_fused) {
      step.launch.reset();
      continue;
    }
    const sinter::kernel_launch& launch = group.fused ? group.fused->launch : step.work->launch;
    // Devices that work by themselves measure whole parts of the graph (measured_replay.hpp).
    const bool is_measured = group.fused && group.fused->choice && !backend.works_by_itself();
    // A step that is measured gets a launch of another kind, which consists of several launches.
    if (is_measured || step.measures) step.launch.reset();
    step.measures = is_measured;
    if (is_measured) {
      step.launch = make_measured_launch(*group.fused, backend);
    } else if (step.launch) {
      step.launch->change(launch);
    } else {
      step.launch = backend.make_ready(launch);
    }
  }
  if (!group.fused) return;
  // Steps that wait for a member now wait for the fused step, which waits for everything that any member waits for.
  for (const std::uint32_t each : group.steps) {
    if (each == first) continue;
    if (std::find(steps[each].before.begin(), steps[each].before.end(), first) == steps[each].before.end()) {
      steps[each].before.push_back(first);
      steps[first].after.push_back(each);
    }
    for (const std::uint32_t before : steps[each].before) {
      auto& waits_for = steps[first].before;
      if (before >= first || std::find(waits_for.begin(), waits_for.end(), before) != waits_for.end()) continue;
      waits_for.push_back(before);
      steps[before].after.push_back(first);
    }
  }
}

}  // namespace sycl::detail
