#include "child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

namespace {

/// The two processes share this memory. A pipe would not do, because a child of the child might keep it open.
struct shared_words {
  bool complete;
  char text[4096];
};

void keep(shared_words& shared, std::string_view words) {
  words.copy(shared.text, sizeof(shared.text) - 1);
  shared.complete = true;
}

[[noreturn]] void run_child(const std::function<std::string()>& work, shared_words& shared) {
  // The child must not write a core file or a sanitizer's report, because this tool itself reports how the child ended.
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (const int each : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) signal(each, SIG_DFL);
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  try {
    keep(shared, work());
  } catch (const std::exception& error) {
    keep(shared, error.what());
  }
  _exit(0);
}

std::string text_of_end(int status) {
  if (!WIFSIGNALED(status)) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  return "ended by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
}

}  // namespace

trial try_in_child(const std::function<std::string()>& work) {
  void* memory = mmap(nullptr, sizeof(shared_words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {{}, std::string("could not start: ") + std::strerror(errno)};
  auto& shared = *new (memory) shared_words{};
  trial result;
  int status = 0;
  const pid_t child = fork();
  if (child == 0) run_child(work, shared);
  if (child < 0) {
    result.end = std::string("could not start: ") + std::strerror(errno);
  } else {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.words = shared.text;
    if (!shared.complete) result.end = text_of_end(status);
  }
  munmap(memory, sizeof(shared_words));
  return result;
}
