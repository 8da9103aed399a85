#include "driver.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include <runtime/test_devices.hpp>

namespace strict {
namespace {

/// One mutex guards all events and lists, because there are few events and lists, and they change seldom.
struct driver_state {
  std::mutex mutex;
  std::condition_variable changed;
};
driver_state& common() {
  static auto* made = new driver_state;
  return *made;
}

std::uint64_t now() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

}  // namespace

void refuse(const char* sentence) {
  std::fprintf(stderr, "strict driver: %s\n", sentence);
  std::fflush(stderr);
  std::_Exit(86);
}

// ---------------------------------------------------------------------------------------------------- events

event::~event() {
  std::lock_guard lock(common().mutex);
  if (m_waits != 0) refuse("an event is destroyed while commands have to wait for it");
  if (m_state == state::promised) refuse("an event is destroyed before it is signalled");
}

bool event::is_signalled() const {
  std::lock_guard lock(common().mutex);
  return m_state == state::signalled;
}

void event::wait_a_moment() const {
  std::unique_lock lock(common().mutex);
  common().changed.wait_for(lock, std::chrono::milliseconds(1), [&] { return m_state == state::signalled; });
}

void event::reset() {
  std::lock_guard lock(common().mutex);
  if (m_waits != 0) refuse("an event is reset while commands have to wait for it");
  if (m_state == state::promised) refuse("an event is reset before it is signalled");
  m_state = state::reset;
}

// ---------------------------------------------------------------------------------------------------- lists

command_list::~command_list() {
  std::lock_guard lock(common().mutex);
  if (m_state == state::running) refuse("a list is destroyed while it runs");
  if (m_state == state::done) return;
  for (const command& each : m_commands) {
    if (each.awaited) --each.awaited->m_waits;
  }
}

void command_list::append(command added) {
  {
    std::lock_guard lock(common().mutex);
    if (m_state != state::open) refuse("a command is appended to a list that is closed");
    if (added.awaited) ++added.awaited->m_waits;
    if (added.signalled) {
      if (added.signalled->m_state != event::state::reset) refuse("an event is signalled that was not reset");
      added.signalled->m_state = event::state::promised;
    }
  }
  for (const range& each : added.uses) memory::instance().note_use(each, 1);
  m_commands.push_back(std::move(added));
}

void command_list::append_kernel(std::function<void()> what, std::vector<range> uses) {
  if (m_engine == engine::copy) refuse("a kernel is appended to a list for the engine that copies");
  append({std::move(what), std::move(uses)});
}

void command_list::append_copy(std::function<void()> what, range to, range from) {
  append({std::move(what), {to, from}});
}

void command_list::append_fill(std::function<void()> what, range to, std::size_t pattern_bytes) {
  if (m_engine == engine::copy && pattern_bytes > 1) {
    refuse("the engine that copies fills with patterns of one byte only");
  }
  append({std::move(what), {to}});
}

void command_list::append_wait(event& awaited) { append({nullptr, {}, &awaited}); }
void command_list::append_signal(event& signalled) { append({nullptr, {}, nullptr, &signalled}); }

void command_list::close() {
  std::lock_guard lock(common().mutex);
  if (m_state != state::open) refuse("a list is closed twice");
  m_state = state::closed;
  m_results.assign(m_commands.size(), {});
}

void command_list::reset() {
  std::lock_guard lock(common().mutex);
  if (m_state == state::running) refuse("a list is reset while it runs");
  if (m_state == state::closed) refuse("a list is reset before it has run");
  m_state = state::open;
  m_commands.clear();
  m_results.clear();
}

// ---------------------------------------------------------------------------------------------------- queues

struct queue::shared {
  std::deque<command_list*> lists;
  bool runs = false, ends = false;
};

queue::queue(engine its_engine) : m_engine(its_engine), m_shared(std::make_shared<shared>()) {
  std::thread([its = m_shared] { run(its); }).detach();
}

queue::~queue() {
  std::lock_guard lock(common().mutex);
  if (m_shared->runs || !m_shared->lists.empty()) refuse("a queue is destroyed while it has work");
  m_shared->ends = true;
  common().changed.notify_all();
}

void queue::execute(command_list& closed) {
  std::lock_guard lock(common().mutex);
  if (closed.m_state == command_list::state::open) refuse("a list is executed that is not closed");
  if (closed.m_state == command_list::state::running) refuse("a list is executed while it runs");
  if (closed.m_engine != m_engine) refuse("a list is executed by another engine than it was made for");
  closed.m_state = command_list::state::running;
  m_shared->lists.push_back(&closed);
  common().changed.notify_all();
}

void queue::run(const std::shared_ptr<shared>& its) {
  std::unique_lock lock(common().mutex);
  for (;;) {
    common().changed.wait(lock, [&] { return its->ends || !its->lists.empty(); });
    if (its->lists.empty()) return;
    command_list& list = *its->lists.front();
    its->lists.pop_front();
    its->runs = true;
    for (std::size_t i = 0; i < list.m_commands.size(); ++i) {
      command_list::command& each = list.m_commands[i];
      const bool is_last = i + 1 == list.m_commands.size();
      if (each.awaited) {
        common().changed.wait(lock, [&] { return each.awaited->m_state == event::state::signalled; });
        --each.awaited->m_waits;
      }
      if (each.what) {
        lock.unlock();
        list.m_results[i].start = now();
        try {
          each.what();
        } catch (...) {
          list.m_results[i].error = std::current_exception();
        }
        list.m_results[i].end = now();
        // The list lives longer than the command, so it must not keep the command's function object.
        each.what = nullptr;
        for (const range& used : each.uses) memory::instance().note_use(used, -1);
        lock.lock();
      }
      // The program may use the list again once a thread sees the signal.
      if (is_last) {
        list.m_state = command_list::state::done;
        its->runs = false;
      }
      if (each.signalled) each.signalled->m_state = event::state::signalled;
    }
    its->runs = false;
    common().changed.notify_all();
  }
}

// ---------------------------------------------------------------------------------------------------- memory

memory& memory::instance() {
  static auto* made = new memory;
  return *made;
}

void memory::add_device(std::size_t bytes) { m_devices.push_back(std::make_unique<test::mock_memory>(bytes)); }

test::mock_memory* memory::device_of(const void* address) const {
  for (const auto& each : m_devices) {
    if (each->contains(address)) return each.get();
  }
  return nullptr;
}

std::size_t memory::bytes_on(std::size_t device) const {
  std::lock_guard lock(m_mutex);
  std::size_t all = 0;
  for (const auto& [begin, its] : m_known) {
    if (m_devices[device]->contains(begin)) all += its.bytes;
  }
  return all;
}

void* memory::allocate(std::size_t device, sinter::memory_kind kind, std::size_t bytes, std::size_t alignment) {
  void* const made = kind == sinter::memory_kind::device
                         ? m_devices[device]->allocate(bytes, alignment)
                         : sycl::detail::host_device().allocate(kind, bytes, alignment);
  if (!made) return nullptr;
  std::lock_guard lock(m_mutex);
  m_known[static_cast<const char*>(made)] = {bytes};
  return made;
}

/// Refuses memory that a command uses. Called under the mutex.
void memory::check_unused(const char* begin, std::size_t bytes, const char* sentence) const {
  for (const auto& [used, count] : m_uses) {
    if (used.first < begin + bytes && begin < used.first + used.second) refuse(sentence);
  }
}

void memory::free(void* begin) {
  {
    std::lock_guard lock(m_mutex);
    const auto found = m_known.find(static_cast<const char*>(begin));
    if (found == m_known.end() || found->second.shares != 0) refuse("memory is freed that was not allocated");
    check_unused(found->first, found->second.bytes, "memory is freed while a command uses it");
    m_known.erase(found);
  }
  test::mock_memory* const device = device_of(begin);
  device ? device->deallocate(begin) : sycl::detail::host_device().deallocate(begin);
}

/// Refuses memory that is not aligned to 64 bytes, as real drivers refuse memory that is not aligned to pages.
bool memory::share(void* begin, std::size_t bytes) {
  if (bytes == 0 || reinterpret_cast<std::uintptr_t>(begin) % 64 != 0) return false;
  std::lock_guard lock(m_mutex);
  known& its = m_known.try_emplace(static_cast<const char*>(begin), known{bytes}).first->second;
  if (its.bytes != bytes) return false;
  ++its.shares;
  return true;
}

void memory::unshare(void* begin) {
  std::lock_guard lock(m_mutex);
  const auto found = m_known.find(static_cast<const char*>(begin));
  if (found == m_known.end() || found->second.shares == 0) refuse("memory is unshared that was not shared");
  check_unused(found->first, found->second.bytes, "memory is unshared while a command uses it");
  if (--found->second.shares == 0) m_known.erase(found);
}

range memory::allocation_of(const void* address) const {
  const auto* at = static_cast<const char*>(address);
  std::lock_guard lock(m_mutex);
  const auto next = m_known.upper_bound(at);
  if (next == m_known.begin()) return {nullptr, 0};
  const auto found = std::prev(next);
  // Accessors without elements may point behind the last element.
  if (at > found->first + found->second.bytes) return {nullptr, 0};
  return {found->first, found->second.bytes};
}

void* memory::seen(const void* address) const {
  test::mock_memory* const device = device_of(address);
  return device ? device->seen_by_device(address) : const_cast<void*>(address);
}

void memory::note_use(const range& used, int change) {
  if (used.bytes == 0) return;
  if (change > 0 && device_of(used.begin) && allocation_of(used.begin).bytes == 0) {
    refuse("a command uses memory of the device that is not allocated");
  }
  std::lock_guard lock(m_mutex);
  const std::pair key(static_cast<const char*>(used.begin), used.bytes);
  int& count = m_uses[key];
  count += change;
  if (count == 0) m_uses.erase(key);
}

}  // namespace strict
