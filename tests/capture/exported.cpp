// Functions that kernels of other files may call. The comment behind a function has the words of its warning.
#include "mini_launch.hpp"

#include <stdexcept>

#define EXPORTED __attribute__((annotate("sinter.external")))

thread_local int thread_variable;
int mutable_variable;

static int checked(int x) {
  if (x > 3) throw std::runtime_error("too large");  // function 'throwing\(int\)' \(SYCL_EXTERNAL\) throws an exception; call chain: .*checked\(int\).*ends the program
  return x;
}

EXPORTED int throwing(int x) { return checked(x + 1); }
EXPORTED int local_to_thread(int x) { return x + thread_variable++; }  // function 'local_to_thread\(int\)' .*as a function of the host.*SINTER_IF_HOST
EXPORTED int global(int x) { return x + mutable_variable++; }          // function 'global\(int\)' .*not constant.*host CPU only
EXPORTED int fine(int x) { return x + 1; }
EXPORTED int called(int x) { return *new int(x); }                     // kernel 'calling' allocates memory

void kernels(int* p) {
  launch<class calling>([=](std::size_t i) { p[i] = called(p[i]); });
}
