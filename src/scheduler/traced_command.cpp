#include "traced_command.hpp"

#include <algorithm>
#include <backends/traced_launch.hpp>
#include <base/trace.hpp>
#include <cstring>

#include "scheduler.hpp"
#include "submission_queue.hpp"

namespace sycl::inline _V1::detail {
namespace {

using sinter::trace_kind;

/// Returns a command's point in the timeline. Several threads record edges and spans of a command.
sinter::traced_point point_of(command& node) {
  std::atomic_ref<std::uint64_t> number(node.traced);
  std::uint64_t known = number.load(std::memory_order_relaxed);
  if (known == 0) {
    const std::uint64_t fresh = sinter::next_trace_number();
    if (number.compare_exchange_strong(known, fresh, std::memory_order_relaxed)) known = fresh;
  }
  return {0, known};
}

sinter::traced_span span_of(command& node, std::uint64_t start, std::uint64_t end) {
  traced_part part = traced_work(node.own_work(), node.name);
  if (!node.launches.empty()) part.kind = trace_kind::kernel;
  if (node.launches.size() == 1) part.size = node.launches.front().work_items();
  if (node.is_transfer) part.kind = trace_kind::transfer;
  return {.kind = part.kind,
          .name = part.name,
          .start = start,
          .end = end,
          .point = point_of(node),
          .queue = node.queue ? node.queue->number() : 0,
          .size = part.size};
}

}  // namespace

traced_part traced_work(const sinter::device_work& work, const char* name) {
  if (const sinter::kernel_launch* const launch = work.launch()) {
    return {launch->is_fused() ? name : sinter::traced_name(*launch->kernel), trace_kind::kernel,
            launch->work_items()};
  }
  // Command groups without a command have no name.
  const char* const text = *name ? name : "empty";
  if (work.memory()) return {text, trace_kind::memory, sinter::traced_bytes(*work.memory())};
  if (std::strcmp(name, "graph") == 0) return {text, trace_kind::graph, 0};
  return {text, std::strncmp(name, "fused", 5) == 0 ? trace_kind::kernel : trace_kind::host, 0};
}

void trace_run(command& run, std::uint64_t start, std::uint64_t end) {
  sinter::trace(span_of(run, start, end));
  if (run.replay) run.replay->add(start, end);
}

std::vector<traced_part> traced_parts(const command& claimed) {
  std::vector<traced_part> parts;
  if (claimed.list) {
    for (const work_list::item& each : claimed.list->items) parts.push_back(traced_work(each.work, each.name));
  }
  for (const sinter::kernel_launch& each : claimed.launches) parts.push_back(traced_work(each, claimed.name));
  return parts;
}

void trace_on_device(command& complete, std::span<const traced_part> parts,
                     std::span<const sinter::command_times> tickets) {
  if (complete.ends_graph) return;
  const sinter::command_times last = tickets.back();
  sinter::traced_span whole = span_of(complete, last.start, last.end);
  whole.on_thread = false;
  if (parts.empty()) {
    if (last.start != 0) sinter::trace(whole);
    if (complete.replay) complete.replay->add(last.start, last.end);
    return;
  }
  // A list has a ticket for each part, and one more at the end, which is a mark. A part that has failed has no ticket.
  // If there is such a part, it is not known which ticket belongs to which part.
  const bool known = tickets.size() == parts.size() + (complete.list ? 1 : 0);
  std::uint64_t first_start = 0, last_end = 0;
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    const sinter::command_times its = tickets[i];
    if (i < parts.size() && its.start != 0) {
      first_start = first_start == 0 ? its.start : std::min(first_start, its.start);
      last_end = std::max(last_end, its.end);
    }
    if (!known || i >= parts.size() || its.start == 0) continue;
    sinter::traced_span part = whole;
    part.name = parts[i].name;
    part.kind = parts[i].kind;
    part.size = parts[i].size;
    part.start = its.start;
    part.end = its.end;
    sinter::trace(part);
  }
  if (complete.replay) complete.replay->add(first_start, last_end);
}

void trace_host_access(command& access) {
  static const std::uint32_t track = [] {
    constexpr std::uint32_t host_accesses = 1u << 20;  // larger than all numbers of queues
    sinter::trace_track(host_accesses, "host accesses", false);
    return host_accesses;
  }();
  if (access.start_time == 0) return;
  sinter::trace({.kind = trace_kind::host,
                 .name = "host access",
                 .start = access.start_time,
                 .end = now_nanoseconds(),
                 .point = point_of(access),
                 .queue = track,
                 .on_thread = false});
}

void trace_edge(const dependency& before, command& after) {
  const sinter::traced_point from =
      before.node ? point_of(*before.node) : sinter::traced_point{before.order->number(), before.ticket};
  sinter::trace_dependence(from, point_of(after));
}

}  // namespace sycl::detail
