/// If no groups divide a range, it is still launched in groups of a useful size: each work-item of the range runs once,
/// no other one runs, and ranges, ids and offsets are the program's.

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <sycl/sycl.hpp>

namespace {

using namespace sycl;

int wrong = 0;
void check(bool is_right, const char* what, std::size_t a, std::size_t b, std::size_t c) {
  if (is_right) return;
  ++wrong;
  std::printf("wrong: %s (%zu, %zu, %zu)\n", what, a, b, c);
}

/// Work-groups that were launched so far.
std::uint64_t groups() {
  static const auto ask = [] {
    void* const driver = dlopen(std::getenv("ZE_ENABLE_ALT_DRIVERS"), RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<std::uint64_t (*)(int)>(driver ? dlsym(driver, "judge_count") : nullptr);
  }();
  if (!ask) std::printf("the driver does not count\n"), std::exit(1);
  return ask(3);
}

template <int Dimensions>
void run(queue& q, range<Dimensions> size, id<Dimensions> offset, bool is_offset) {
  std::size_t sizes[3] = {1, 1, 1};
  for (int d = 0; d < Dimensions; ++d) sizes[d] = size[d];
  const std::size_t count = size.size(), behind = 4 * 1024;
  std::uint32_t* const ran = malloc_shared<std::uint32_t>(count + behind, q);
  std::fill(ran, ran + count + behind, 0u);
  int* const odd = malloc_shared<int>(1, q);
  *odd = 0;
  const auto body = [=](item<Dimensions> item) {
    std::size_t place = 0;
    for (int d = 0; d < Dimensions; ++d) place = place * size[d] + (item.get_id(d) - (is_offset ? offset[d] : 0));
    // All of them write one word, so it needs no order.
    if (item.get_range() != size) *odd = 1;
    if (place < count + behind) ran[place] += static_cast<std::uint32_t>(place) + 1;
  };
  const std::uint64_t before = groups();
  if (is_offset) {
    q.submit([&](handler& group) { group.parallel_for(size, offset, body); }).wait();
  } else {
    q.parallel_for(size, body).wait();
  }
  const std::uint64_t launched = groups() - before;
  bool is_right = true;
  for (std::size_t i = 0; i < count + behind; ++i) {
    is_right &= ran[i] == (i < count ? static_cast<std::uint32_t>(i) + 1 : 0u);
  }
  check(is_right && *odd == 0, "the work-items that ran", sizes[0], sizes[1], sizes[2]);
  if (size[Dimensions - 1] > 32) {
    check(launched <= count / 32 + 2, "groups are too small", sizes[0], sizes[1], sizes[2]);
  }
  free(ran, q);
  free(odd, q);
}

}  // namespace

int main() {
  queue q{property::queue::in_order()};
  for (const bool is_offset : {false, true}) {
    for (const std::size_t size : {1u, 2u, 31u, 37u, 64u, 65u, 127u, 514u, 1009u, 4099u, 100003u}) {
      run<1>(q, range<1>(size), id<1>(17), is_offset);
      run<2>(q, range<2>(3, size), id<2>(5, 17), is_offset);
    }
    run<1>(q, range<1>(1000003), id<1>(3), is_offset);
    run<2>(q, range<2>(1013, 1009), id<2>(1, 2), is_offset);
    run<2>(q, range<2>(1009, 7), id<2>(1, 2), is_offset);
    run<3>(q, range<3>(7, 11, 1013), id<3>(1, 2, 3), is_offset);
  }
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
