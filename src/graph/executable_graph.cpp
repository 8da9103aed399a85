#include "executable_graph.hpp"

#include <algorithm>
#include <backends/program.hpp>
#include <base/environment.hpp>
#include <base/report.hpp>
#include <base/trace.hpp>
#include <deque>
#include <scheduler/device_channel.hpp>
#include <scheduler/scheduler.hpp>
#include <scheduler/test_hooks.hpp>
#include <unordered_map>

#include <sycl/exception.hpp>

namespace sycl::inline _V1::detail {
namespace {

/// Returns the nodes in an order in which each node comes after the nodes that it waits for. Apart from that, the nodes
/// keep the order in which they were added.
std::vector<const graph_node*> in_order(const modifiable_graph& graph) {
  std::vector<const graph_node*> order;
  for (const shared<graph_node>& each : graph.nodes()) order.push_back(each.get());
  // With shuffling, which tests switch on, the order is a random one among all orders that the edges allow.
  if (!graph.has_backward_edges() && !shuffles()) return order;
  std::vector<std::size_t> waits_for(order.size());
  std::vector<const graph_node*> ready;
  for (std::size_t i = order.size(); i-- > 0;) {
    waits_for[i] = order[i]->predecessors.size();
    if (waits_for[i] == 0) ready.push_back(order[i]);
  }
  order.clear();
  while (!ready.empty()) {
    if (shuffles()) std::swap(ready.back(), ready[shuffled(ready.size())]);
    const graph_node* at = ready.back();
    ready.pop_back();
    order.push_back(at);
    for (const graph_node* each : at->successors) {
      if (--waits_for[each->index()] == 0) ready.push_back(each);
    }
  }
  // A cycle is only possible in a graph with no_cycle_check, where the program has promised that there is none.
  if (order.size() != waits_for.size()) refuse_graph("finalize: nodes of the graph wait for each other in a cycle");
  return order;
}

/// Merges several uses of one buffer into one; if their parts differ, the merged use covers the whole buffer.
void merge_use(std::vector<requirement>& all, const requirement& added) {
  const auto known = std::find_if(all.begin(), all.end(), [&](const requirement& each) {
    return each.memory.get() == added.memory.get() && each.place == added.place;
  });
  if (known == all.end()) {
    all.push_back(added);
    return;
  }
  requirement& its = *known;
  const bool writes = mode_writes(its.mode) || mode_writes(added.mode);
  const bool discards = its.no_init || its.mode == access_mode::discard_write;
  const bool covers = its.part.covers(added.part);
  if (!covers && !added.part.covers(its.part)) {
    its.part = region(record_of(its).bytes());
    its.no_init = false;
  } else if (!covers) {
    its.part = added.part;
    its.no_init = false;
  } else {
    // Later kernels read the contents that the first kernel writes.
    its.no_init = discards;
  }
  its.mode = writes ? access_mode::read_write : access_mode::read;
}

}  // namespace

executable_graph::executable_graph(const modifiable_graph& graph, options its_options)
    : m_end(graph.end()), m_graph(graph.id()), m_home(graph.queue()), m_options(its_options), m_memory(graph.memory()) {
  if (sinter::traces()) {
    sinter::trace_track(m_home->number(), "graph " + std::to_string(m_graph) + " on " + m_home->backend().facts().name,
                        false);
  }
  if (sinter::traces() && m_home->works_by_itself()) {
    // In the timeline, the track numbers of replays are above the numbers of queues and differ from the numbers of step
    // runners.
    m_replays = (1u << 21) + static_cast<std::uint32_t>(sinter::next_trace_number());
    sinter::trace_track(
        m_replays, "replays of graph " + std::to_string(m_graph) + " on " + m_home->backend().facts().name, false);
  }
  std::lock_guard lock(graph.mutex());
  std::vector<std::vector<std::uint32_t>> exits(graph.nodes().size());
  m_step_of.resize(graph.nodes().size());
  for (const graph_node* each : in_order(graph)) {
    std::vector<std::uint32_t> entries;
    add_steps(*each, entries, exits[each->index()]);
    for (const graph_node* before : each->predecessors) {
      for (const std::uint32_t exit : exits[before->index()]) {
        for (const std::uint32_t entry : entries) connect(exit, entry);
      }
    }
  }
  for (const shared<graph_node>& each : graph.nodes()) {
    m_nodes.push_back(each);
    std::vector<std::size_t>& before = m_predecessors.emplace_back();
    for (const graph_node* earlier : each->predecessors) before.push_back(earlier->index());
  }
  if (!m_options.updatable) m_dropped = drop_unread(m_steps, m_graph);
  // Steps get the addresses of their memory before they are fused, because fused kernels contain these addresses.
  if (m_options.fuses) {
    for (graph_step& each : m_steps) each.before_alone = each.before;
    place_steps();
    fuse();
  }
  // In graphs that can be updated, each buffer keeps its own memory, because an update may change how steps use the
  // buffers.
  if (!m_options.updatable) m_temporaries = share_memory(m_steps, m_graph, m_home->backend());
  if (!m_options.fuses) place_steps();
  for (graph_step& each : m_steps) {
    if (!each.launch && !each.is_fused) prepare(each);
  }
  if (m_home->works_by_itself()) {
    m_partitions = make_partitions(m_steps);
    for (graph_partition& each : m_partitions) make_programs(each);
  }
  collect_requirements();
  report();
  m_runner.prepare(m_steps, m_home->backend(), *this);
  if (!m_options.updatable && !m_home->works_by_itself()) m_runner.adapt_with(m_options.constants, m_graph);
}

executable_graph::~executable_graph() = default;

void executable_graph::connect(std::uint32_t before, std::uint32_t after) {
  m_steps[before].after.push_back(after);
  m_steps[after].before.push_back(before);
}

/// Adds the steps of a node. The node of a sub-graph is replaced by the sub-graph's nodes; if the sub-graph ends in
/// several nodes, an empty step waits for all of these nodes.
void executable_graph::add_steps(const graph_node& node, std::vector<std::uint32_t>& entries,
                                 std::vector<std::uint32_t>& exits) {
  const shared<node_work>& work = node.current();
  const auto add = [&](const shared<node_work>& its) {
    m_steps.emplace_back().work = its;
    return static_cast<std::uint32_t>(m_steps.size() - 1);
  };
  const std::uint32_t first = add(work->graph ? make_counted<node_work>() : work);
  entries = exits = {first};
  m_step_of[node.index()] = first;
  if (!work->graph) return;
  const executable_graph& inner = *work->graph;
  std::lock_guard lock(inner.m_mutex);
  const std::uint32_t base = first + 1;
  exits.clear();
  for (const graph_step& each : inner.m_steps) {
    const std::uint32_t at = add(each.work);
    m_steps[at].is_inner = true;
    for (const std::uint32_t before : each.before) connect(base + before, at);
    if (each.before.empty()) connect(first, at);
    if (each.after.empty()) exits.push_back(at);
  }
  if (exits.size() == 1) return;
  const std::uint32_t last = add(make_counted<node_work>());
  for (const std::uint32_t each : exits) connect(each, last);
  if (exits.empty()) connect(first, last);
  exits = {last};
}

/// If the device has memory of its own, returns a copy of the work with the buffers' addresses on the device.
shared<node_work> executable_graph::placed(shared<node_work> work) const {
  sinter::device_backend& device = m_home->backend();
  const bool uses_it = std::any_of(work->requirements.begin(), work->requirements.end(),
                                   [&](const requirement& each) { return each.place == &device; });
  return uses_it && device.has_own_memory() && !work->on_host ? work->bound_to(device) : work;
}

void executable_graph::place_steps() {
  for (graph_step& each : m_steps) {
    // Steps of sub-graphs already have the addresses on the device.
    if (!each.is_inner) each.work = placed(std::move(each.work));
  }
}

void executable_graph::fuse() {
  std::vector<fusion_group> others;
  m_groups = find_groups(m_steps);
  const fusing_graph of{m_home->backend(), m_graph, !m_options.updatable};
  for (fusion_group& each : m_groups) fuse_group(each, m_steps, of, others);
  m_groups.insert(m_groups.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  for (const fusion_group& each : m_groups) {
    if (each.fused) connect_group(each, m_steps, m_home->backend());
  }
}

namespace {

using sinter::report_statement;

/// Returns the promotions of memory in a fused group, and the bytes that they save.
std::vector<report_statement> gains_of(const fused_kernels& fused) {
  std::vector<report_statement> gains;
  for (const promoted_memory& each : fused.promoted) {
    const bool is_local = each.to == sinter::abi::promotion::local_memory;
    const char* where = is_local ? "local" : "private";
    gains.push_back({"promoted",
                     each.name + " to " + where + " memory, " + std::to_string(each.bytes) + " bytes for each " +
                         (is_local ? "group" : "work-item"),
                     {{"name", each.name}, {"memory", where}, {"bytes", std::uint64_t{each.bytes}}}});
  }
  if (fused.choice) gains.push_back({"measured", fused.choice->text()});
  const std::uint64_t saved = saved_bytes(fused.launch, *fused.code);
  if (saved != 0) {
    gains.push_back({"saved", std::to_string(saved / 1000) + " kB of memory traffic in each run", {{"bytes", saved}}});
  }
  return gains;
}

}  // namespace

void executable_graph::report() const {
  if (!sinter::environment().report_graph) return;
  std::uint64_t edges = 0, work = 0, programs = 0;
  for (const graph_step& each : m_steps) {
    edges += each.before.size();
    work += each.is_nothing() ? 0 : 1;
  }
  for (const graph_partition& each : m_partitions) programs += each.program ? 1 : 0;
  const std::uint64_t nodes = m_nodes.size(), partitions = m_home->works_by_itself() ? m_partitions.size() : 1;
  report_statement graph{"",
                         "graph " + std::to_string(m_graph) + ": " + std::to_string(nodes) + " nodes -> " +
                             std::to_string(work) + " steps, " + std::to_string(edges) + " edges, " +
                             (m_home->works_by_itself() ? std::to_string(partitions) + " partitions, " +
                                                              std::to_string(programs) + " of them graphs of the device"
                                                        : "one command"),
                         {{"graph", m_graph},
                          {"nodes", nodes},
                          {"steps", work},
                          {"edges", edges},
                          {"partitions", partitions},
                          {"device_graphs", programs}}};
  for (const fusion_group& each : m_groups) {
    std::string members;
    for (const std::uint32_t step : each.steps) {
      members += (members.empty() ? "" : ", ") + text_of(*m_steps[step].work);
    }
    const sinter::report_value count{"kernels", std::uint64_t{each.steps.size()}};
    graph.parts.push_back(each.fused ? report_statement{"fused", members, {count}, gains_of(*each.fused)}
                                     : report_statement{"not fused", members + ": " + each.why, {count}});
  }
  for (const graph_partition& each : m_partitions) {
    if (each.plain.empty()) continue;
    graph.parts.push_back({"plain",
                           std::to_string(each.steps.size()) + " steps handed over one by one: " + each.plain,
                           {{"steps", std::uint64_t{each.steps.size()}}}});
  }
  if (!m_dropped.empty()) {
    graph.parts.push_back(
        {"not done",
         std::to_string(m_dropped.size()) + " copies or fills of buffers that nobody reads behind them",
         {{"commands", std::uint64_t{m_dropped.size()}}}});
  }
  const std::uint64_t buffers = m_temporaries.buffers, promoted = m_temporaries.promoted;
  const std::uint64_t before = m_temporaries.before, after = m_temporaries.after;
  if (buffers != 0) {
    graph.parts.push_back({"temporaries",
                           std::to_string(buffers) + " buffers that only the graph sees, " + std::to_string(before) +
                               " bytes; with shared memory " + std::to_string(after) + " bytes",
                           {{"buffers", buffers}, {"bytes", before}, {"bytes_with_shared_memory", after}}});
  }
  if (promoted != 0) {
    graph.parts.push_back(
        {"promoted",
         std::to_string(promoted) + " buffers that only the graph sees, which fused kernels don't use any more",
         {{"buffers", promoted}}});
  }
  sinter::print_report({"graph", std::move(graph)});
}

void executable_graph::prepare(graph_step& step) {
  if (step.launch && step.work->kernel) return step.launch->change(step.work->launch);
  step.launch = step.work->kernel ? m_home->backend().make_ready(step.work->launch) : nullptr;
}

void executable_graph::collect_requirements() {
  m_requirements.clear();
  for (const graph_step& step : m_steps) {
    for (const requirement& each : step.work->requirements) merge_use(m_requirements, each);
  }
  for (graph_partition& part : m_partitions) {
    part.uses.clear();
    for (const std::uint32_t i : part.steps) {
      for (const requirement& each : m_steps[i].work->requirements) merge_use(part.uses, each);
    }
  }
}

std::vector<requirement> executable_graph::requirements() const {
  std::lock_guard lock(m_mutex);
  return m_requirements;
}

dependency executable_graph::submit(const shared<submission_queue>& queue, std::vector<dependency> before,
                                    bool simple) {
  start_scheduler();
  std::lock_guard lock(m_mutex);
  if (!m_last.is_complete() && m_last.order.get() != queue.get()) before.push_back(m_last);
  m_last = m_home->works_by_itself() ? submit_partitions(queue, before) : submit_whole(queue, before, simple);
  return m_last;
}

/// Called under the mutex.
dependency executable_graph::submit_whole(const shared<submission_queue>& queue, std::span<const dependency> before,
                                          bool simple) {
  const auto make_work = [&] {
    return [self = shared<executable_graph>(this), errors = queue.get()] { self->m_runner.run(*errors); };
  };
  if (simple && queue->in_order() && !queue->profiling() && m_requirements.empty()) {
    operation work;
    work.name = "graph";
    work.estimate = m_runner.estimate();
    work.work = make_work();
    if (const std::uint64_t ticket = queue->push_simple(work, before)) {
      if (!queue->is_complete(ticket)) queue->after_push();
      return {queue, ticket};
    }
  }
  auto node = make_counted<command>();
  node->name = "graph";
  node->queue = queue;
  node->estimate = m_runner.estimate();
  node->on_host = true;
  node->untimed = !m_options.profiles;
  node->work = make_work();
  queue->submit(node, before, m_requirements);
  return node;
}

namespace {

class native_step final : public sinter::native_addition {
public:
  native_step(native_work& work, void* stream) noexcept : m_work(work), m_stream(stream) {}
  void add_to(void* graph) const override { m_work.give_to(m_stream, graph); }

private:
  native_work& m_work;
  void* const m_stream;
};

}  // namespace

/// Returns whether the step's kernels run one by one in this run of the graph. They do if the caller wants this
/// (`apart`) and the step is still being measured, to find out whether the fused kernel or the single kernels are
/// faster.
bool executable_graph::is_alone(const graph_partition& part, std::uint32_t step, bool apart) const {
  return apart && part.measured->has(step);
}

/// Returns the object that measures a partition. Null: nothing is left to measure, or the device can't measure.
std::unique_ptr<measured_replay> executable_graph::measures(const graph_partition& part) {
  std::vector<sinter::fusion_choice*> choices;
  std::vector<std::uint32_t> steps;
  for (const fusion_group& each : m_groups) {
    const bool is_here = std::find(part.steps.begin(), part.steps.end(), each.steps.front()) != part.steps.end();
    if (!is_here || !each.fused || !each.fused->choice) continue;
    choices.push_back(each.fused->choice);
    steps.insert(steps.end(), each.steps.begin(), each.steps.end());
  }
  if (choices.empty()) return nullptr;
  std::sort(steps.begin(), steps.end());
  auto timer = m_home->backend().make_timer();
  if (!timer) return nullptr;
  return std::make_unique<measured_replay>(std::move(choices), std::move(steps), std::move(timer));
}

void executable_graph::make_programs(graph_partition& part) {
  part.plain.clear();
  part.measured = part.on_host ? nullptr : measures(part);
  part.program = make_program(part, /*apart=*/false, part.plain);
  std::string why;
  if (part.measured) part.measured->apart = make_program(part, /*apart=*/true, why);
}

std::unique_ptr<sinter::device_program> executable_graph::make_program(const graph_partition& part, bool apart,
                                                                       std::string& why) {
  const bool has_natives = std::any_of(part.steps.begin(), part.steps.end(),
                                       [&](std::uint32_t each) { return m_steps[each].work->native; });
  // If several steps have become one kernel, a replay is faster than a launch (3.5 us and 7.5 us on an H200).
  if (part.on_host || (part.steps.size() < 2 && !has_natives)) return nullptr;
  const char* const drawback = m_home->backend().program_drawback();
  if (drawback && !has_natives && !makes_all_programs()) {
    why = drawback;
    return nullptr;
  }
  std::deque<native_step> natives;
  std::vector<sinter::program_step> steps;
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  for (const std::uint32_t i : part.steps) {
    const graph_step& step = m_steps[i];
    const bool alone = is_alone(part, i, apart);
    places[i] = static_cast<std::uint32_t>(steps.size());
    sinter::program_step& added =
        steps.emplace_back(sinter::program_step{alone ? step.unfused_work() : step.own_work(), {}});
    if (step.work->native) added.native = &natives.emplace_back(*step.work->native, m_home->channel()->native());
    for (const std::uint32_t each : alone ? step.before_alone : step.before) {
      if (const auto found = places.find(each); found != places.end()) added.before.push_back(found->second);
    }
  }
  auto program = m_home->backend().make_program(steps, why);
  if (program || !has_natives) return program;
  detail::throw_error(errc::feature_not_supported,
                      "finalize: device '" + m_home->backend().facts().name +
                          "' has no native graph that native commands could add to: " + why);
}

/// Called when a step's launch has changed.
void executable_graph::change_program(std::uint32_t at) {
  for (graph_partition& part : m_partitions) {
    const auto found = std::find(part.steps.begin(), part.steps.end(), at);
    if (found == part.steps.end() || !part.program) continue;
    const sinter::kernel_launch* const launch = m_steps[at].own_work().launch();
    const auto place = static_cast<std::uint32_t>(found - part.steps.begin());
    if (!launch || part.measured || !part.program->change(place, *launch)) make_programs(part);
  }
}

command_ptr executable_graph::make_command(const graph_partition& part) const {
  auto made = make_counted<command>();
  made->name = "graph";
  made->untimed = !m_options.profiles;
  made->keep.push_back(shared<counted>(const_cast<executable_graph*>(this)));
  if (part.on_host) {
    const graph_step& step = m_steps[part.steps.front()];
    made->on_host = true;
    made->name = step.work->name;
    made->memory = step.work->memory;
    if (step.work->host) made->work = [host = step.work->host] { host->value(); };
    return made;
  }
  made->estimate = 0;
  made->list = make_counted<work_list>();
  const bool apart = part.measured && part.measured->next() == sinter::fusion_choice::form::apart;
  if (part.measured) made->list->timer = part.measured->timer();
  made->list->program = apart ? part.measured->apart.get() : part.program.get();
  if (made->list->program) return made;
  // Updates wait until the command is complete, so the command need not keep the objects of the steps.
  for (const std::uint32_t i : part.steps) {
    const graph_step& step = m_steps[i];
    const bool alone = is_alone(part, i, apart);
    if (step.is_nothing() && !alone) continue;
    const char* const name = step.fused && !alone ? step.fused->name : step.work->name;
    made->list->items.push_back({alone ? step.unfused_work() : step.own_work(), name});
  }
  return made;
}

/// Called under the mutex. If the program's queue is in order, it would run one partition after the other. So
/// partitions that can overlap go to the graph's own queue, and the program's queue waits for them.
dependency executable_graph::submit_partitions(const shared<submission_queue>& queue,
                                               std::span<const dependency> before) {
  // Times are kept only if the graph and the queue both ask for them.
  const bool keeps_times = m_options.profiles && queue->profiling();
  const bool elsewhere = queue->in_order() && m_partitions.size() > 1 && !keeps_times;
  const dependency previous = elsewhere ? queue->last() : dependency();
  std::vector<command_ptr> commands;
  std::vector<bool> is_last(m_partitions.size(), true);
  // If the whole replay is one command of the driver, the timeline shows that command, and needs no track for the
  // replay.
  const bool is_one = m_partitions.size() == 1 && m_partitions.front().program;
  shared<traced_replay> replay;
  if (m_replays != 0 && sinter::traces() && !is_one) {
    replay = make_counted<traced_replay>(m_replays, m_partitions.size());
  }
  for (const graph_partition& part : m_partitions) {
    std::vector<dependency> waits_for;
    for (const std::uint32_t each : part.before) {
      waits_for.emplace_back(commands[each]);
      is_last[each] = false;
    }
    if (part.before.empty()) {
      waits_for.assign(before.begin(), before.end());
      if (!previous.is_complete()) waits_for.push_back(previous);
    }
    const command_ptr& made = commands.emplace_back(make_command(part));
    made->queue = elsewhere ? m_home : queue;
    made->replay = replay;
    if (elsewhere) made->on_behalf = queue;
    if (elsewhere) {
      // The commands are not added to the list of the graph's own queue, because no thread waits for that queue.
      while (const shared<command_list> list = submit_command(made, {}, waits_for, part.uses)) {
        list->end_early(list_end::synchronization);
      }
      release_before(made);
    } else {
      queue->submit(made, waits_for, part.uses);
    }
  }
  if (commands.size() == 1) return commands.front();
  auto end = make_counted<command>();
  end->name = "graph";
  end->ends_graph = true;
  end->queue = queue;
  end->untimed = !m_options.profiles;
  if (keeps_times && !commands.empty()) end->timed_by = make_counted<holder<std::vector<command_ptr>>>(commands);
  std::vector<dependency> waits_for;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (is_last[i]) waits_for.emplace_back(commands[i]);
  }
  if (commands.empty()) waits_for.assign(before.begin(), before.end());
  queue->submit(end, waits_for, {});
  return end;
}

/// Fuses the group again, because the proof was made for other arguments or for other uses of buffers.
void executable_graph::fuse_again(fusion_group& group) {
  std::vector<fusion_group> others;
  fusion_group again{group.steps, nullptr, {}};
  fuse_group(again, m_steps, {m_home->backend(), m_graph, /*lasting=*/false}, others);
  if (again.steps.size() != group.steps.size()) again = {group.steps, nullptr, again.why};
  group = std::move(again);
  connect_group(group, m_steps, m_home->backend());
  for (graph_partition& part : m_partitions) {
    if (std::find(part.steps.begin(), part.steps.end(), group.steps.front()) != part.steps.end()) make_programs(part);
  }
  m_runner.prepare(m_steps, m_home->backend(), *this);
}

namespace {

/// Returns whether the new work uses a buffer that the old work did not use.
bool uses_more(const node_work& now, const node_work& before) {
  return std::any_of(now.requirements.begin(), now.requirements.end(), [&](const requirement& each) {
    return std::none_of(before.requirements.begin(), before.requirements.end(),
                        [&](const requirement& known) { return known.memory == each.memory; });
  });
}

}  // namespace

/// Changes a step's work. Returns whether the step's use of buffers has changed. Called under the mutex, when all
/// submissions are complete.
bool executable_graph::change(std::uint32_t at, shared<node_work> work) {
  if (drops_graph_update()) return false;
  graph_step& step = m_steps[at];
  const bool uses_buffers = !step.work->requirements.empty() || !work->requirements.empty();
  const bool is_more = uses_more(*work, *step.work);
  // Each buffer knows the graphs that use it, because finalize looks for buffers that no other graph uses.
  for (const requirement& each : work->requirements) record_of(each).note_graph(m_graph);
  step.work = placed(std::move(work));
  const auto has_step = [at](const fusion_group& each) {
    return std::find(each.steps.begin(), each.steps.end(), at) != each.steps.end();
  };
  if (std::none_of(m_groups.begin(), m_groups.end(), has_step)) {
    prepare(step);
    change_program(at);
  }
  for (fusion_group& each : m_groups) {
    // The changed step may now use a buffer whose contents another fused group keeps in registers or local memory.
    const bool may_see = is_more && each.fused && !each.fused->promoted.empty();
    if (has_step(each) || may_see) fuse_again(each);
  }
  return uses_buffers;
}

/// Called under the mutex. Throws errc::invalid when the node can't be updated.
std::uint32_t executable_graph::step_to_update(const graph_node& node, const node_work& work) const {
  const bool is_here = node.index() < m_nodes.size() && m_nodes[node.index()].get() == &node;
  if (is_here) {
    const std::uint32_t at = m_step_of[node.index()];
    if (m_steps[at].work->kernel || m_steps[at].work->host) return at;
  }
  const std::string text = "update: node " + std::to_string(node.index()) + " (" + text_of(work) + ")";
  if (!is_here) {
    refuse_graph(text + " is not in the graph" + (node.graph_id() == m_graph ? ": it was added after finalize" : ""));
  }
  refuse_graph(text + " can't change; kernels and host tasks can");
}

void executable_graph::update(std::span<const shared<graph_node>> changed) {
  if (!m_options.updatable) refuse_graph("update: the graph was finalized without property::graph::updatable");
  // work() locks the modifiable graph, so it has to be called before this graph is locked. To avoid deadlocks, all
  // functions lock modifiable graphs before executable graphs: finalize, too, first locks a modifiable graph, and then
  // the executable graphs that are its sub-graphs.
  short_list<shared<node_work>, 2> works;
  for (const shared<graph_node>& each : changed) works.push_back(each->work());
  short_list<std::uint32_t, 2> steps;
  std::lock_guard lock(m_mutex);
  // All nodes are checked before the first change, so that an error leaves every node unchanged.
  for (std::size_t i = 0; i < changed.size(); ++i) steps.push_back(step_to_update(*changed[i], *works[i]));
  wait_for(m_last);
  bool uses_buffers = false;
  for (std::size_t i = 0; i < changed.size(); ++i) uses_buffers |= change(steps[i], std::move(works[i]));
  if (uses_buffers) collect_requirements();
}

void executable_graph::update_as(const modifiable_graph& as) {
  if (!m_options.updatable) refuse_graph("update: the graph was finalized without property::graph::updatable");
  if (own_memory() != 0 || as.memory()->bytes() != 0) {
    refuse_graph("update: a graph that allocates memory (async_malloc) can't change as a whole");
  }
  std::vector<std::pair<std::uint32_t, shared<node_work>>> changes;
  std::unique_lock other_lock(as.mutex());
  std::lock_guard lock(m_mutex);
  const auto others = as.nodes();
  if (others.size() != m_nodes.size()) {
    refuse_graph("update: the graph has " + std::to_string(m_nodes.size()) + " nodes, the other one " +
           std::to_string(others.size()));
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    const graph_node& other = *others[i];
    const shared<node_work>& work = other.current();
    const std::uint32_t at = m_step_of[i];
    const node_work& mine = *m_steps[at].work;
    const std::string text = "update: " + text_of(other);
    if (work->type != m_nodes[i]->type()) {
      refuse_graph(text + " is a " + name_of(m_nodes[i]->type()) + " node in the graph");
    }
    const bool changes_nothing = work->type == node_type::empty || work->type == node_type::ext_oneapi_barrier;
    if (!work->kernel && !work->host && !changes_nothing) {
      refuse_graph(text + " can't change; kernels, host tasks, empty nodes and barriers may be in the other graph");
    }
    if (work->kernel && work->launch.kernel != mine.launch.kernel) {
      refuse_graph(text + " is another kernel in the graph");
    }
    if (other.predecessors.size() != m_predecessors[i].size() ||
        !std::equal(other.predecessors.begin(), other.predecessors.end(), m_predecessors[i].begin(),
                    [](const graph_node* before, std::size_t index) { return before->index() == index; })) {
      refuse_graph(text + " waits for other nodes than in the graph");
    }
    if (!changes_nothing) changes.emplace_back(at, work);
  }
  other_lock.unlock();
  wait_for(m_last);
  bool uses_buffers = false;
  for (auto& [at, work] : changes) uses_buffers |= change(at, std::move(work));
  if (uses_buffers) collect_requirements();
}

}  // namespace sycl::detail
