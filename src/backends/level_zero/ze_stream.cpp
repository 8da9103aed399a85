#include "ze_stream.hpp"

#include <algorithm>
#include <backends/driver_launch.hpp>
#include <backends/launch_counts.hpp>
#include <base/trace_clock.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <sycl/exception_classes.hpp>

#include "ze_graph.hpp"

namespace sinter::level_zero {
namespace {

// A stream keeps this many events for its own later work. Other events go back to all streams of the driver.
constexpr std::size_t most_spare = 64;

}  // namespace

stream_objects::~stream_objects() {
  for (const piece& each : spare) device.shared().give_event(each.event, timed);
  for (const block_memory& each : blocks) device.deallocate(each.data);
}

void stream_objects::complete_first() {
  piece& first = pieces.front();
  progress->done.store(first.ticket, std::memory_order_release);
  if (first.block != no_block) blocks[first.block].is_used = false;
  first.pattern = nullptr;
  used.splice(used.end(), pieces, pieces.begin());
}

void stream_objects::give_events_back() {
  const std::uint64_t done = progress->done.load();
  for (auto each = used.begin(); each != used.end();) {
    const bool is_needed = each->waiting != 0 || each->used_by > done || waits->has_any(each->ticket);
    if (is_needed) {
      ++each;
      continue;
    }
    if (each->start) device.shared().give_event(std::exchange(each->start, nullptr), timed);
    const auto next = std::next(each);
    if (spare.size() >= most_spare) {
      device.shared().give_event(each->event, timed);
      used.erase(each);
    } else if (device.functions().zeEventHostReset(each->event) == ZE_RESULT_SUCCESS) {
      spare.splice(spare.begin(), used, each);
    } else {
      used.erase(each);
    }
    each = next;
  }
}

bool stream_objects::can_go() {
  while (!pieces.empty()) {
    if (device.functions().zeEventQueryStatus(pieces.front().event) != ZE_RESULT_SUCCESS) return false;
    complete_first();
  }
  while (!events.empty()) {
    if (device.functions().zeEventQueryStatus(events.back()) != ZE_RESULT_SUCCESS) return false;
    device.shared().give_event(events.back(), /*timed=*/false);
    events.pop_back();
  }
  // The stream gets no more work, so no later piece waits for these events.
  for (piece& each : used) each.used_by = 0;
  give_events_back();
  return used.empty();
}

void stream_keeper::keep(std::unique_ptr<stream_objects> objects) {
  std::lock_guard lock(m_mutex);
  m_left.push_back(std::move(objects));
  sweep();
}

/// Frees the objects of streams whose work is complete. Called under m_mutex.
void stream_keeper::sweep() {
  std::erase_if(m_left, [&](const std::unique_ptr<stream_objects>& each) {
    if (!each->can_go()) return false;
    if (each->is_given) each->device.functions().zeCommandListDestroy(each->commands);
    if (!each->is_foreign) m_idle.push_back({each->ordinal, each->commands, each->queue, each->in_order});
    return true;
  });
}

stream_keeper::stream_lists stream_keeper::take_lists(ze_device_context& device, std::uint32_t ordinal) {
  std::lock_guard lock(m_mutex);
  sweep();
  const auto found =
      std::find_if(m_idle.begin(), m_idle.end(), [&](const stream_lists& each) { return each.ordinal == ordinal; });
  if (found != m_idle.end()) {
    const stream_lists lists = *found;
    m_idle.erase(found);
    return lists;
  }
  ze_command_queue_desc_t wanted;
  wanted.ordinal = ordinal;
  ze_command_list_handle_t made = nullptr;
  const auto make = [&] {
    return device.functions().zeCommandListCreateImmediate(device.context(), device.device(), &wanted, &made);
  };
  if (device.shared().api_version() >= first_in_order) {
    wanted.flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER;
    // If the loader validates parameters and is older than the driver, it refuses the flag. In this case, the code
    // below creates the list without the flag.
    if (make() == ZE_RESULT_SUCCESS) return {ordinal, made, nullptr, true};
    wanted.flags = 0;
  }
  device.check(make(), [] { return std::string("making a command list"); });
  return {ordinal, made, nullptr, false};
}

device_clock::device_clock(double tick, unsigned bits, std::uint64_t ticks, std::uint64_t time) noexcept
    : m_tick(tick),
      m_mask(bits == 0 || bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1),
      m_ticks(ticks & m_mask),
      m_time(time) {}

std::uint64_t device_clock::time_of(std::uint64_t ticks, std::uint64_t about) const noexcept {
  const std::uint64_t behind = ((ticks & m_mask) - m_ticks) & m_mask;
  const double turn = (static_cast<double>(m_mask) + 1) * m_tick, passed = static_cast<double>(behind) * m_tick;
  const double wanted = static_cast<double>(static_cast<std::int64_t>(about - m_time));
  // `turns` is the number of overflows of the counter since the reading. It may be -1, because work that begins at the
  // moment of the reading may seem to begin just before it.
  const double turns = std::max(std::round((wanted - passed) / turn), -1.0);
  return m_time + static_cast<std::uint64_t>(static_cast<std::int64_t>(passed + turns * turn));
}

ze_stream::ze_stream(ze_device_context& device, stream_keeper& keeper, const stream_use& use)
    : driver_stream(event_use::reset),
      m_device(device),
      m_keeper(keeper),
      m_engine(use.only_copies ? device.copy_engine() : *device.compute_engine()),
      m_objects(std::make_unique<stream_objects>(device)) {
  const auto lists = keeper.take_lists(device, m_engine.ordinal);
  m_objects->commands = lists.commands;
  m_objects->queue = lists.queue;
  m_objects->in_order = lists.in_order;
  begin(use);
}

ze_stream::ze_stream(ze_device_context& device, stream_keeper& keeper, bool measures,
                     ze_command_list_handle_t commands, bool is_given)
    : driver_stream(event_use::reset),
      m_device(device),
      m_keeper(keeper),
      m_engine(*device.compute_engine()),
      m_is_shared(true),
      m_objects(std::make_unique<stream_objects>(device)) {
  m_objects->commands = commands;
  m_objects->is_foreign = true;
  m_objects->is_given = is_given;
  begin({.measures = measures});
}

void ze_stream::begin(const stream_use& use) {
  m_objects->ordinal = m_engine.ordinal;
  m_objects->timed = use.measures && m_device.tick() != 0;
  m_objects->progress = progress();
  m_objects->waits = waits();
  if (!m_objects->timed) return;
  std::uint64_t of_host = 0, of_device = 0;
  m_device.check(m_device.functions().zeDeviceGetGlobalTimestamps(m_device.device(), &of_host, &of_device),
                 [] { return std::string("asking for the device's time"); });
  m_clock.emplace(m_device.tick(), m_device.properties().kernelTimestampValidBits, of_device, steady_time());
}

ze_stream::~ze_stream() { m_keeper.keep(std::move(m_objects)); }

void ze_stream::barrier(ze_event_handle_t signalled, std::span<ze_event_handle_t> awaited) {
  m_device.check(m_device.functions().zeCommandListAppendBarrier(m_objects->commands, signalled,
                                                                 static_cast<std::uint32_t>(awaited.size()),
                                                                 awaited.empty() ? nullptr : awaited.data()),
                 [] { return std::string("ordering commands"); });
}

/// Puts the wanted piece into `made`, with the event that it will signal, and collects the events that it has to wait
/// for. Called by the thread that hands work over.
void ze_stream::prepare(std::list<piece>& made, piece& wanted, bool several) {
  const bool timed = m_objects->timed;
  std::lock_guard lock(m_mutex);
  sweep();
  if (m_objects->spare.empty()) {
    made.emplace_back().event = m_device.shared().take_event(timed);
  } else {
    made.splice(made.begin(), m_objects->spare, m_objects->spare.begin());
  }
  piece& one = made.front();
  if (timed && several) one.start = m_device.shared().take_event(timed);
  one.pattern = std::move(wanted.pattern);
  one.block = wanted.block;
  one.used_by = 0;
  m_awaited = m_foreign;
  if (m_objects->pieces.empty() || m_objects->in_order) return;
  piece& before = m_objects->pieces.back();
  before.used_by = m_latest.load(std::memory_order_relaxed) + 1;
  m_awaited.push_back(before.event);
}

/// Hands a piece of work to the driver. `append` appends one command to the list; its parameters are the event that the
/// command has to signal and the events that it has to wait for. If `several` is true, `append` may append any number
/// of commands, which use no events: hand_over puts barriers before and after them.
template <class Append>
void ze_stream::hand_over(piece&& wanted, bool several, const Append& append) {
  const std::size_t block = wanted.block;
  std::list<piece> made;
  bool is_begun = false;
  several = several || m_is_shared;
  try {
    prepare(made, wanted, several);
    piece& one = made.front();
    // A barrier that waits for events does not wait for earlier commands in the list. So the commands that the program
    // has appended need a barrier of their own.
    if (m_is_shared && !m_objects->in_order) barrier(nullptr, {});
    if (several) {
      barrier(one.start, m_awaited);
      is_begun = true;
      append(nullptr, std::span<ze_event_handle_t>());
      barrier(one.event, {});
    } else {
      append(one.event, std::span<ze_event_handle_t>(m_awaited));
    }
  } catch (...) {
    const bool timed = m_objects->timed;
    if (!is_begun) {
      for (const piece& one : made) {
        for (ze_event_handle_t event : {one.event, one.start}) {
          if (event) m_device.shared().give_event(event, timed);
        }
      }
      if (block != stream_objects::no_block) {
        std::lock_guard lock(m_mutex);
        m_objects->blocks[block].is_used = false;
      }
      throw;
    }
    // A part of the work was handed over before the failure, so the next command has to wait for this part.
    const ze_result_t result =
        m_device.functions().zeCommandListAppendBarrier(m_objects->commands, made.front().event, 0, nullptr);
    if (result == ZE_RESULT_SUCCESS) {
      note(std::move(made), m_latest.load());
    } else {
      std::lock_guard lock(m_mutex);
      fail(result, "ordering commands");
    }
    throw;
  }
  note(std::move(made), m_latest.load() + 1);
}

void ze_stream::note(std::list<piece>&& made, std::uint64_t ticket) {
  m_foreign.clear();
  std::lock_guard lock(m_mutex);
  made.front().ticket = ticket;
  m_objects->pieces.splice(m_objects->pieces.end(), made);
  m_latest.store(ticket);
}

void ze_stream::launch(const kernel_launch& launch) {
  loaded_kernel& loaded = load(m_device, *launch.code, *launch.kernel);
  piece made;
  void* block = nullptr;
  if (launch.code->gpu->block_in_memory) {
    made.block = take_block(abi::spirv_parameter_bytes(block_bytes(launch)));
    block = m_objects->blocks[made.block].data;
  }
  hand_over(std::move(made), /*several=*/false, [&](ze_event_handle_t signalled, std::span<ze_event_handle_t> awaited) {
    append(m_objects->commands, loaded, launch, block, signalled, awaited);
  });
  listen_to(loaded.may_fail);
  count_launch(launch, launch.code->origin);
}

void ze_stream::run(device_program& program) {
  auto& graph = static_cast<ze_graph&>(program);
  if (!m_objects->queue && !m_device.shared().appends_lists()) {
    ze_command_queue_desc_t wanted;
    wanted.ordinal = m_engine.ordinal;
    m_device.check(m_device.functions().zeCommandQueueCreate(m_device.context(), m_device.device(), &wanted,
                                                             &m_objects->queue),
                   [] { return std::string("making a queue for graphs"); });
  }
  ze_graph::recording& its = graph.take();
  bool is_begun = false;
  try {
    hand_over({}, /*several=*/true, [&](ze_event_handle_t, std::span<ze_event_handle_t>) {
      is_begun = true;
      graph.replay(its, m_objects->commands, m_objects->queue);
    });
  } catch (...) {
    if (is_begun) graph.abandon(its);
    else its.is_used = false;
    throw;
  }
  for (const auto& each : graph.may_fail()) listen_to(each);
  graph.count_launches();
}

/// Returns the index of a free block. Called by the thread that hands work over; other threads only give blocks back.
std::size_t ze_stream::take_block(std::size_t bytes) {
  std::lock_guard lock(m_mutex);
  sweep();
  auto& blocks = m_objects->blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].is_used || blocks[i].bytes < bytes) continue;
    blocks[i].is_used = true;
    return i;
  }
  void* const memory = m_device.allocate(memory_kind::host, bytes, alignof(std::max_align_t));
  if (!memory) {
    sycl::detail::throw_error(sycl::errc::memory_allocation,
                              "device '" + m_device.name() + "': no memory for a kernel's arguments of " +
                                  std::to_string(bytes) + " bytes");
  }
  blocks.push_back({memory, bytes, true});
  return blocks.size() - 1;
}

void ze_stream::run(const memory_work& work) {
  if (work.what == memory_work::kind::copy && work.copy.bytes() != 0) return copy(work.copy);
  if (work.what == memory_work::kind::fill && work.fill.count != 0) return fill(work.fill);
  if (work.what == memory_work::kind::hint && work.hint.bytes != 0) return advise(work.hint);
  mark();
}

void ze_stream::copy(const abi::strided_copy& work) {
  const bool is_one = work.row_bytes == work.bytes() && work.destination_row_bytes == work.bytes();
  hand_over({}, !is_one, [&](ze_event_handle_t signalled, std::span<ze_event_handle_t> awaited) {
    work.visit_pieces([&](char* destination, const char* source, std::size_t bytes) {
      if (destination == source && !is_one) return;
      const ze_result_t result =
          destination == source
              ? m_device.functions().zeCommandListAppendBarrier(
                    m_objects->commands, signalled, static_cast<std::uint32_t>(awaited.size()), awaited.data())
              : m_device.functions().zeCommandListAppendMemoryCopy(m_objects->commands, destination, source, bytes,
                                                                   signalled,
                                                                   static_cast<std::uint32_t>(awaited.size()),
                                                                   awaited.data());
      m_device.check(result, [&] { return "copying " + std::to_string(work.bytes()) + " bytes"; });
    });
  });
}

void ze_stream::fill(const memory_fill& work) {
  const auto doing = [] { return std::string("filling memory"); };
  const std::size_t size = work.pattern_bytes;
  const bool by_driver = is_filled_by_driver(m_engine, work);
  piece made;
  made.pattern = std::make_unique<unsigned char[]>(size);
  const unsigned char* const pattern = made.pattern.get();
  std::memcpy(made.pattern.get(), work.pattern(), size);
  hand_over(std::move(made), !by_driver, [&](ze_event_handle_t signalled, std::span<ze_event_handle_t> awaited) {
    if (by_driver) {
      m_device.check(m_device.functions().zeCommandListAppendMemoryFill(
                         m_objects->commands, work.destination, pattern, size, size * work.count, signalled,
                         static_cast<std::uint32_t>(awaited.size()), awaited.data()),
                     doing);
      return;
    }
    bool is_first = true;
    fill_by_copies(work, pattern, [&](char* destination, const char* source, std::size_t bytes) {
      if (!std::exchange(is_first, false)) barrier(nullptr, {});
      m_device.check(m_device.functions().zeCommandListAppendMemoryCopy(m_objects->commands, destination, source, bytes,
                                                                        nullptr, 0, nullptr),
                     doing);
    });
  });
}

/// Hints are only for shared memory, because other memory does not migrate.
void ze_stream::advise(const memory_hint& hint) {
  ze_memory_allocation_properties_t its;
  const loader& functions = m_device.functions();
  const ze_result_t result = functions.zeMemGetAllocProperties(m_device.context(), hint.begin, &its, nullptr);
  if (result != ZE_RESULT_SUCCESS || its.type != ZE_MEMORY_TYPE_SHARED) return mark();
  const auto append = [&](int advice) {
    m_device.check(functions.zeCommandListAppendMemAdvise(m_objects->commands, m_device.device(), hint.begin,
                                                          hint.bytes, static_cast<ze_memory_advice_t>(advice)),
                   [&] { return "mem_advise with advice " + std::to_string(advice); });
  };
  hand_over({}, /*several=*/true, [&](ze_event_handle_t, std::span<ze_event_handle_t>) {
    if (hint.is_prefetch) {
      m_device.check(functions.zeCommandListAppendMemoryPrefetch(m_objects->commands, hint.begin, hint.bytes),
                     [&] { return "prefetching " + std::to_string(hint.bytes) + " bytes"; });
    } else if (hint.advice != 0) {
      append(hint.advice);
    } else {
      for (const int back : {ZE_MEMORY_ADVICE_CLEAR_READ_MOSTLY, ZE_MEMORY_ADVICE_CLEAR_PREFERRED_LOCATION,
                             ZE_MEMORY_ADVICE_CLEAR_NON_ATOMIC_MOSTLY}) {
        append(back);
      }
    }
  });
}

/// Adds the ticket even if the device has failed.
void ze_stream::mark() {
  try {
    hand_over({}, /*several=*/false,
              [&](ze_event_handle_t signalled, std::span<ze_event_handle_t> awaited) { barrier(signalled, awaited); });
  } catch (const sycl::exception& failed) {
    std::lock_guard lock(m_mutex);
    if (drivers_have_ended()) {
      // The commands before the mark have already failed with this error, which is reported.
      set_lost();
    } else {
      fail("marking a place in a queue", failed.what());
    }
    ++m_latest;
  }
}

void* ze_stream::native_event() {
  m_is_shared = true;
  ze_event_handle_t event = m_device.shared().take_event(/*timed=*/false);
  barrier(nullptr, {});
  barrier(event, {});
  std::lock_guard lock(m_mutex);
  m_objects->events.push_back(event);
  return event;
}

/// Called under m_mutex.
void* ze_stream::event_for_wait(std::uint64_t ticket) {
  for (const piece& each : m_objects->pieces) {
    if (each.ticket >= ticket) return each.event;
  }
  return nullptr;
}

void ze_stream::wait_for_event(void* event, driver_stream&) {
  m_foreign.push_back(static_cast<ze_event_handle_t>(event));
}

/// Finds out which tickets are complete. Called under m_mutex.
void ze_stream::sweep() {
  while (!m_objects->pieces.empty()) {
    const piece& first = m_objects->pieces.front();
    const ze_result_t result = m_device.functions().zeEventQueryStatus(first.event);
    if (result == ZE_RESULT_NOT_READY) break;
    if (result != ZE_RESULT_SUCCESS) return fail(result, "running kernels and copies");
    if (m_clock) measure(first);
    m_objects->complete_first();
  }
  m_objects->give_events_back();
}

/// Reads the times of a piece from its events. Called under m_mutex, before the events are reused.
void ze_stream::measure(const piece& done) {
  ze_kernel_timestamp_result_t last{}, first{};
  const loader& functions = m_device.functions();
  if (functions.zeEventQueryKernelTimestamp(done.event, &last) != ZE_RESULT_SUCCESS) return;
  std::uint64_t start = last.global.kernelStart;
  if (done.start && functions.zeEventQueryKernelTimestamp(done.start, &first) == ZE_RESULT_SUCCESS) {
    start = first.global.kernelEnd;
  }
  const std::uint64_t about = steady_time();
  const command_times its{m_clock->time_of(start, about), m_clock->time_of(last.global.kernelEnd, about)};
  m_measured.add({done.ticket, its}, [](const measurement&) {});
}

void ze_stream::wait(std::uint64_t ticket) {
  while (!is_complete(ticket)) {
    piece* awaited = nullptr;
    {
      std::lock_guard lock(m_mutex);
      for (piece& each : m_objects->pieces) {
        if (each.ticket < ticket) continue;
        awaited = &each;
        break;
      }
      if (!awaited) continue;
      ++awaited->waiting;
    }
    const ze_result_t result = m_device.functions().zeEventHostSynchronize(
        awaited->event, std::numeric_limits<std::uint64_t>::max());
    std::lock_guard lock(m_mutex);
    --awaited->waiting;
    if (result == ZE_RESULT_NOT_READY) continue;
    if (result != ZE_RESULT_SUCCESS) {
      fail(result, "waiting for kernels and copies");
      continue;
    }
    // Each piece waits for the piece before it, so all pieces up to `ticket` are complete now. Their events are not
    // queried here: drivers for tests, which only simulate commands, report progress only to threads that wait.
    while (!m_objects->pieces.empty() && done() < ticket) {
      if (m_clock) measure(m_objects->pieces.front());
      m_objects->complete_first();
    }
  }
}

command_times ze_stream::times(std::uint64_t ticket) {
  std::lock_guard lock(m_mutex);
  sweep();
  const std::optional<measurement> found = m_measured.take(ticket);
  return found ? found->times : command_times{};
}

}  // namespace sinter::level_zero
