/// sycl::ext::oneapi::experimental::printf prints text of work-items. The order of the texts is not defined.
#include <sycl/ext/oneapi/experimental/builtins.hpp>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"

namespace oneapi = sycl::ext::oneapi;

namespace {

/// A file to which `work` has printed its standard output.
template <class Work>
std::FILE* printed_by(const Work& work) {
  std::fflush(stdout);
  const int terminal = dup(1);
  std::FILE* const file = std::tmpfile();
  dup2(fileno(file), 1);
  work();
  std::fflush(stdout);
  dup2(terminal, 1);
  close(terminal);
  std::rewind(file);
  return file;
}

}  // namespace

TEST("kernels print with printf") {
  sycl::queue queue = e2e::make_queue();
  std::FILE* const file = printed_by([&] {
    queue.parallel_for(sycl::range<1>(50), [=](sycl::id<1> i) {
      if (i[0] % 2 != 0) return;
      oneapi::experimental::printf("item %d of %s, %.1f\n", static_cast<int>(i[0]), "50", i[0] * 0.5);
    });
    queue.wait();
  });
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

TEST("numbers of all sizes are printed, and text is there when an event is complete") {
  sycl::queue queue = e2e::make_queue(sycl::property::queue::in_order());
  int* steps = sycl::malloc_shared<int>(1, queue);
  *steps = 0;
  std::FILE* const file = printed_by([&] {
    for (int round = 0; round < 3; ++round) {
      auto printing = queue.single_task([=] {
        const float real = 1.5f + static_cast<float>(round);
        const char letter = 'x';
        const std::size_t large = 0x100000000u + static_cast<std::size_t>(round);
        oneapi::experimental::printf("%c %5.2f %zu %lld %-3hd|%%z\n", letter, real, large,
                                     -static_cast<long long>(large), static_cast<short>(-round));
      });
      // The text must be printed without waiting for this later kernel.
      queue.single_task([=] { *steps += 1; });
      printing.wait();
      std::fflush(stdout);
      char line[80];
      std::snprintf(line, sizeof(line), "after %d\n", round);
      CHECK(write(1, line, std::strlen(line)) > 0);
    }
    queue.wait();
  });
  CHECK_EQUAL(*steps, 3);
  sycl::free(steps, queue);
  for (int round = 0; round < 3; ++round) {
    char line[80] = "", expected[80];
    const unsigned long large = 0x100000000u + static_cast<unsigned long>(round);
    std::snprintf(expected, sizeof(expected), "x %5.2f %lu -%lu %-3d|%%z\n", 1.5 + round, large, large, -round);
    CHECK(std::fgets(line, sizeof(line), file) != nullptr);
    CHECK_EQUAL(std::string(line), std::string(expected));
    std::snprintf(expected, sizeof(expected), "after %d\n", round);
    CHECK(std::fgets(line, sizeof(line), file) != nullptr);
    CHECK_EQUAL(std::string(line), std::string(expected));
  }
  std::fclose(file);
}

TEST("text without arguments, per cent signs and pieces of other calls") {
  sycl::queue queue = e2e::make_queue();
  std::FILE* const file = printed_by([&] {
    queue
        .single_task([=] {
          oneapi::experimental::printf("plain\n");
          oneapi::experimental::printf("%s\n", "of a string");
          oneapi::experimental::printf("%d%% of %c%c", 50, 'a', 'b');
          oneapi::experimental::printf("\n");
        })
        .wait();
  });
  for (const char* expected : {"plain\n", "of a string\n", "50% of ab\n"}) {
    char line[80] = "";
    CHECK(std::fgets(line, sizeof(line), file) != nullptr);
    CHECK_EQUAL(std::string(line), std::string(expected));
  }
  std::fclose(file);
}

E2E_MAIN
