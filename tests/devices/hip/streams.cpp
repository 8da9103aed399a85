#include "streams.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "judge.hpp"

namespace judge {
namespace {

std::atomic<bool> failed{false};

/// Freed memory that kernels may still access.
struct gone_memory {
  allocation its;
  std::vector<std::shared_ptr<command>> users;
};

struct shared_state {
  std::mutex mutex;  // protects the members below
  std::condition_variable changed;  ///< notified when a command is done
  std::map<const char*, allocation> memory;
  std::map<int, std::size_t> used;
  std::vector<gone_memory> gone;
  std::set<stream*> streams;
  std::set<std::pair<int, int>> reached;
  std::vector<std::weak_ptr<command>> graphs;
};
shared_state& its() {
  static shared_state& made = *new shared_state;
  return made;
}

constexpr unsigned char gone_byte = 0xcd;

// No two allocations share a page, so each allocation can be made inaccessible by itself.
constexpr std::size_t page = 4096;
std::size_t bytes_of_pages(const allocation& memory) { return (memory.bytes + page - 1) / page * page; }

template <class Visitor>
void visit_pending(const Visitor& visit) {
  for (stream* each : its().streams) {
    for (const auto& one : each->pending) {
      if (!one->is_done) visit(one);
    }
  }
}

/// Frees memory that no command uses any more. Called under the mutex when a command is done.
void free_unused() {
  std::erase_if(its().gone, [](const gone_memory& each) {
    const auto is_done = [](const auto& user) { return user->is_done; };
    if (!std::all_of(each.users.begin(), each.users.end(), is_done)) return false;
    mprotect(each.its.begin, bytes_of_pages(each.its), PROT_READ | PROT_WRITE);
    std::free(each.its.begin);
    return true;
  });
}

allocation find(const char* address) {
  const auto next = its().memory.upper_bound(address);
  if (next == its().memory.begin()) return {};
  const allocation& before = std::prev(next)->second;
  return address < before.begin + before.bytes ? before : allocation{};
}

void run_stream(stream& mine) {
  std::minstd_rand random(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(&mine) >> 4));
  std::unique_lock lock(its().mutex);
  for (;;) {
    mine.has_work.wait(lock, [&] { return mine.ends || !mine.pending.empty(); });
    if (mine.pending.empty()) break;
    const std::shared_ptr<command> next = mine.pending.front();
    its().changed.wait(lock, [&] {
      return std::all_of(next->before.begin(), next->before.end(), [](const auto& each) { return each->is_done; });
    });
    lock.unlock();
    // Random delays, because real streams rarely run at the same pace.
    if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 400));
    if (!failed && next->work && !next->work()) failed = true;
    lock.lock();
    next->time = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    next->is_done = true;
    next->work = nullptr;
    next->before.clear();
    free_unused();
    mine.pending.pop_front();
    its().changed.notify_all();
  }
  its().streams.erase(&mine);
  lock.unlock();
  delete &mine;
}

}  // namespace

[[noreturn]] void refuse(const char* sentence) {
  std::fprintf(stderr, "hip judge: %s\n", sentence);
  std::fflush(nullptr);
  std::abort();
}

bool has_failed() { return failed; }

std::size_t memory_left(int device) {
  std::lock_guard lock(its().mutex);
  const std::size_t all = static_cast<std::size_t>(number_from("TEST_HIP_MEMORY", 4096)) << 20;
  return all - std::min(all, its().used[device]);
}

char* allocate(memory_kind kind, std::size_t bytes, int device) {
  if (kind != memory_kind::host && bytes > memory_left(device)) return nullptr;
  void* memory = nullptr;
  if (bytes == 0 || posix_memalign(&memory, page, bytes_of_pages({nullptr, bytes})) != 0) return nullptr;
  // Memory of a real driver is not always zero. Kernels that rely on zeros fail because of this fill.
  std::memset(memory, gone_byte, std::min<std::size_t>(bytes, 4096));
  std::lock_guard lock(its().mutex);
  auto* const begin = static_cast<char*>(memory);
  its().memory[begin] = {begin, bytes, kind, device};
  if (kind != memory_kind::host) its().used[device] += bytes;
  return begin;
}

void deallocate(void* begin, bool is_host) {
  allocation gone;
  {
    std::lock_guard lock(its().mutex);
    const auto found = its().memory.find(static_cast<char*>(begin));
    if (found == its().memory.end()) refuse("memory is freed that was not allocated, or a second time");
    gone = found->second;
    if ((gone.kind == memory_kind::host) != is_host)
      refuse("memory is freed by the function of another kind of memory");
    gone_memory kept{gone, {}};
    visit_pending([&](const std::shared_ptr<command>& pending) {
      for (const use& each : pending->uses) {
        if (each.begin != gone.begin) continue;
        if (each.is_certain) refuse(freed_in_use);
        kept.users.push_back(pending);
      }
    });
    its().memory.erase(found);
    if (!is_host) its().used[gone.device] -= gone.bytes;
    if (!kept.users.empty()) {
      if (mprotect(gone.begin, bytes_of_pages(gone), PROT_NONE) != 0) refuse("freed memory can't be made inaccessible");
      its().gone.push_back(std::move(kept));
      return;
    }
  }
  std::memset(gone.begin, gone_byte, std::min<std::size_t>(gone.bytes, 1 << 20));
  std::free(gone.begin);
}

bool is_gone(const void* address) {
  std::lock_guard lock(its().mutex);
  const auto* const at = static_cast<const char*>(address);
  return std::any_of(its().gone.begin(), its().gone.end(), [&](const gone_memory& each) {
    return at >= each.its.begin && at < each.its.begin + bytes_of_pages(each.its);
  });
}

allocation allocation_of(const void* address) {
  std::lock_guard lock(its().mutex);
  return find(static_cast<const char*>(address));
}

void find_uses(const std::string& block, int device, std::vector<use>& uses) {
  std::lock_guard lock(its().mutex);
  for (std::size_t at = 0; at + sizeof(void*) <= block.size(); at += sizeof(void*)) {
    const char* address = nullptr;
    std::memcpy(&address, block.data() + at, sizeof(address));
    const allocation found = find(address);
    if (found.bytes == 0) continue;
    if (found.kind == memory_kind::device && found.device != device &&
        !its().reached.contains({device, found.device})) {
      refuse("a kernel gets memory of another GPU, which its own does not reach");
    }
    uses.push_back({found.begin, false});
  }
}

void let_reach(int device, int other) {
  std::lock_guard lock(its().mutex);
  its().reached.insert({device, other});
}

stream* make_stream(int device) {
  auto* made = new stream;
  made->device = device;
  {
    std::lock_guard lock(its().mutex);
    its().streams.insert(made);
  }
  std::thread([made] { run_stream(*made); }).detach();
  return made;
}

stream& stream_of(void* handle) {
  std::lock_guard lock(its().mutex);
  auto* const known = static_cast<stream*>(handle);
  if (!its().streams.contains(known)) refuse("a stream is used that is none, or is gone");
  return *known;
}

/// Destroys the stream's object; its work continues.
void destroy(stream& gone) {
  std::lock_guard lock(its().mutex);
  if (gone.ends) refuse("a stream is destroyed a second time");
  gone.ends = true;
  gone.has_work.notify_all();
}

std::shared_ptr<command> append(stream& to, std::function<bool()> work, std::vector<use> uses,
                                const void* module, std::shared_ptr<command> awaited) {
  auto made = std::make_shared<command>();
  made->work = std::move(work);
  made->uses = std::move(uses);
  made->module = module;
  if (awaited) made->before.push_back(std::move(awaited));
  std::lock_guard lock(its().mutex);
  if (to.ends) refuse("a stream is used that is gone");
  // With TEST_HIP_RUN=0, no work runs, so that one can measure the time of programs and of Sinter without the driver's
  // time.
  static const bool runs = number_from("TEST_HIP_RUN", 1) != 0;
  if (!runs) {
    made->is_done = true;
    return to.last = made;
  }
  to.pending.push_back(made);
  to.last = made;
  to.has_work.notify_all();
  return made;
}

bool is_done(const std::shared_ptr<command>& asked) {
  std::lock_guard lock(its().mutex);
  return !asked || asked->is_done;
}

void wait(const std::shared_ptr<command>& awaited) {
  std::unique_lock lock(its().mutex);
  its().changed.wait(lock, [&] { return !awaited || awaited->is_done; });
}

bool is_idle(stream& asked) {
  std::lock_guard lock(its().mutex);
  return asked.pending.empty();
}

void wait(stream& awaited) {
  std::unique_lock lock(its().mutex);
  its().changed.wait(lock, [&] { return awaited.pending.empty(); });
}

bool module_is_used(const void* module) {
  std::lock_guard lock(its().mutex);
  bool is_used = false;
  visit_pending([&](const std::shared_ptr<command>& each) { is_used |= each->module == module; });
  return is_used;
}

}  // namespace judge
