#include "cl_graph.hpp"

#include <algorithm>
#include <backends/driver_launch.hpp>
#include <backends/launch_counts.hpp>
#include <cstring>

#include <sycl/exception.hpp>

namespace sinter::opencl {
namespace {

std::string recording_words() { return "recording a graph"; }

/// An event of the driver, released in the destructor.
struct held_event {
  const loader& functions;
  cl_event event = nullptr;
  ~held_event() {
    if (event) functions.clReleaseEvent(event);
  }
};

}  // namespace

std::unique_ptr<cl_graph> cl_graph::make(cl_device_context& device, const command_buffers& functions,
                                         std::span<const program_step> steps, std::string& why) {
  why = functions.problem();
  // With other kinds of memory, each launch has to list the memory that it uses. This memory may change between
  // replays, so such launches can't be recorded.
  if (device.memory().way() != memory_way::unified) why = "the device has no unified shared memory";
  if (!why.empty()) return nullptr;
  auto made = std::make_unique<cl_graph>(device, functions);
  bool is_line = true;
  for (const program_step& each : steps) {
    if (!made->add(each, why)) return nullptr;
    const auto at = static_cast<std::uint32_t>(made->m_steps.size() - 1);
    is_line &= at == 0 || std::find(each.before.begin(), each.before.end(), at - 1) != each.before.end();
  }
  // If a program adds its own commands, the dependencies of these commands are not known, so all steps run in order.
  if (!is_line && functions.are_concurrent() && !made->m_has_natives) made->m_usual = concurrent;
  try {
    made->recorded_for(made->m_usual);
  } catch (const sycl::exception& failed) {
    why = failed.what();
    return nullptr;
  }
  // Functions of native commands are called only once, during the first recording.
  for (step& each : made->m_steps) each.native = nullptr;
  return made;
}

bool cl_graph::add(const program_step& added, std::string& why) {
  step& mine = m_steps.emplace_back(step{{{}, added.work.memory(), added.native}, added.before});
  m_has_natives |= added.native != nullptr;
  if (added.native) return true;
  if (added.work.launch()) {
    mine.launch = *added.work.launch();
    if (mine.does_nothing()) return true;
    mine.loaded = &load(m_device, *mine.launch.code, *mine.launch.kernel);
    if (mine.loaded->failure) m_may_fail.push_back(mine.loaded->may_fail);
    if (mine.launch.code->gpu->block_in_memory) {
      mine.block_memory = m_device.allocate(memory_kind::host, block_bytes(mine.launch), alignof(std::max_align_t));
      if (!mine.block_memory) why = "there is no memory for a kernel's arguments";
    }
    return why.empty();
  }
  if (mine.does_nothing()) return true;
  if (!m_functions.take_memory()) {
    why = "the driver's command buffers have no copies and fills of unified shared memory";
  } else if (mine.memory->what == memory_work::kind::fill && !is_filled_by_driver(mine.memory->fill)) {
    why = "the driver has no fills with a pattern of " + std::to_string(mine.memory->fill.pattern_bytes) + " bytes";
  }
  return why.empty();
}

cl_graph::~cl_graph() {
  for (const recording& each : m_recordings) release(each);
  for (const step& each : m_steps) {
    if (each.block_memory) m_device.deallocate(each.block_memory);
  }
}

void cl_graph::release(const recording& its) const {
  if (its.commands) m_functions.release(its.commands);
  if (its.queue) m_device.functions().clReleaseCommandQueue(its.queue);
}

cl_graph::recording& cl_graph::recorded_for(queue_kind kind) {
  recording& its = m_recordings[kind];
  if (its.commands) return its;
  recording made;
  try {
    record(made, kind);
  } catch (...) {
    release(made);
    throw;
  }
  its = std::move(made);
  return its;
}

void cl_graph::record(recording& to, queue_kind kind) {
  cl_queue_properties wanted = 0;
  if (kind == measuring) wanted = CL_QUEUE_PROFILING_ENABLE;
  if (kind == concurrent) wanted = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  const cl_queue_properties of_queue[] = {CL_QUEUE_PROPERTIES, wanted, 0};
  cl_int result = CL_SUCCESS;
  to.queue =
      m_device.functions().clCreateCommandQueueWithProperties(m_device.native(), m_device.id(), of_queue, &result);
  m_device.check(result, recording_words);
  const cl_properties flags =
      command_buffers::can_overlap | (m_functions.are_mutable() ? command_buffers::can_change : 0);
  const cl_properties properties[] = {command_buffers::flags, flags, 0};
  to.commands = m_functions.create(1, &to.queue, properties, &result);
  m_device.check(result, recording_words);
  to.launches.resize(m_steps.size());
  std::vector<std::vector<sync_point>> last(m_steps.size());
  for (std::uint32_t i = 0; i < m_steps.size(); ++i) {
    const step& each = m_steps[i];
    std::vector<sync_point> before;
    // Queues of the other kinds are in order, so recordings for them need no sync points.
    if (kind == concurrent) {
      for (const std::uint32_t earlier : each.before) {
        before.insert(before.end(), last[earlier].begin(), last[earlier].end());
      }
      std::sort(before.begin(), before.end());
      before.erase(std::unique(before.begin(), before.end()), before.end());
    }
    if (each.native) {
      each.native->add_to(to.commands);
    } else if (each.does_nothing()) {
      last[i] = std::move(before);
    } else if (each.memory) {
      record_memory(to, *each.memory, before, last[i]);
    } else {
      record_launch(to, i, before, &last[i].emplace_back());
    }
  }
  m_device.check(m_functions.finalize(to.commands), recording_words);
}

void cl_graph::record_launch(recording& to, std::uint32_t at, std::span<const sync_point> before, sync_point* point) {
  const step& its = m_steps[at];
  loaded_program& loaded = *its.loaded;
  prepared_launch prepared(its.launch);
  const cl_properties changes[] = {command_buffers::changes, command_buffers::all_changes, 0};
  const bool is_mutable = m_functions.are_mutable();
  std::lock_guard lock(loaded.mutex);
  set_arguments(loaded, prepared, {.block = its.block_memory});
  m_device.check(
      m_functions.launch(to.commands, nullptr, is_mutable ? changes : nullptr, loaded.function, prepared.dimensions,
                         prepared.offset, prepared.global, prepared.local_range(), static_cast<cl_uint>(before.size()),
                         before.empty() ? nullptr : before.data(), point, is_mutable ? &to.launches[at] : nullptr),
      [&] { return "recording kernel '" + loaded.kernel + "'"; });
}

void cl_graph::record_memory(const recording& to, const memory_work& work, std::span<const sync_point> before,
                             std::vector<sync_point>& last) {
  const auto count = static_cast<cl_uint>(before.size());
  const sync_point* waits = before.empty() ? nullptr : before.data();
  if (work.what == memory_work::kind::fill) {
    const memory_fill& fill = work.fill;
    m_device.check(m_functions.fill(to.commands, nullptr, nullptr, fill.destination, fill.pattern(), fill.pattern_bytes,
                                    fill.pattern_bytes * fill.count, count, waits, &last.emplace_back(), nullptr),
                   recording_words);
    return;
  }
  work.copy.visit_pieces([&](char* destination, const char* source, std::size_t bytes) {
    if (destination == source || bytes == 0) return;
    m_device.check(m_functions.copy(to.commands, nullptr, nullptr, destination, source, bytes, count, waits,
                                    &last.emplace_back(), nullptr),
                   recording_words);
  });
  if (last.empty()) last.assign(before.begin(), before.end());
}

bool cl_graph::change(std::uint32_t at, const kernel_launch& to) {
  step& changed = m_steps[at];
  // Launches of kernels from source can't be changed, because they have another kind of arguments.
  if (!changed.loaded || to.is_empty() || (to.kernel->flags & abi::descriptor_from_source) != 0) return false;
  if (!m_functions.are_mutable() || &load(m_device, *to.code, *to.kernel) != changed.loaded) return false;
  const prepared_launch now(to), then(changed.launch);
  if (now.dimensions != then.dimensions || now.grouped != then.grouped || now.bytes != then.bytes) return false;
  if (changed.block_memory) std::memcpy(changed.block_memory, now.block, now.bytes);
  std::vector<launch_update::argument> arguments;
  if (!changed.block_memory) arguments.push_back({0, abi::spirv_parameter_bytes(now.bytes), now.block});
  if (now.reads_geometry) arguments.push_back({1, sizeof(now.geometry), &now.geometry});
  if (now.local_bytes != then.local_bytes) arguments.push_back({2, now.local_bytes, nullptr});
  launch_update update;
  update.argument_count = static_cast<cl_uint>(arguments.size());
  update.arguments = arguments.data();
  update.dimensions = now.dimensions;
  update.offset = now.offset;
  update.global = now.global;
  update.local = now.local_range();
  for (const recording& each : m_recordings) {
    if (!each.commands) continue;
    update.command = each.launches[at];
    const cl_uint kind = 0;
    const void* updates = &update;
    if (m_functions.update(each.commands, 1, &kind, &updates) != CL_SUCCESS) return false;
  }
  changed.launch = to;
  return true;
}

cl_event cl_graph::enqueue(cl_command_queue queue, bool measures, bool is_plain) {
  const loader& functions = m_device.functions();
  const auto doing = [] { return std::string("handing a graph over"); };
  // A graph with native commands can't be recorded a second time for a queue that measures times.
  const queue_kind kind = measures && !m_has_natives ? measuring : m_usual;
  recording& its = recorded_for(kind);
  cl_event event = nullptr;
  if (kind == measuring || (is_plain && kind == in_order && !measures)) {
    m_device.check(m_functions.enqueue(1, &queue, its.commands, 0, nullptr, &event), doing);
  } else {
    held_event before{functions}, done{functions};
    m_device.check(functions.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &before.event), doing);
    // The other queue waits for this event. The wait does not make the driver start this queue's commands, so this
    // queue is flushed.
    functions.clFlush(queue);
    m_device.check(m_functions.enqueue(0, nullptr, its.commands, 1, &before.event, &done.event), doing);
    functions.clFlush(its.queue);
    m_device.check(functions.clEnqueueBarrierWithWaitList(queue, 1, &done.event, &event), doing);
  }
  for (const step& each : m_steps) {
    if (each.loaded) count_launch(each.launch, each.launch.code->origin);
  }
  return event;
}

}  // namespace sinter::opencl
