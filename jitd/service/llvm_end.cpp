#include "llvm_end.hpp"

#include <cstdlib>
#include <mutex>
#include <shared_mutex>

extern "C" bool sinter_llvm_stays();  // defined in llvm_statics.cpp

namespace sinter::jit {
namespace {

/// Each thread locks this mutex in shared mode while it uses LLVM. exit() locks the mutex exclusively, and so waits for
/// these threads.
std::shared_mutex& use_mutex() {
  static auto* mutex = new std::shared_mutex;
  return *mutex;
}

bool has_ended = false;  // read and written under the mutex

void end(int, void*) {
  std::unique_lock lock(use_mutex());
  has_ended = true;
}

} // namespace

llvm_use::llvm_use() {
  if (sinter_llvm_stays()) return;
  use_mutex().lock_shared();
  m_too_late = has_ended;
}

llvm_use::~llvm_use() {
  if (sinter_llvm_stays()) return;
  use_mutex().unlock_shared();
  // LLVM may have made static objects meanwhile, and `end` must run before exit() destroys them. on_exit is called,
  // since atexit does nothing in this library (no_exit_destructors.cpp).
  if (!m_too_late) on_exit(end, nullptr);
}

} // namespace sinter::jit
