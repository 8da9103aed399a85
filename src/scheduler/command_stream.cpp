#include "command_stream.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <backends/natives.hpp>
#include <base/processor.hpp>
#include <base/running.hpp>
#include <base/trace.hpp>
#include <utility>

#include "attendant.hpp"
#include "device_channel.hpp"
#include "run_mark.hpp"
#include "scheduler.hpp"
#include "traced_command.hpp"
#include "worker_pool.hpp"

namespace sycl::inline _V1::detail {
namespace {

constexpr std::size_t slots_per_chunk = 64;
// The stream keeps at most this many free chunks. A stream needs more chunks only if commands are pushed faster than
// the owner runs them.
constexpr std::size_t most_free_chunks = 256;
// A waiting thread spins this often before it sleeps. This takes about as long as a thread needs to fall asleep and to
// be woken.
constexpr int spins = 64;
// A worker that watches the stream runs short commands only after this many looks. The submitting thread usually waits
// next, and then runs the commands itself.
constexpr int looks_before_taking = 8;
// The owner of a stream usually gives up the ownership before another thread has looked this many times.
constexpr int looks_for_owner = 16;

/// Returns the number of a new queue. Starts the timeline when the first queue is made.
std::uint32_t next_number() {
  static std::atomic<std::uint32_t> last{0};
  sinter::start_trace();
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

struct command_stream::chunk {
  operation slots[slots_per_chunk];
  std::atomic<chunk*> next{nullptr};
};

void operation::run(sinter::device_backend& backend) {
  if (!is_kernel) {
    if (work) return work();
    return backend.run(memory);
  }
  // A launch without work-items needs no code.
  if (launch.is_empty()) return;
  launch.block = function.get();
  backend.run(launch);
}

command_stream::command_stream(sinter::device_backend& backend, bool in_order, sinter::stream_use use, void* native)
    : m_backend(backend),
      m_number(next_number()),
      m_works_by_itself(backend.works_by_itself()),
      m_write_chunk(nullptr),
      m_read_chunk(nullptr) {
  use.measures |= sinter::traces();
  // An out-of-order queue has this many channels, so that up to this many independent commands overlap.
  constexpr std::size_t channels_out_of_order = 4;
  if (native)
    m_channels.push_back(
        std::make_unique<device_channel>(backend.natives()->adopt_stream(native, use.measures), *this));
  for (std::size_t i = 0; m_works_by_itself && !native && i < (in_order ? 1 : channels_out_of_order); ++i) {
    std::unique_ptr<sinter::device_stream> stream = backend.make_stream(use);
    if (!in_order) stream->keep_places();
    m_channels.push_back(std::make_unique<device_channel>(std::move(stream), *this));
  }
}

command_stream::~command_stream() {
  for (chunk* list : {m_read_chunk, m_free.load()}) {
    while (list) delete std::exchange(list, list->next.load());
  }
}

command_stream::chunk* command_stream::fresh_chunk() {
  // The ABA problem cannot occur: only one thread at a time takes chunks, so no other thread can take a chunk and put
  // it back between the load and the exchange.
  for (chunk* first = m_free.load(std::memory_order_acquire); first;) {
    if (m_free.compare_exchange_weak(first, first->next.load(std::memory_order_relaxed), std::memory_order_acq_rel)) {
      m_free_count.fetch_sub(1, std::memory_order_relaxed);
      first->next.store(nullptr, std::memory_order_relaxed);
      return first;
    }
  }
  return new chunk;
}

void command_stream::recycle(chunk* used) noexcept {
  if (m_free_count.load(std::memory_order_relaxed) >= most_free_chunks || sinter::notes_races()) {
    delete used;
    return;
  }
  m_free_count.fetch_add(1, std::memory_order_relaxed);
  chunk* first = m_free.load(std::memory_order_relaxed);
  do {
    used->next.store(first, std::memory_order_relaxed);
  } while (!m_free.compare_exchange_weak(first, used, std::memory_order_acq_rel));
}

cost command_stream::pending_cost() const noexcept {
  return m_pushed_cost.load(std::memory_order_relaxed) - m_finished_cost.load(std::memory_order_relaxed);
}

std::uint64_t command_stream::push(operation&& work) {
  if (!m_write_chunk) {
    // No thread owns the stream before the first push.
    m_read_chunk = m_write_chunk = fresh_chunk();
  } else if (m_write_at == slots_per_chunk) {
    chunk* next = fresh_chunk();
    m_write_chunk->next.store(next, std::memory_order_release);
    m_write_chunk = next;
    m_write_at = 0;
  }
  operation& slot = m_write_chunk->slots[m_write_at++];
  slot.name = work.name;
  slot.is_kernel = work.is_kernel;
  slot.estimate = work.estimate;
  if (work.is_kernel) {
    if (work.launch.kernel->image) m_backend.hold(*work.launch.kernel);
    slot.launch = work.launch;
    slot.function = std::move(work.function);
  } else {
    slot.memory = work.memory;
    slot.work = std::move(work.work);
  }
  m_pushed_cost.store(m_pushed_cost.load(std::memory_order_relaxed) + work.estimate, std::memory_order_relaxed);
  const std::uint64_t ticket = m_published.load(std::memory_order_relaxed) + 1;
  sinter::note_release(&m_published);
  m_published.store(ticket);
  return ticket;
}

std::uint64_t command_stream::hand_over(operation& work, std::span<const dependency> before) {
  const std::uint64_t ticket = channel()->push(work, before);
  m_published.store(ticket, std::memory_order_relaxed);
  return ticket;
}

device_channel& command_stream::channel_for(const command& ready) noexcept {
  if (m_channels.size() == 1) return *m_channels.front();
  // If all dependencies are complete, the command waits for nothing, and may go to any channel.
  const auto dependencies = ready.dependencies();
  bool is_free = true;
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    is_free &= dependencies[i].is_complete();
    const device_point point = dependencies[i].handed_over();
    if (!point.channel || point.channel->latest() != point.ticket) continue;
    for (const auto& each : m_channels) {
      if (each.get() == point.channel) return *each;
    }
  }
  if (is_free && m_order_of_free) return *m_channels.front();
  return *m_channels[m_next_channel.fetch_add(1, std::memory_order_relaxed) % m_channels.size()];
}

void command_stream::keep_attended() {
  if (!m_attended.load()) attendant::instance().attend(shared<command_stream>(this));
}

bool command_stream::is_complete_there(std::uint64_t ticket) const noexcept { return channel()->is_complete(ticket); }

bool command_stream::is_idle_there() const noexcept {
  return std::all_of(m_channels.begin(), m_channels.end(), [](const auto& each) { return each->is_idle(); });
}

void command_stream::retire() {
  for (const auto& each : m_channels) each->retire();
}

void command_stream::retire_in_passing() {
  constexpr unsigned submissions_per_look = 64;
  if (!m_served.load(std::memory_order_relaxed)) m_served.store(true, std::memory_order_relaxed);
  // Threads that submit at the same time may count as one, so no atomic addition is needed.
  const unsigned passed = m_passed.load(std::memory_order_relaxed) + 1;
  m_passed.store(passed, std::memory_order_relaxed);
  if (passed % submissions_per_look == 0) retire();
}

bool command_stream::is_served() const noexcept {
  return m_served.load(std::memory_order_relaxed) &&
         std::none_of(m_channels.begin(), m_channels.end(), [](const auto& each) { return each->has_followers(); });
}

bool command_stream::ends_by_itself(operation& work) const noexcept {
  if (!work.is_kernel) return work.memory.what != sinter::memory_work::kind::none;
  // Code with constants may be freed as soon as no command holds the kernel's image, and here no command exists that
  // could hold it.
  if (work.launch.constants) return false;
  work.launch.code = m_backend.bounded_code(work.launch);
  return work.launch.code != nullptr;
}

std::uint64_t command_stream::run_at_once(operation& work) {
  if (work.estimate >= worth_keeping || !is_idle() || !ends_by_itself(work)) return 0;
  // The thread that ran the previous command may be about to disown the stream.
  for (int look = 0; !own(); ++look) {
    if (look == looks_for_owner) return 0;
    sinter::pause_processor();
  }
  const std::uint64_t start = sinter::traces() ? now_nanoseconds() : 0;
  try {
    work.run(m_backend);
  } catch (...) {
    add_error(std::current_exception());
  }
  const std::uint64_t ticket = m_published.load(std::memory_order_relaxed) + 1;
  if (start != 0) trace_slot(work, ticket, start, now_nanoseconds());
  m_published.store(ticket, std::memory_order_relaxed);
  sinter::note_release(&m_completed);
  m_completed.store(ticket, std::memory_order_release);  // a thread that misses this store sees the store in disown()
  disown();
  return ticket;
}

void command_stream::after_push() {
  if (!m_attended.load()) attendant::instance().attend(shared<command_stream>(this));
  if (pending_cost() >= worth_waking && !m_owned.load(std::memory_order_relaxed) && !m_pooled.exchange(true)) {
    worker_pool::instance().push(shared<runnable>(this), urgency::now);
  }
  slow_down(m_published.load(std::memory_order_relaxed) - m_completed.load(std::memory_order_relaxed));
}

void command_stream::hurry() {
  if (m_works_by_itself) return retire();
  if (is_idle() || m_owned.load() || m_pooled.exchange(true)) return;
  worker_pool::instance().push(shared<runnable>(this), urgency::now);
}

/// Inlining this function would make launches one percent slower even when no timeline is recorded.
[[gnu::noinline]] void command_stream::trace_slot(const operation& work, std::uint64_t ticket, std::uint64_t start,
                                                  std::uint64_t end) const {
  const traced_part part = traced_work(work.own_work(), work.name);
  sinter::trace({.kind = part.kind,
                 .name = part.name,
                 .start = start,
                 .end = end,
                 .point = {m_number, ticket},
                 .queue = m_number,
                 .size = part.size});
}

void command_stream::run_slot(operation& work) noexcept {
  try {
    work.run(m_backend);
  } catch (const abi::__forced_unwind&) {
    refuse_end_of_thread(work.name);
  } catch (...) {
    add_error(std::current_exception());
  }
  const std::uint64_t now = now_nanoseconds();
  if (sinter::traces()) trace_slot(work, m_completed.load(std::memory_order_relaxed) + 1, m_last_clock, now);
  if (work.is_kernel) {
    note_launch(work.launch, now - m_last_clock);
    // The descriptor of a kernel without image may be unloaded once the function object is destroyed, because nothing
    // else keeps the kernel's library loaded. So the descriptor is read before the function object is destroyed.
    const bool has_image = work.launch.kernel->image != nullptr;
    work.function = function_object();
    if (has_image) m_backend.let_go(*work.launch.kernel);
  } else {
    work.work = nullptr;
    work.memory.what = sinter::memory_work::kind::none;
  }
  m_last_clock = now;
  m_finished_cost.store(m_finished_cost.load(std::memory_order_relaxed) + work.estimate, std::memory_order_relaxed);
}

void command_stream::run_until(std::uint64_t last) {
  const run_mark mark(this);
  std::uint64_t done = m_completed.load(std::memory_order_relaxed);
  m_last_clock = now_nanoseconds();
  for (;;) {
    const std::uint64_t end = std::min(last, m_published.load());
    if (done >= end) return;
    sinter::note_acquire(&m_published);
    while (done < end) {
      if (m_read_at == slots_per_chunk) {
        recycle(std::exchange(m_read_chunk, m_read_chunk->next.load(std::memory_order_acquire)));
        m_read_at = 0;
      }
      run_slot(m_read_chunk->slots[m_read_at++]);
      sinter::note_release(&m_completed);
      m_completed.store(++done);
      if (done >= m_wanted.load()) notify(done);
    }
  }
}

void command_stream::disown() {
  sinter::note_release(&m_owned);
  m_owned.store(false);
  // A waiting thread takes over the remaining commands.
  if (m_wanted.load() == nobody_waits) return;
  std::lock_guard lock(m_wait_mutex);
  if (m_sleepers > 0) m_changed.notify_all();
}

void command_stream::run_ready() {
  // The worker runs the pushed commands. Then the worker watches the stream for a moment without owning the stream.
  // During this time, a thread that submits one command after the other need not wake a worker for each command, and
  // may run short commands itself.
  int looks = looks_before_taking;
  for (int spin = 0; spin < spins; ++spin) {
    looks = is_idle() ? 0 : looks + 1;
    if ((looks > looks_before_taking || pending_cost() >= worth_waking) && !is_idle() && own()) {
      run_until(nobody_waits);
      disown();
      spin = looks = 0;
    }
    sinter::pause_processor();
  }
  m_pooled.store(false);
  // A command may have been pushed in the meantime. Without this call, the command would start only when the attendant
  // looks.
  if (!is_idle() && pending_cost() >= worth_waking) hurry();
}

void command_stream::wait(std::uint64_t ticket) {
  if (m_works_by_itself) return channel()->wait(ticket);
  for (int spin = 0; !is_complete(ticket); ++spin) {
    if (const running_scope busy; own()) {  // begins before the work is taken, see worker_pool::work
      run_until(ticket);
      disown();
      continue;
    }
    if (spin < spins) {
      sinter::pause_processor();
      continue;
    }
    const sleeping_scope sleeps;
    std::unique_lock lock(m_wait_mutex);
    ++m_sleepers;
    m_wanted.store(std::min(m_wanted.load(), ticket));
    m_changed.wait(lock, [&] {
      m_wanted.store(std::min(m_wanted.load(), ticket));
      return is_complete(ticket) || !m_owned.load();
    });
    --m_sleepers;
  }
}

void command_stream::follow(std::uint64_t ticket, const command_ptr& after) {
  if (m_works_by_itself) return channel()->follow(ticket, after);
  std::lock_guard lock(m_wait_mutex);
  m_wanted.store(std::min(m_wanted.load(), ticket));
  if (m_completed.load() >= ticket) return sinter::note_acquire(&m_completed);
  after->block();
  m_followers.push_back({ticket, after});
}

void command_stream::notify(std::uint64_t completed) {
  std::vector<command_ptr> freed;
  {
    std::lock_guard lock(m_wait_mutex);
    std::uint64_t wanted = nobody_waits;
    std::erase_if(m_followers, [&](follower& each) {
      if (each.ticket <= completed) {
        freed.push_back(std::move(each.command));
        return true;
      }
      wanted = std::min(wanted, each.ticket);
      return false;
    });
    // Sleeping threads wake up and set m_wanted again to the ticket that they wait for.
    m_wanted.store(wanted);
    if (m_sleepers > 0) m_changed.notify_all();
  }
  drop_blockers(freed);
}

}  // namespace sycl::detail
