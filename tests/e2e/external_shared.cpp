/// Kernels of a program call functions of a linked shared library, and kernels of the library call functions of the
/// program.
#include "external_shared.hpp"

#include "check.hpp"

using namespace sycl;

// The library has a function of this name, too.
static int helper(int value) { return value + 1000; }

SYCL_EXTERNAL int program_number(int value) { return helper(value) * 2; }
SYCL_EXTERNAL int program_place() { return static_cast<int>(khr::this_nd_item<1>().get_global_id(0)); }

TEST("kernels of the program call functions of a shared library") {
  queue q = e2e::make_queue();
  for (std::size_t count : e2e::sizes()) {
    int* data = malloc_shared<int>(count + 1, q);
    q.parallel_for(range<1>(count), [=](id<1> i) {
       data[i] = library_square(static_cast<int>(i[0])) + helper(0);
     }).wait();
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], static_cast<int>(i * i) + 7 + 1000);
    free(data, q);
  }
}

TEST("functions of a shared library meet at barriers of the program's kernels") {
  queue q = e2e::make_queue();
  for (std::size_t size : {1, 5, 32}) {
    const std::size_t count = 3 * size;
    int* data = malloc_shared<int>(count, q);
    q.submit([&](handler& h) {
       local_accessor<int, 1> local(size, h);
       h.parallel_for(nd_range<1>(count, size), [=](nd_item<1> item) {
         const int i = static_cast<int>(item.get_global_id(0));
         data[i] = library_shift(item, local.get_multi_ptr<access::decorated::no>().get(), 10 * i);
       });
     }).wait();
    for (std::size_t i = 0; i < count; ++i) {
      CHECK_EQUAL(data[i], static_cast<int>(10 * (i / size * size + (i + 1) % size)));
    }
    free(data, q);
  }
}

TEST("kernels of a shared library call functions of the program, and through them of the library") {
  queue q = e2e::make_queue();
  for (std::size_t count : e2e::sizes()) {
    int* data = malloc_shared<int>(2 * count + 1, q);
    library_run(q, data, data + count, count);
    for (std::size_t i = 0; i < count; ++i) {
      const int at = static_cast<int>(i);
      CHECK_EQUAL(data[i], 2 * (at + 1000) + at);
      CHECK_EQUAL(data[count + i], 2 * (at + 1000) + 5 * at);
    }
    free(data, q);
  }
}

TEST("the program asks the library, which asks the program") {
  queue q = e2e::make_queue();
  int* data = malloc_shared<int>(100, q);
  q.parallel_for(range<1>(100), [=](id<1> i) { data[i] = library_asks_program(static_cast<int>(i[0])); }).wait();
  for (int i = 0; i < 100; ++i) CHECK_EQUAL(data[i], 2 * (i + 1000) + 5 * i);
  free(data, q);
}

E2E_MAIN
