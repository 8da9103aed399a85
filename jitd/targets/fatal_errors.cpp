#include "fatal_errors.hpp"

#include <csetjmp>
#include <cstdio>
#include <mutex>
#include <type_traits>

#include "llvm/Support/ErrorHandling.h"

namespace sinter::jit {
namespace {

struct way_back {
  std::jmp_buf where;
  char reason[512] = "";
};
thread_local way_back* current = nullptr;

/// LLVM calls this function. If this function returns, the process ends, as in all programs in which LLVM fails.
void on_fatal_error(void*, const char* reason, bool) {
  if (!current) {
    std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
    return;
  }
  std::snprintf(current->reason, sizeof(current->reason), "%s", reason);
  std::longjmp(current->where, 1);
}

/// Installs the handler only while kernels are compiled, because the program may use the same LLVM with a handler of
/// its own.
class handler_use {
public:
  handler_use() {
    std::lock_guard lock(mutex());
    if (users++ == 0) llvm::install_fatal_error_handler(on_fatal_error);
  }
  handler_use(const handler_use&) = delete;
  ~handler_use() {
    std::lock_guard lock(mutex());
    if (--users == 0) llvm::remove_fatal_error_handler();
  }

private:
  /// The mutex is never destroyed. The mutex is not on the heap, because the thread sanitizer would then report the
  /// first locks of the mutex as races with its construction.
  static std::mutex& mutex() {
    static constinit std::mutex instance;
    static_assert(std::is_trivially_destructible_v<std::mutex>);
    return instance;
  }
  static inline unsigned users = 0;
};

} // namespace

std::string survive_fatal_errors(llvm::function_ref<void()> work) {
  const handler_use installed;
  way_back back;
  way_back* const outer = current;
  if (setjmp(back.where) == 0) {
    current = &back;
    work();
  }
  current = outer;
  return back.reason;
}

} // namespace sinter::jit
