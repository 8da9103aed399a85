#include "cl_stream.hpp"

#include <algorithm>
#include <backends/driver_launch.hpp>
#include <backends/launch_counts.hpp>
#include <backends/work_item_failure.hpp>
#include <base/large_stack.hpp>
#include <base/trace_clock.hpp>
#include <cstring>
#include <utility>

#include <sycl/exception_classes.hpp>

namespace sinter::opencl {
namespace {

constexpr std::size_t most_pieces = 256;  // if a stream has this many pieces, it queries the states of all

std::int64_t now() { return static_cast<std::int64_t>(steady_time()); }

}  // namespace

cl_stream::cl_stream(cl_device_context& device, bool measures)
    : driver_stream(event_use::counted), m_device(device), m_measures(measures), m_is_own(true) {
  make_queue();
  if (measures) start_clock();
}

void cl_stream::make_queue() {
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                            m_measures ? cl_queue_properties{CL_QUEUE_PROFILING_ENABLE} : 0, 0};
  cl_int result = CL_SUCCESS;
  m_queue =
      m_device.functions().clCreateCommandQueueWithProperties(m_device.native(), m_device.id(), properties, &result);
  m_device.check(result, [] { return std::string("making a command queue"); });
  m_device.memory().note(m_queue);
}

cl_stream::cl_stream(cl_device_context& device, bool measures, cl_command_queue native)
    : driver_stream(event_use::counted), m_device(device), m_measures(measures), m_is_own(false) {
  const loader& functions = device.functions();
  const auto refuse = [](const char* why) {
    sycl::detail::throw_error(sycl::errc::invalid, std::string("make_queue: ") + why);
  };
  cl_context of = nullptr;
  cl_device_id on = nullptr;
  cl_command_queue_properties properties = 0;
  functions.clGetCommandQueueInfo(native, CL_QUEUE_CONTEXT, sizeof(of), &of, nullptr);
  functions.clGetCommandQueueInfo(native, CL_QUEUE_DEVICE, sizeof(on), &on, nullptr);
  functions.clGetCommandQueueInfo(native, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, nullptr);
  if (of != device.native() || on != device.id()) {
    refuse("the cl_command_queue is of another device or cl_context; make it in the one that get_native gives");
  }
  if (measures && (properties & CL_QUEUE_PROFILING_ENABLE) == 0) {
    refuse("enable_profiling needs a cl_command_queue with CL_QUEUE_PROFILING_ENABLE");
  }
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) {
    make_queue();
    m_followed_by = native;
  } else {
    m_queue = native;
    device.memory().note(m_queue);
  }
  functions.clRetainCommandQueue(native);
  if (measures) start_clock();
}

void cl_stream::start_clock() {
  cl_ulong device_time = 0, host_time = 0;
  m_device.check(m_device.functions().clGetDeviceAndHostTimer(m_device.id(), &device_time, &host_time),
                 [] { return std::string("asking for the device's time"); });
  m_clock_offset = now() - static_cast<std::int64_t>(device_time);
}

cl_stream::~cl_stream() {
  const loader& functions = m_device.functions();
  // The device reads patterns and argument blocks until the work that uses them is complete, so the destructor waits
  // for this work.
  for (piece& each : m_pieces) {
    if (each.pattern || each.failed || each.block != no_block) functions.clWaitForEvents(1, &each.event);
  }
  for (const block_memory& each : m_blocks) m_device.deallocate(each.data);
  for (const report_memory& each : m_reports) m_device.deallocate(each.data);
  for (const piece& each : m_pieces) release(each);
  for (const piece& each : m_measured) release(each);
  // Threads that free memory use all registered queues (memory_table), so the queue is unregistered before it is
  // released.
  if (m_device.memory().is_shared_virtual()) functions.clFinish(m_queue);
  m_device.memory().forget(m_queue);
  functions.clReleaseCommandQueue(m_queue);
  if (m_followed_by) functions.clReleaseCommandQueue(m_followed_by);
}

void cl_stream::launch(const kernel_launch& launch) {
  loaded_program& loaded = load(m_device, *launch.code, *launch.kernel);
  const bool host_writes = m_device.memory().host_reaches();
  piece added{.ticket = 0, .event = nullptr, .pattern = nullptr, .failed = nullptr};
  launch_memory where;
  if (launch.code->gpu->block_in_memory) {
    const std::size_t bytes = block_bytes(launch);
    added.block = take_block(bytes);
    where.block = m_blocks[added.block].data;
    if (!host_writes) where.block_on_host = (added.pattern = std::make_unique<unsigned char[]>(bytes)).get();
  }
  try {
    if (loaded.can_fail && !host_writes) where.failure = m_reports[added.report = take_report(loaded)].data;
    added.event = enqueue(m_queue, loaded, launch, where);
  } catch (...) {
    // The device may still be reading the host's copy of the block.
    if (added.pattern) m_device.functions().clFinish(m_queue);
    std::lock_guard lock(m_mutex);
    if (added.block != no_block) m_blocks[added.block].is_used = false;
    throw;
  }
  if (where.failure) {
    added.failed = std::make_unique<abi::gpu_failure>();
    added.launched = std::exchange(added.event, nullptr);
    const cl_int result =
        m_device.memory().copy(m_queue, added.failed.get(), where.failure, sizeof(abi::gpu_failure), &added.event);
    // The launch was handed over, but the copy of its report was not.
    if (result != CL_SUCCESS) {
      added.event = std::exchange(added.launched, nullptr);
      added.failed = nullptr;
    }
  }
  if (loaded.failure) listen_to(loaded.may_fail);
  count_launch(launch, launch.code->origin);
  note(std::move(added));
}

/// Returns the index of the memory for failure reports of the program's work-items, and clears the memory if necessary.
/// Called by the thread that hands work over.
std::size_t cl_stream::take_report(loaded_program& loaded) {
  std::unique_lock lock(m_mutex);
  auto found =
      std::find_if(m_reports.begin(), m_reports.end(), [&](const auto& each) { return each.of == loaded.may_fail; });
  const bool is_new = found == m_reports.end();
  if (is_new) {
    m_reports.push_back({loaded.may_fail, allocate(sizeof(abi::gpu_failure), "messages")});
    found = m_reports.end() - 1;
  }
  if (is_new || found->is_written) {
    const std::uint32_t none = 0;
    m_device.check(m_device.memory().fill(m_queue, found->data, &none, sizeof(none), sizeof(none), nullptr),
                   [] { return std::string("filling memory"); });
    found->is_written = false;
    found->known_until = m_latest;
  }
  return static_cast<std::size_t>(found - m_reports.begin());
}

/// Reads the report of a complete piece. Called under m_mutex.
void cl_stream::look_at_report(const piece& done) {
  report_memory& its = m_reports[done.report];
  if (its.is_written || done.ticket <= its.known_until) return;
  std::exception_ptr failed = take_failure(*done.failed, its.of->kernel(), m_device.name());
  if (!failed) return;
  its.is_written = true;
  note_error(std::move(failed));
}

void* cl_stream::allocate(std::size_t bytes, const char* what) {
  const memory_kind kind = m_device.memory().host_reaches() ? memory_kind::host : memory_kind::device;
  if (void* const memory = m_device.allocate(kind, bytes, alignof(std::max_align_t))) return memory;
  sycl::detail::throw_error(
      sycl::errc::memory_allocation,
      "device '" + m_device.name() + "': no memory for a kernel's " + what + " of " + std::to_string(bytes) + " bytes");
}

void cl_stream::release(const piece& done) const {
  m_device.functions().clReleaseEvent(done.event);
  if (done.launched) m_device.functions().clReleaseEvent(done.launched);
}

void cl_stream::run(device_program& program) {
  auto& graph = static_cast<cl_graph&>(program);
  cl_event event = graph.enqueue(m_queue, m_measures, m_is_own);
  for (const auto& each : graph.may_fail()) listen_to(each);
  note(event);
}

/// Returns the index of a free block. Called by the thread that hands work over; other threads only give blocks back.
std::size_t cl_stream::take_block(std::size_t bytes) {
  std::lock_guard lock(m_mutex);
  sweep();
  for (std::size_t i = 0; i < m_blocks.size(); ++i) {
    if (m_blocks[i].is_used || m_blocks[i].bytes < bytes) continue;
    m_blocks[i].is_used = true;
    return i;
  }
  m_blocks.push_back({allocate(bytes, "arguments"), bytes, true});
  return m_blocks.size() - 1;
}

void cl_stream::run(const memory_work& work) {
  std::unique_ptr<unsigned char[]> pattern;
  cl_event event = nullptr;
  if (work.what == memory_work::kind::copy) event = copy(work.copy);
  if (work.what == memory_work::kind::fill && work.fill.count != 0) event = fill(work.fill, pattern);
  if (work.what == memory_work::kind::hint && work.hint.is_prefetch && work.hint.bytes != 0) {
    m_device.memory().migrate(m_queue, work.hint.begin, work.hint.bytes, &event);
  }
  if (event) return note({.ticket = 0, .event = event, .pattern = std::move(pattern), .failed = nullptr});
  mark();
}

void cl_stream::refuse_pointers(const char* what) const {
  sycl::detail::throw_error(
      sycl::errc::feature_not_supported,
      "device '" + m_device.name() + "': " + what +
          " of pointers reaches memory of the host's only, and the device has no unified shared memory "
          "(no aspect::usm_device_allocations); use accessors of buffers, or a host task");
}

cl_event cl_stream::copy(const abi::strided_copy& work) {
  cl_event last = nullptr;
  const loader& functions = m_device.functions();
  work.visit_pieces([&](char* destination, const char* source, std::size_t bytes) {
    if (destination == source || bytes == 0) return;
    if (last) functions.clReleaseEvent(last);
    last = nullptr;
    const cl_int result = m_device.memory().copy(m_queue, destination, source, bytes, &last);
    if (result == CL_INVALID_MEM_OBJECT) refuse_pointers("a copy");
    m_device.check(result, [&] { return "copying " + std::to_string(work.bytes()) + " bytes"; });
  });
  return last;
}

cl_event cl_stream::fill(const memory_fill& work, std::unique_ptr<unsigned char[]>& pattern) {
  const auto doing = [] { return std::string("filling memory"); };
  const std::size_t size = work.pattern_bytes, bytes = size * work.count;
  cl_event event = nullptr;
  if (is_filled_by_driver(work)) {
    const cl_int result = m_device.memory().fill(m_queue, work.destination, work.pattern(), size, bytes, &event);
    if (result == CL_INVALID_MEM_OBJECT) refuse_pointers("a fill");
    m_device.check(result, doing);
    return event;
  }
  pattern = std::make_unique<unsigned char[]>(size);
  std::memcpy(pattern.get(), work.pattern(), size);
  fill_by_copies(work, pattern.get(), [&](char* destination, const char* source, std::size_t count) {
    if (event) m_device.functions().clReleaseEvent(event);
    event = nullptr;
    const cl_int result = m_device.memory().copy(m_queue, destination, source, count, &event);
    if (result == CL_INVALID_MEM_OBJECT) refuse_pointers("a fill");
    m_device.check(result, doing);
  });
  return event;
}

/// Adds the ticket even if the device has failed.
void cl_stream::mark() {
  cl_event event = nullptr;
  const cl_int result = m_device.functions().clEnqueueMarkerWithWaitList(m_queue, 0, nullptr, &event);
  if (result == CL_SUCCESS) return note(event);
  std::lock_guard lock(m_mutex);
  if (result == driver_has_ended) {
    // The commands before the mark have failed for the same reason, and that failure was already reported.
    set_lost();
  } else {
    fail(result, "marking a place in a queue");
  }
  ++m_latest;
}

void* cl_stream::native_event() {
  cl_event event = nullptr;
  m_device.check(m_device.functions().clEnqueueMarkerWithWaitList(m_queue, 0, nullptr, &event),
                 [] { return std::string("marking a place in a queue"); });
  m_device.functions().clFlush(m_queue);
  return event;
}

void cl_stream::wait_for_event(void* event, driver_stream&) {
  const auto awaited = static_cast<cl_event>(event);
  cl_event passed = nullptr;
  const cl_int result = m_device.functions().clEnqueueBarrierWithWaitList(m_queue, 1, &awaited, &passed);
  if (passed) m_device.functions().clReleaseEvent(passed);
  m_device.check(result, [] { return std::string("waiting for another queue"); });
}

/// Called after work was handed over: adds its ticket.
void cl_stream::note(piece added) {
  m_device.functions().clFlush(m_queue);
  if (m_followed_by) {
    cl_event passed = nullptr;
    m_device.functions().clEnqueueMarkerWithWaitList(m_followed_by, 1, &added.event, &passed);
    if (passed) m_device.functions().clReleaseEvent(passed);
  }
  std::lock_guard lock(m_mutex);
  added.ticket = m_latest.load(std::memory_order_relaxed) + 1;
  m_pieces.push_back(std::move(added));
  if (m_pieces.size() >= most_pieces) sweep();
  ++m_latest;
}

/// Returns the retained event of the ticket, or null if the work is complete. Called under m_mutex.
cl_event cl_stream::event_of(std::uint64_t ticket) {
  const auto is_before = [](const piece& each, std::uint64_t wanted) { return each.ticket < wanted; };
  const auto found = std::lower_bound(m_pieces.begin(), m_pieces.end(), ticket, is_before);
  if (found == m_pieces.end()) return nullptr;
  m_device.functions().clRetainEvent(found->event);
  return found->event;
}

/// Removes complete pieces. Called under m_mutex.
void cl_stream::sweep() {
  const loader& functions = m_device.functions();
  while (!m_pieces.empty()) {
    piece& first = m_pieces.front();
    cl_int status = CL_QUEUED;
    const cl_int result =
        functions.clGetEventInfo(first.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr);
    if (result != CL_SUCCESS) return fail(result, "asking for the state of a command");
    if (status < 0) return fail(status, "running kernels and copies");
    if (status != CL_COMPLETE) return;
    set_done(first.ticket);
    if (first.block != no_block) m_blocks[first.block].is_used = false;
    if (first.failed) look_at_report(first);
    if (m_measures) {
      m_measured.add(std::move(first), [&](const piece& oldest) { release(oldest); });
    } else {
      release(first);
    }
    m_pieces.pop_front();
  }
}

void cl_stream::wait(std::uint64_t ticket) {
  while (!is_complete(ticket)) {
    cl_event event = nullptr;
    {
      std::lock_guard lock(m_mutex);
      event = event_of(ticket);
    }
    if (!event) continue;
    // Some drivers run kernels on the thread that waits, so the wait runs on a large stack.
    cl_int result = CL_SUCCESS;
    on_large_stack([&] { result = m_device.functions().clWaitForEvents(1, &event); });
    m_device.functions().clReleaseEvent(event);
    if (result == CL_SUCCESS) continue;
    std::lock_guard lock(m_mutex);
    fail(result, "waiting for kernels and copies");
  }
}

command_times cl_stream::times(std::uint64_t ticket) {
  std::lock_guard lock(m_mutex);
  sweep();
  const std::optional<piece> found = m_measured.take(ticket);
  if (!found) return {};
  const auto time_of = [&](cl_profiling_info which) {
    cl_ulong time = 0;
    m_device.functions().clGetEventProfilingInfo(found->launched ? found->launched : found->event, which, sizeof(time),
                                                 &time, nullptr);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(time) + m_clock_offset);
  };
  const command_times result{time_of(CL_PROFILING_COMMAND_START), time_of(CL_PROFILING_COMMAND_END)};
  release(*found);
  return result;
}

}  // namespace sinter::opencl
