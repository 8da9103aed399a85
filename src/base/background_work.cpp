#include "background_work.hpp"

#include <signal.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "large_stack.hpp"
#include "processors.hpp"
#include "program_end.hpp"
#include "race_notes.hpp"

namespace sinter {
namespace {

/// The thread for background work. The object is never destroyed.
class background_thread {
public:
  static background_thread& instance() {
    static auto* thread = new (sinter::lasting) background_thread;
    return *thread;
  }

  void add(std::function<void()> job, bool in_front) {
    std::lock_guard lock(m_mutex);
    m_jobs.insert(in_front ? m_jobs.begin() : m_jobs.end(), std::move(job));
    wait_first_at_exit();
    if (!m_started) {
      m_started = true;
      serve_background_work([] { instance().drain(); });
      usable_processors();  // has to be called by another thread before use_all_processors()
      std::thread([this] { run(); }).detach();
    }
    m_changed.notify_all();
  }

private:
  void drain() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_jobs.empty() && !m_busy; });
  }

  void run() {
    use_all_processors();
    // SIGXFSZ is blocked, so that writing beyond the limit for the size of files fails, like writing to a full disk,
    // and does not end the program.
    sigset_t too_large;
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &too_large, nullptr);
    std::unique_lock lock(m_mutex);
    for (;;) {
      m_changed.wait(lock, [&] { return !m_jobs.empty(); });
      std::function<void()> job = std::move(m_jobs.front());
      m_jobs.pop_front();
      m_busy = true;
      lock.unlock();
      // A thread's own stack has only the size that `ulimit -s` sets.
      on_large_stack(job);
      lock.lock();
      wait_first_at_exit();
      m_busy = false;
      m_changed.notify_all();
    }
  }

  std::mutex m_mutex;  // protects the members below
  std::condition_variable m_changed;
  std::deque<std::function<void()>> m_jobs;
  bool m_busy = false;
  bool m_started = false;
};

}  // namespace

void run_in_background(std::function<void()> job) { background_thread::instance().add(std::move(job), false); }
void run_in_background_next(std::function<void()> job) { background_thread::instance().add(std::move(job), true); }

void wait_first_at_exit() { std::atexit(drain_commands); }

}  // namespace sinter
