/// sycl::ext::oneapi::experimental::printf: text of work-items, in any order.
#include <sycl/ext/oneapi/experimental/builtins.hpp>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "check.hpp"

namespace oneapi = sycl::ext::oneapi;

TEST("kernels print with printf") {
  CPU_ONLY;
  std::fflush(stdout);
  const int terminal = dup(1);
  std::FILE* const file = std::tmpfile();
  dup2(fileno(file), 1);
  sycl::queue queue = e2e::make_queue();
  queue.parallel_for(sycl::range<1>(50), [=](sycl::id<1> i) {
    if (i[0] % 2 == 0) oneapi::experimental::printf("item %d of %s, %.1f\n", static_cast<int>(i[0]), "50", i[0] * 0.5);
  });
  queue.wait();
  std::fflush(stdout);
  dup2(terminal, 1);
  close(terminal);
  std::rewind(file);
  std::vector<int> seen(50);
  int item = 0;
  float half = 0;
  while (std::fscanf(file, "item %d of 50, %f\n", &item, &half) == 2 && item >= 0 && item < 50) {
    CHECK_EQUAL(half, static_cast<float>(item) * 0.5f);
    ++seen[static_cast<std::size_t>(item)];
  }
  for (int i = 0; i < 50; ++i) CHECK_EQUAL(seen[static_cast<std::size_t>(i)], i % 2 == 0 ? 1 : 0);
  std::fclose(file);
}


E2E_MAIN
