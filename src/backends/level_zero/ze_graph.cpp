#include "ze_graph.hpp"

#include <algorithm>
#include <backends/driver_launch.hpp>
#include <backends/driver_stream.hpp>
#include <backends/launch_counts.hpp>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

#include <sycl/exception.hpp>

namespace sinter::level_zero {
namespace {

/// The number of replays of a graph that may run at the same time.
constexpr std::size_t most_recordings = 4;

std::string graph_words() { return "recording a graph"; }
std::string replay_words() { return "handing a graph over"; }

}  // namespace

std::unique_ptr<ze_graph> ze_graph::make(ze_device_context& device, std::span<const program_step> steps,
                                         std::string& why) {
  auto made = std::make_unique<ze_graph>(device);
  try {
    for (const program_step& each : steps) made->add(each);
    made->record();
  } catch (const sycl::exception& failed) {
    why = failed.what();
    return nullptr;
  }
  return made;
}

void ze_graph::add(const program_step& added) {
  step& mine = m_steps.emplace_back(step{{{}, added.work.memory(), added.native}});
  m_has_natives |= added.native != nullptr;
  for (const std::uint32_t each : added.before) mine.level = std::max(mine.level, m_steps[each].level + 1);
  m_levels = std::max(m_levels, mine.level + 1);
  if (added.native || !added.work.launch()) return;
  mine.launch = *added.work.launch();
  if (mine.does_nothing()) return;
  mine.loaded = &load(m_device, *mine.launch.code, *mine.launch.kernel);
  if (mine.loaded->may_fail) m_may_fail.push_back(mine.loaded->may_fail);
}

ze_graph::~ze_graph() {
  for (const auto& each : m_recordings) release(*each);
}

void ze_graph::release(recording& its) noexcept {
  if (its.commands) m_device.functions().zeCommandListDestroy(its.commands);
  for (ze_event_handle_t event : {its.begin, its.end, its.done}) {
    if (event) m_device.shared().give_event(event, /*timed=*/false);
  }
  for (void* each : its.blocks) {
    if (each) m_device.deallocate(each);
  }
}

void ze_graph::barrier(ze_command_list_handle_t list, ze_event_handle_t signalled, ze_event_handle_t awaited) const {
  m_device.check(m_device.functions().zeCommandListAppendBarrier(list, signalled, awaited ? 1 : 0,
                                                                 awaited ? &awaited : nullptr),
                 graph_words);
}

/// Records the steps in a new command list. Steps of one level may run in any order, and barriers separate the levels.
/// The list uses barriers, because events would have to be reset for each replay.
ze_graph::recording& ze_graph::record() {
  auto made = std::make_unique<recording>();
  const auto make_events = [&] {
    made->done = m_device.shared().take_event(/*timed=*/false);
    if (m_device.shared().appends_lists()) return;
    made->begin = m_device.shared().take_event(/*timed=*/false);
    made->end = m_device.shared().take_event(/*timed=*/false);
  };
  try {
    const ze_mutable_command_list_exp_desc_t changes;
    ze_command_list_desc_t wanted;
    wanted.commandQueueGroupOrdinal = m_device.compute_engine()->ordinal;
    if (m_device.has_mutable_lists()) wanted.pNext = &changes;
    m_device.check(m_device.functions().zeCommandListCreate(m_device.context(), m_device.device(), &wanted,
                                                            &made->commands),
                   graph_words);
    make_events();
    made->launches.resize(m_steps.size());
    made->blocks.resize(m_steps.size());
    if (made->begin) barrier(made->commands, nullptr, made->begin);
    for (std::uint32_t level = 0; level < m_levels; ++level) {
      if (level != 0) barrier(made->commands, nullptr, nullptr);
      for (std::uint32_t i = 0; i < m_steps.size(); ++i) {
        const step& each = m_steps[i];
        if (each.level != level) continue;
        if (each.native) {
          each.native->add_to(made->commands);
        } else if (each.does_nothing()) {
          continue;
        } else if (each.memory) {
          record_memory(*made, *each.memory);
        } else {
          record_launch(*made, i);
        }
      }
    }
    if (made->end) barrier(made->commands, made->end, nullptr);
    m_device.check(m_device.functions().zeCommandListClose(made->commands), graph_words);
  } catch (...) {
    release(*made);
    throw;
  }
  return *m_recordings.emplace_back(std::move(made));
}

void ze_graph::record_launch(recording& to, std::uint32_t at) {
  const step& its = m_steps[at];
  if (its.launch.code->gpu->block_in_memory) {
    const std::size_t bytes = abi::spirv_parameter_bytes(block_bytes(its.launch));
    to.blocks[at] = m_device.allocate(memory_kind::host, bytes, alignof(std::max_align_t));
    if (!to.blocks[at]) {
      sycl::detail::throw_error(sycl::errc::memory_allocation, "there is no memory for a kernel's arguments");
    }
  }
  if (m_device.has_mutable_lists()) {
    ze_mutable_command_id_exp_desc_t wanted;
    wanted.flags = mutable_launches;
    const newer_functions& newer = m_device.shared().newer();
    m_device.check(newer.zeCommandListGetNextCommandIdExp(newer.handle(handle_kind::command_list, to.commands), &wanted,
                                                          &to.launches[at]),
                   graph_words);
  }
  append(to.commands, *its.loaded, its.launch, to.blocks[at], nullptr, {});
}

void ze_graph::record_memory(const recording& to, const memory_work& work) const {
  const auto copy = [&](void* destination, const void* source, std::size_t bytes) {
    m_device.check(m_device.functions().zeCommandListAppendMemoryCopy(to.commands, destination, source, bytes, nullptr,
                                                                      0, nullptr),
                   graph_words);
  };
  if (work.what == memory_work::kind::copy) {
    work.copy.visit_pieces([&](char* destination, const char* source, std::size_t bytes) {
      if (destination != source && bytes != 0) copy(destination, source, bytes);
    });
    return;
  }
  const memory_fill& fill = work.fill;
  if (is_filled_by_driver(*m_device.compute_engine(), fill)) {
    const std::size_t bytes = fill.pattern_bytes * fill.count;
    m_device.check(m_device.functions().zeCommandListAppendMemoryFill(to.commands, fill.destination, fill.pattern(),
                                                                      fill.pattern_bytes, bytes, nullptr, 0, nullptr),
                   graph_words);
    return;
  }
  bool is_first = true;
  fill_by_copies(fill, fill.pattern(), [&](char* destination, const char* source, std::size_t bytes) {
    if (!std::exchange(is_first, false)) barrier(to.commands, nullptr, nullptr);
    copy(destination, source, bytes);
  });
}

bool ze_graph::change(std::uint32_t at, const kernel_launch& to) {
  step& changed = m_steps[at];
  // Launches of kernels from source can't be changed, because they have another kind of arguments.
  if ((to.kernel->flags & abi::descriptor_from_source) != 0) return false;
  if (!m_device.has_mutable_lists() || !changed.loaded || to.is_empty()) return false;
  if (&load(m_device, *to.code, *to.kernel) != changed.loaded) return false;
  const prepared_launch now(to), then(changed.launch);
  if (now.grouped != then.grouped || now.bytes != then.bytes) return false;
  for (const auto& each : m_recordings) {
    if (!change(*each, at, now)) return false;
  }
  changed.launch = to;
  return true;
}

bool ze_graph::change(recording& its, std::uint32_t at, const prepared_launch& now) {
  loaded_kernel& loaded = *m_steps[at].loaded;
  if (its.blocks[at]) std::memcpy(its.blocks[at], now.block, now.bytes);
  launch_shape shape;
  {
    std::lock_guard lock(loaded.mutex);
    shape = shape_of(loaded, now);
  }
  const std::uint64_t command = its.launches[at];
  ze_mutable_global_offset_exp_desc_t offset;
  offset.commandId = command;
  std::tie(offset.offsetX, offset.offsetY, offset.offsetZ) =
      std::tie(shape.offset.size[0], shape.offset.size[1], shape.offset.size[2]);
  ze_mutable_group_size_exp_desc_t group;
  group.pNext = &offset;
  group.commandId = command;
  std::tie(group.groupSizeX, group.groupSizeY, group.groupSizeZ) =
      std::tie(shape.group.size[0], shape.group.size[1], shape.group.size[2]);
  ze_mutable_group_count_exp_desc_t count;
  count.pNext = &group;
  count.commandId = command;
  count.pGroupCount = &shape.count;
  ze_mutable_kernel_argument_exp_desc_t arguments[3];
  const void* next = &count;
  const auto set = [&](std::uint32_t index, std::size_t bytes, const void* value) {
    arguments[index].pNext = std::exchange(next, &arguments[index]);
    arguments[index].commandId = command;
    arguments[index].argIndex = index;
    arguments[index].argSize = bytes;
    arguments[index].pArgValue = value;
  };
  if (!its.blocks[at]) set(0, abi::spirv_parameter_bytes(now.bytes), now.block);
  set(1, sizeof(now.geometry), &now.geometry);
  set(2, now.local_bytes, nullptr);
  ze_mutable_commands_exp_desc_t all;
  all.pNext = next;
  const newer_functions& newer = m_device.shared().newer();
  return newer.zeCommandListUpdateMutableCommandsExp(newer.handle(handle_kind::command_list, its.commands), &all) ==
             ZE_RESULT_SUCCESS &&
         m_device.functions().zeCommandListClose(its.commands) == ZE_RESULT_SUCCESS;
}

ze_graph::recording& ze_graph::take() {
  const loader& functions = m_device.functions();
  const auto reset = [&](recording& its) -> recording& {
    for (ze_event_handle_t event : {its.begin, its.end, its.done}) {
      if (event && its.is_used) m_device.check(functions.zeEventHostReset(event), replay_words);
    }
    its.is_used = true;
    // The recording that is used now moves to the end, so that the recording that was used longest ago comes first.
    const auto place = std::find_if(m_recordings.begin(), m_recordings.end(),
                                    [&](const auto& each) { return each.get() == &its; });
    std::rotate(place, place + 1, m_recordings.end());
    return its;
  };
  for (const auto& each : m_recordings) {
    if (!each->is_used || functions.zeEventQueryStatus(each->done) == ZE_RESULT_SUCCESS) return reset(*each);
  }
  if (m_recordings.empty() || (!m_has_natives && m_recordings.size() < most_recordings)) return reset(record());
  constexpr std::uint64_t for_ever = std::numeric_limits<std::uint64_t>::max();
  m_device.check(functions.zeEventHostSynchronize(m_recordings.front()->done, for_ever), replay_words);
  return reset(*m_recordings.front());
}

void ze_graph::abandon(recording& its) {
  std::erase_if(m_recordings, [&](std::unique_ptr<recording>& each) {
    if (each.get() != &its) return false;
    // The driver may still be using the recording's objects, so they are never destroyed.
    each.release();
    return true;
  });
}

void ze_graph::replay(recording& its, ze_command_list_handle_t immediate, ze_command_queue_handle_t queue) {
  const newer_functions& newer = m_device.shared().newer();
  if (!its.begin) {
    ze_command_list_handle_t commands = newer.handle(handle_kind::command_list, its.commands);
    m_device.check(newer.zeCommandListImmediateAppendCommandListsExp(
                       newer.handle(handle_kind::command_list, immediate), 1, &commands,
                       newer.handle(handle_kind::event, its.done), 0, nullptr),
                   replay_words);
    return;
  }
  barrier(immediate, its.begin, nullptr);
  m_device.check(m_device.functions().zeCommandQueueExecuteCommandLists(queue, 1, &its.commands, nullptr),
                 replay_words);
  barrier(immediate, its.done, its.end);
}

void ze_graph::count_launches() const {
  for (const step& each : m_steps) {
    if (each.loaded) count_launch(each.launch, each.launch.code->origin);
  }
}

}  // namespace sinter::level_zero
