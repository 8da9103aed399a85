#pragma once
/// Without this file's class, the system would end the program with SIGXFSZ if a file exceeded RLIMIT_FSIZE. With this
/// class, writing fails, as on a full disk.

#include <pthread.h>
#include <signal.h>

namespace sinter::jit {

/// While such an object exists, writing too much on this thread fails with EFBIG.
class file_size_errors {
public:
  file_size_errors() {
    sigemptyset(&m_signal);
    sigaddset(&m_signal, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &m_signal, &m_before);
  }
  file_size_errors(const file_size_errors&) = delete;
  ~file_size_errors() {
    if (sigismember(&m_before, SIGXFSZ) == 1) return;
    // If a signal is pending, a write during this object's life has raised it, so the signal is removed.
    const timespec at_once{};
    while (sigtimedwait(&m_signal, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
  }

private:
  sigset_t m_signal, m_before;
};

} // namespace sinter::jit
