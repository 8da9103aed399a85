#include "program_end.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace sinter {
namespace {

constinit command_functions served{nullptr, nullptr, nullptr};
std::atomic<const command_functions*> commands{nullptr};
std::atomic<void (*)()> background_work{nullptr};
std::atomic<void (*)() noexcept> contents{nullptr};
std::atomic<pid_t> process{0};  ///< the process that has called serve_contents, not a process that was forked from it
std::atomic<int> status{0};
std::atomic<bool> exiting{false};
std::atomic<bool> main_thread_ended{false};
constinit thread_local unsigned calls_of_drivers = 0;

}  // namespace

void serve_commands(const command_functions& functions) noexcept {
  served = functions;
  commands.store(&served, std::memory_order_release);
}

void drain_commands() {
  if (const command_functions* functions = commands.load(std::memory_order_acquire)) return functions->drain();
  if (!is_in_driver_code()) finish_background_work();
}

void end_collecting() {
  if (const command_functions* functions = commands.load(std::memory_order_acquire)) functions->end_collecting();
}

bool commands_will_end() noexcept {
  const command_functions* functions = commands.load(std::memory_order_acquire);
  return !functions || functions->will_end();
}

void note_main_thread_end() noexcept { main_thread_ended.store(true); }
bool has_main_thread_ended() noexcept { return main_thread_ended.load(); }

driver_code_scope::driver_code_scope() noexcept { ++calls_of_drivers; }
driver_code_scope::~driver_code_scope() { --calls_of_drivers; }
bool is_in_driver_code() noexcept { return calls_of_drivers != 0; }

void watch_exit() {
  on_exit(
      [](int given, void*) {
        status.store(given);
        exiting.store(true);
      },
      nullptr);
}

int exit_status() noexcept { return status.load(); }
bool is_exiting() noexcept { return exiting.load(); }

void serve_contents(void (*bring_home)() noexcept) noexcept {
  process.store(getpid());
  contents.store(bring_home);
}

void bring_contents_home() noexcept {
  void (*bring_home)() noexcept = contents.load();
  // A forked process can't use the drivers of its parent.
  if (bring_home && process.load() == getpid() && !is_in_driver_code()) bring_home();
}

void settle_before_driver_ends() {
  drain_commands();
  bring_contents_home();
}

void serve_background_work(void (*wait)()) noexcept { background_work.store(wait); }

void finish_background_work() {
  if (void (*wait)() = background_work.load()) wait();
}

}  // namespace sinter
