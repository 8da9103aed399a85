#include "gpu_stream.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <sycl/exception_classes.hpp>

#include "backends/launch_counts.hpp"
#include "backends/work_item_failure.hpp"
#include "base/trace_clock.hpp"
#include "gpu_graph.hpp"
#include "gpu_timer.hpp"

namespace sinter::gpu {
namespace {

// Recording an event takes a tenth of the time of a launch, so not every ticket gets an event.
constexpr std::uint64_t tickets_per_event = 16;
constexpr std::size_t least_marks = 64;  // with fewer marks, sweep is not called
// Threads poll for 5 ms before they sleep, because falling asleep and waking up take 50 us. The driver also has events
// at which waiting threads sleep. With such events, each launch would take eight times as long, and threads would not
// wake sooner.
constexpr auto polling = std::chrono::milliseconds(5);
constexpr auto between_looks = std::chrono::microseconds(100);
// From this size on, a copy first queries the kind of its memory. The query takes less than a microsecond.
constexpr std::size_t large_copy = 1 << 20;
// A measuring stream compares the GPU's clock with the host's clock, and repeats the comparison up to
// most_looks_at_clock times, until one comparison takes at most close_enough nanoseconds.
constexpr unsigned most_looks_at_clock = 8;
constexpr std::uint64_t close_enough = 50'000;

}  // namespace

gpu_stream::gpu_stream(gpu_context& gpu, bool measures, stream_handle adopted)
    : driver_stream(event_use::counted),
      m_gpu(gpu),
      m_stream(adopted),
      m_adopted(adopted != nullptr),
      m_measures(measures),
      m_awaited(m_adopted) {
  gpu.use();
  if (!m_adopted) gpu.check(gpu.functions().make_stream(&m_stream, stream_non_blocking), "making a stream");
  if (!measures) return;
  gpu.check(gpu.functions().make_event(&m_origin, 0), [] { return "making an event"; });
  // All times of the stream are converted to the host's clock by this comparison. The comparison is repeated, because a
  // comparison is inaccurate if the thread is interrupted.
  for (unsigned tries = 0; tries < most_looks_at_clock; ++tries) {
    const std::uint64_t before = steady_time();
    gpu.check(gpu.functions().record_event(m_origin, m_stream), [] { return "recording an event"; });
    gpu.check(gpu.functions().await_event(m_origin), "waiting for an event");
    m_origin_time = steady_time();
    if (m_origin_time - before < close_enough) break;
  }
}

gpu_stream::~gpu_stream() {
  const driver& functions = m_gpu.functions();
  try {
    m_gpu.use();
  } catch (...) {
    return;
  }
  if (m_meeting) {
    if (!m_adopted) functions.finish_stream(m_stream);
    if (m_adopted && !m_marks.empty()) functions.await_event(m_marks.back().event);
    m_gpu.deallocate(m_meeting);
  }
  for (const mark_point& each : m_marks) functions.destroy_event(each.event);
  for (event_handle each : m_free) functions.destroy_event(each);
  for (event_handle each : m_given) functions.destroy_event(each);
  for (const measurement& each : m_measured) {
    functions.destroy_event(each.start);
    functions.destroy_event(each.end);
  }
  if (m_origin) functions.destroy_event(m_origin);
  if (!m_adopted) functions.destroy_stream(m_stream);
}

void gpu_stream::launch(const kernel_launch& launch) {
  m_gpu.use();
  driver_launch prepared(m_gpu, launch);
  const auto& [blocks, threads, shared_bytes] = prepared.shape;
  event_handle start = begin_measuring();
  const auto doing = [&] { return "launching kernel '" + prepared.loaded.kernel + "'"; };
  const driver& functions = m_gpu.functions();
  if (launch.code->gpu->groups_meet) {
    prepared.geometry.launch.meeting = reinterpret_cast<std::uint64_t>(meeting_place());
    m_gpu.check(functions.launch_together(prepared.loaded.function, blocks[0], blocks[1], blocks[2],
                                                    threads[0], threads[1], threads[2], shared_bytes, m_stream,
                                                    prepared.parameters),
                doing);
  } else {
    m_gpu.check(functions.launch(prepared.loaded.function, blocks[0], blocks[1], blocks[2], threads[0],
                                         threads[1], threads[2], shared_bytes, m_stream, prepared.parameters, nullptr),
                doing);
  }
  listen_to(prepared.loaded.may_fail);
  if (prepared.loaded.prints) m_printing.store(m_latest.load() + 1);
  end_measuring(start);
  count_launch(launch, launch.code->origin);
  // Only one thread at a time hands work over, so no atomic addition is needed.
  const std::uint64_t ticket = m_latest.load(std::memory_order_relaxed) + 1;
  m_latest.store(ticket, std::memory_order_release);
  note(ticket);
}

/// Returns the word that barriers across all groups use. All kernels of the stream can share this integer, because they
/// run one after the other, and at its end each kernel restores the integer's value.
void* gpu_stream::meeting_place() {
  if (m_meeting) return m_meeting;
  void* memory = m_gpu.allocate(memory_kind::device, sizeof(unsigned));
  if (!memory) {
    sycl::detail::throw_error(sycl::errc::memory_allocation,
                              "device '" + m_gpu.name() + "' has no memory for work-groups to meet (root_group)");
  }
  m_meeting = memory;
  m_gpu.check(m_gpu.functions().fill_32(address_of(memory), 0, 1, m_stream),
              [] { return "preparing a barrier of work-groups"; });
  return memory;
}

void gpu_stream::run(device_program& program) {
  auto& graph = static_cast<gpu_graph&>(program);
  m_gpu.use();
  event_handle start = begin_measuring();
  graph.launch(m_stream);
  for (const auto& each : graph.may_fail()) listen_to(each);
  if (graph.prints()) m_printing.store(m_latest.load() + 1);
  end_measuring(start);
  note(++m_latest);
}

void gpu_stream::start(device_timer& timer) noexcept { static_cast<gpu_timer&>(timer).start(m_stream); }

void gpu_stream::stop(device_timer& timer) noexcept { static_cast<gpu_timer&>(timer).stop(m_stream); }

void gpu_stream::run(const memory_work& work) {
  m_gpu.use();
  const driver& functions = m_gpu.functions();
  event_handle start = begin_measuring();
  if (work.what == memory_work::kind::copy) {
    const auto doing = [&] { return "copying " + std::to_string(work.copy.bytes()) + " bytes"; };
    if (const auto whole = m_gpu.node_of(work.copy)) m_gpu.check(functions.copy_texels(&*whole, m_stream), doing);
    else work.copy.visit_pieces([&](char* destination, const char* source, std::size_t bytes) {
      if (destination == source) return;
      if (bytes >= large_copy && copy_pageable(destination, source, bytes)) return;
      m_gpu.check(functions.copy(address_of(destination), address_of(source), bytes, m_stream), doing);
    });
  } else if (work.what == memory_work::kind::fill && work.fill.count != 0) {
    const memory_fill& fill = work.fill;
    const device_address to = address_of(fill.destination);
    const auto doing = [] { return "filling memory"; };
    if (fill.pattern_bytes == 1) {
      m_gpu.check(functions.fill_8(to, fill.small[0], fill.count, m_stream), doing);
    } else if (fill.pattern_bytes == 2 && to % 2 == 0) {
      unsigned short value;
      std::memcpy(&value, fill.small, sizeof(value));
      m_gpu.check(functions.fill_16(to, value, fill.count, m_stream), doing);
    } else if (fill.pattern_bytes == 4 && to % 4 == 0) {
      unsigned value;
      std::memcpy(&value, fill.small, sizeof(value));
      m_gpu.check(functions.fill_32(to, value, fill.count, m_stream), doing);
    } else {
      fill_by_copies(fill, fill.pattern(), [&](char* destination, const char* source, std::size_t bytes) {
        m_gpu.check(functions.copy(address_of(destination), address_of(source), bytes, m_stream), doing);
      });
    }
  }
  if (work.what == memory_work::kind::hint) give_hint(work.hint);
  if (work.what == memory_work::kind::texels && work.texels.bytes() != 0) {
    const copy_node copy = m_gpu.node_of(work.texels);
    m_gpu.check(functions.copy_texels(&copy, m_stream), [&] {
      return "copying " + std::to_string(work.texels.bytes()) + " bytes of an image";
    });
  }
  end_measuring(start);
  note(++m_latest);
}

/// Copies between the device and host memory that is not page-locked. Does nothing and returns false for other memory,
/// or if the driver's own asynchronous copy is as fast.
bool gpu_stream::copy_pageable(char* destination, const char* source, std::size_t bytes) {
  const driver& functions = m_gpu.functions();
  const auto type_of = [&](const char* memory) {
    unsigned type = 0;
    const result_code result =
        functions.get_pointer_attribute(&type, pointer_attribute::memory_type, address_of(memory));
    return result == success ? type : 0;
  };
  const unsigned from = type_of(source), to = type_of(destination);
  const bool is_staged = bytes >= staged_copies::least;
  if (from == 0 && to == device_memory_type) {
    return is_staged && m_gpu.staged().up(destination, source, bytes, m_stream);
  }
  if (from != device_memory_type || to != 0) return false;
  if (is_staged && m_gpu.staged().down(destination, source, bytes, m_stream)) return true;
  // If host memory is not page-locked, even the driver's asynchronous function returns only when the copy is complete.
  // The synchronous function is faster by at least a tenth.
  const auto doing = [&] { return "copying " + std::to_string(bytes) + " bytes"; };
  m_gpu.check(functions.finish_stream(m_stream), doing);
  m_gpu.check(functions.copy_to_host(destination, address_of(source), bytes), doing);
  return true;
}

void gpu_stream::give_hint(const memory_hint& hint) {
  // GPUs without moves_pages migrate all shared memory before each kernel, so the hint is useless.
  if (!m_gpu.description().moves_pages || hint.bytes == 0) return;
  const driver& functions = m_gpu.functions();
  const device_address begin = address_of(hint.begin);
  if (hint.is_prefetch) {
    m_gpu.check(functions.prefetch(begin, hint.bytes, m_gpu.device(), m_stream),
                [&] { return "prefetching " + std::to_string(hint.bytes) + " bytes"; });
    return;
  }
  const auto advise = [&](int advice) {
    m_gpu.check(functions.advise(begin, hint.bytes, static_cast<memory_advice>(advice), m_gpu.device()),
                [&] { return "mem_advise with advice " + std::to_string(advice); });
  };
  if (hint.advice != 0) return advise(hint.advice);
  for (const int reset : {unset_read_mostly, unset_preferred_location,
                          unset_accessed_by}) {
    advise(reset);
  }
}

/// Adds the ticket even if the device has failed.
void gpu_stream::mark() {
  try {
    m_gpu.use();
    event_handle start = begin_measuring();
    end_measuring(start);
  } catch (const sycl::exception&) {
    // The device has failed earlier, and that failure was reported already.
  }
  note(++m_latest);
}

event_handle gpu_stream::begin_measuring() {
  if (!m_measures) return nullptr;
  event_handle event = nullptr;
  m_gpu.check(m_gpu.functions().make_event(&event, 0), [] { return "making an event"; });
  m_gpu.check(m_gpu.functions().record_event(event, m_stream), [] { return "recording an event"; });
  return event;
}

void gpu_stream::end_measuring(event_handle start) {
  if (!start) return;
  event_handle end = nullptr;
  m_gpu.check(m_gpu.functions().make_event(&end, 0), [] { return "making an event"; });
  m_gpu.check(m_gpu.functions().record_event(end, m_stream), [] { return "recording an event"; });
  std::lock_guard lock(m_mutex);
  m_measured.add({m_latest.load() + 1, start, end}, [&](const measurement& oldest) {
    m_gpu.functions().destroy_event(oldest.start);
    m_gpu.functions().destroy_event(oldest.end);
  });
}

command_times gpu_stream::times(std::uint64_t ticket) {
  std::lock_guard lock(m_mutex);
  std::optional<measurement> found = m_measured.take(ticket);
  if (!found) return {};
  m_gpu.use();
  const auto time_of = [&](event_handle from, event_handle to) {
    float milliseconds = 0;
    m_gpu.functions().measure_time(&milliseconds, from, to);
    return static_cast<std::uint64_t>(std::max(static_cast<double>(milliseconds), 0.0) * 1e6);
  };
  const std::uint64_t start = m_origin_time + time_of(m_origin, found->start);
  const command_times result{start, start + time_of(found->start, found->end)};
  // From now on, times are measured from this event. The driver returns time differences in single precision. After a
  // tenth of a second, the rounding error is 8 nanoseconds; after five seconds it is 500 nanoseconds, which is longer
  // than short commands take.
  if (time_of(m_origin, found->start) > 100'000'000u) {
    std::swap(m_origin, found->start);
    m_origin_time = start;
  }
  m_gpu.functions().destroy_event(found->start);
  m_gpu.functions().destroy_event(found->end);
  return result;
}

void* gpu_stream::event_for_wait(std::uint64_t ticket) {
  m_gpu.use();
  m_awaited.store(true, std::memory_order_relaxed);
  return event_behind(ticket);
}

/// The driver reads the event's state during this call, so the event may be recorded again immediately.
void gpu_stream::wait_for_event(void* event, driver_stream&) {
  m_gpu.use();
  m_gpu.check(m_gpu.functions().wait_for_event(m_stream, static_cast<event_handle>(event), 0),
              [] { return "waiting for another stream"; });
}

/// Called under m_mutex.
event_handle gpu_stream::take_event() {
  if (!m_free.empty()) {
    event_handle event = m_free.back();
    m_free.pop_back();
    return event;
  }
  event_handle event = nullptr;
  const result_code result = m_gpu.functions().make_event(&event, event_without_times);
  if (result == success) return event;
  fail(result, "making an event");
  return nullptr;
}

/// Called after work was handed over. Records an event for the ticket, if the ticket needs one.
void gpu_stream::note(std::uint64_t ticket) {
  if (ticket % tickets_per_event != 0 && !m_awaited.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(m_mutex);
  if (is_lost()) return;
  if (m_marks.size() >= m_next_sweep) {
    sweep();
    m_next_sweep = std::max(least_marks, 2 * m_marks.size());
  }
  (void)event_behind(ticket);
}

/// Returns an event that was recorded after the ticket's work, or null if the device has failed. Records a new event if
/// there is none. Called under m_mutex.
event_handle gpu_stream::event_behind(std::uint64_t ticket) {
  const auto is_before = [](const mark_point& each, std::uint64_t wanted) { return each.ticket < wanted; };
  const auto found = std::lower_bound(m_marks.begin(), m_marks.end(), ticket, is_before);
  if (found != m_marks.end()) return found->event;
  const std::uint64_t latest = m_latest.load();
  event_handle event = take_event();
  if (!event) return nullptr;
  if (const result_code result = m_gpu.functions().record_event(event, m_stream); result != success) {
    m_free.push_back(event);
    fail(result, "recording an event");
    return nullptr;
  }
  m_marks.push_back({latest, event});
  return event;
}

/// Removes marks whose work is complete. Work completes in order, so a search with few queries finds the last mark
/// whose work is complete. Called under m_mutex.
void gpu_stream::sweep() {
  std::size_t passed = 0;
  for (std::size_t unknown = m_marks.size(), step = 1; unknown != 0;) {
    const std::size_t asked = std::min(step, unknown);
    const result_code result = m_gpu.functions().query_event(m_marks[passed + asked - 1].event);
    if (result == success) {
      passed += asked;
      unknown -= asked;
      step *= 2;
    } else if (result == not_ready) {
      unknown = asked - 1;
      step = std::max<std::size_t>(unknown / 2, 1);
    } else {
      return fail(result, "running kernels and copies");
    }
  }
  if (passed == 0) return;
  if (m_printing.load(std::memory_order_relaxed) != 0) bring_out_text(m_marks[passed - 1]);
  set_done(m_marks[passed - 1].ticket);
  for (; passed != 0; --passed) {
    m_free.push_back(m_marks.front().event);
    m_marks.pop_front();
  }
}

/// The driver prints the text of kernels only while a thread waits, so this function waits even if the work is complete
/// already. Called under m_mutex.
void gpu_stream::bring_out_text(const mark_point& passed) {
  m_gpu.functions().await_event(passed.event);
  m_gpu.print_texts();
  std::uint64_t printing = m_printing.load();
  if (printing <= passed.ticket) m_printing.compare_exchange_strong(printing, 0);
}

/// Called under m_mutex.
void gpu_stream::fail(result_code result, const char* doing) {
  fail(doing, m_gpu.functions().text_of(result) + ". The driver has given up the device for this process");
}

void* gpu_stream::native_event() {
  m_gpu.use();
  event_handle event = nullptr;
  m_gpu.check(m_gpu.functions().make_event(&event, event_without_times), "making an event");
  std::lock_guard lock(m_mutex);
  m_given.push_back(event);
  m_gpu.check(m_gpu.functions().record_event(event, m_stream), "recording an event");
  return event;
}

void gpu_stream::look_for(std::uint64_t ticket) {
  if (const result_code result = m_gpu.try_to_use(); result != success) return fail(result, "choosing the device");
  // Printing the texts of a running kernel frees space in its ring buffer.
  if (m_printing.load(std::memory_order_relaxed) != 0) m_gpu.print_texts();
  sweep();
  if (done() >= ticket || is_lost()) return;
  const bool has_no_mark = m_latest.load() == ticket && (m_marks.empty() || m_marks.back().ticket < ticket);
  if (has_no_mark && m_printing.load(std::memory_order_relaxed) == 0) {
    // `ticket` is the latest ticket, so it is complete when the stream is idle.
    const result_code result = m_gpu.functions().query_stream(m_stream);
    if (result == success) return set_done(ticket);
    if (result != not_ready) fail(result, "running kernels and copies");
    return;
  }
  (void)event_behind(ticket);
}

void gpu_stream::wait(std::uint64_t ticket) {
  const auto start = std::chrono::steady_clock::now();
  while (!is_complete(ticket)) {
    if (std::chrono::steady_clock::now() - start > polling) std::this_thread::sleep_for(between_looks);
  }
}

}  // namespace sinter::gpu
