#include "running.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "per_thread.hpp"
#include "race_notes.hpp"

namespace sycl::inline _V1::detail {
namespace {

/// The part of a thread's state that other threads read. Each record has a cache line of its own. When its thread has
/// ended, another thread uses the record again, so records are never destroyed.
struct alignas(64) thread_record {
  std::atomic<const void*> runs{nullptr};
  std::atomic<bool> sleeps{false};
  bool taken = true;  ///< read and written under the mutex
  thread_record* next = nullptr;
};

struct record_list {
  std::mutex mutex;  // protects the list
  thread_record* first = nullptr;

  static record_list& instance() {
    static auto* list = new (sinter::lasting) record_list;
    return *list;
  }

  thread_record* take() {
    std::lock_guard lock(mutex);
    for (thread_record* each = first; each; each = each->next) {
      if (!each->taken) return each->taken = true, each;
    }
    auto* added = new thread_record;
    added->next = first;
    return first = added;
  }
  void give_back(thread_record& mine) {
    mine.runs.store(nullptr);
    mine.sleeps.store(false);
    std::lock_guard lock(mutex);
    mine.taken = false;
  }
};

struct owned_record {
  thread_record& record = *record_list::instance().take();
  ~owned_record();
};

}  // namespace

struct thread_state {
  const void* runs = nullptr;     ///< the command that the thread runs; a thread that ends the program reads it, too
  thread_record* seen = nullptr;  ///< the record that other threads read; null: the thread has run no command, or ends

  [[gnu::noinline]] thread_record& first_record() {
    seen = &sinter::per_thread<owned_record>().record;
    return *seen;
  }
  thread_record& record() { return seen ? *seen : first_record(); }
  void run(const void* what) {
    runs = what;
    record().runs.store(what, std::memory_order_release);
  }
};

namespace {

constinit thread_local thread_state own_state;

owned_record::~owned_record() {
  own_state.seen = nullptr;
  record_list::instance().give_back(record);
}

}  // namespace

running_scope::running_scope(const void* of) noexcept : m_thread(own_state), m_outer(m_thread.runs) {
  m_thread.run(of);
}

running_scope::~running_scope() { m_thread.run(m_outer); }

const void* running_scope::current() noexcept { return own_state.runs; }

bool running_scope::others_run(const void* mine) {
  record_list& list = record_list::instance();
  std::lock_guard lock(list.mutex);
  for (thread_record* each = list.first; each; each = each->next) {
    const void* runs = each->runs.load(std::memory_order_acquire);
    if (runs && runs != mine && !each->sleeps.load(std::memory_order_acquire)) return true;
  }
  return false;
}

void refuse_end_of_thread(const char* command) noexcept {
  std::fprintf(stderr,
               "sinter: a %s ends its thread (pthread_exit, pthread_cancel), which others need as well; return from it "
               "instead. The program ends\n",
               command);
  std::abort();
}

sleeping_scope::sleeping_scope() noexcept { own_state.record().sleeps.store(true, std::memory_order_release); }
sleeping_scope::~sleeping_scope() { own_state.record().sleeps.store(false, std::memory_order_release); }

}  // namespace sycl::detail
