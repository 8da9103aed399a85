/// Runs a program and prints its wall time from exec to exit and its peak memory as one line of JSON.
///
/// The launcher is small on purpose: a child's peak memory includes memory that it shared with its parent before exec,
/// so a large parent would hide the child's memory.
///
/// usage: launcher PROGRAM [ARGUMENTS]

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

extern char** environ;

static double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

int main(int count, char** words) {
  if (count < 2) {
    std::fputs("usage: launcher PROGRAM [ARGUMENTS]\n", stderr);
    return 2;
  }
  pid_t child = 0;
  const double start = now();
  if (posix_spawn(&child, words[1], nullptr, nullptr, words + 1, environ) != 0) {
    std::fprintf(stderr, "launcher: cannot start %s\n", words[1]);
    return 2;
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) return 2;
  std::printf("{\"milliseconds\": %.4f, \"megabytes\": %.3f}\n", now() - start,
              static_cast<double>(usage.ru_maxrss) / 1024);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
