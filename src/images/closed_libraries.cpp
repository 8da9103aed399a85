#include "closed_libraries.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <base/program_end.hpp>
#include <chrono>
#include <cstdio>
#include <sycl/detail/library_guard.hpp>
#include <thread>
#include <vector>

namespace sinter {
namespace {

/// Returns the addresses of the shared objects that were loaded when the program started. These objects stay loaded
/// until the program ends.
const std::vector<const void*>& objects_at_start() {
  static const auto* bases = [] {
    auto* found = new std::vector<const void*>;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* list) {
          for (int i = 0; i < object->dlpi_phnum; ++i) {
            if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
            // dladdr returns the address of the beginning of the file, which is the lowest address of the object.
            const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
            const auto base = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr / page * page;
            static_cast<std::vector<const void*>*>(list)->push_back(reinterpret_cast<const void*>(base));
            break;
          }
          return 0;
        },
        found);
    return found;
  }();
  return *bases;
}

// The dynamic loader runs constructors only when all objects are loaded, and it runs this library's constructors before
// the constructors of libraries that use it. So the list is complete when it is first needed.
[[gnu::constructor]] void note_objects_at_start() { objects_at_start(); }

}  // namespace

constinit std::atomic<std::size_t> closable_libraries{0};

const char* file_of(const void* address) noexcept {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "the program";
}

bool was_opened_later(const void* address) noexcept {
  Dl_info info;
  const auto& first = objects_at_start();
  return dladdr(address, &info) && std::find(first.begin(), first.end(), info.dli_fbase) == first.end();
}

void await_uses(const std::atomic<std::uint64_t>& uses, const void* address) noexcept {
  using clock = std::chrono::steady_clock;
  if (uses.load(std::memory_order_acquire) == 0 || !commands_will_end()) return;
  end_collecting();
  const auto patience = clock::now() + std::chrono::seconds(5);
  const auto latest_at_exit = clock::now() + std::chrono::seconds(1);
  for (bool told = false; uses.load(std::memory_order_acquire) != 0;) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    // At the end of the program, all commands are already complete. Detached threads, for which nothing waits, may
    // still use the library until the process ends, so the wait is limited.
    if (is_exiting()) {
      if (clock::now() > latest_at_exit) return;
      continue;
    }
    if (told || clock::now() < patience) continue;
    told = true;
    std::fprintf(
        stderr,
        "sinter: %s is closed while commands with its code are queued or run, and waits for them. If they need "
        "something that comes after dlclose, this is for ever: wait for the queues before\n",
        file_of(address));
  }
}

}  // namespace sinter

// ------------------------------------------------------------------------------------------- libraries without images

namespace sycl::inline _V1::detail {

struct library_count {
  std::atomic<std::uint64_t> uses{0};
};

void enter_library(library_count& library) noexcept { library.uses.fetch_add(1, std::memory_order_relaxed); }
void leave_library(library_count& library) noexcept { library.uses.fetch_sub(1, std::memory_order_release); }

library_guard::library_guard() : m_count(sinter::was_opened_later(this) ? new library_count : nullptr) {
  if (m_count) sinter::closable_libraries.fetch_add(1);
}

library_guard::~library_guard() {
  if (!m_count) return;
  sinter::await_uses(m_count->uses, this);
  sinter::closable_libraries.fetch_sub(1);
  // If the program ends, some commands may never leave the library. In this case, the count stays allocated.
  if (m_count->uses.load(std::memory_order_acquire) == 0) delete m_count;
}

}  // namespace sycl::detail
