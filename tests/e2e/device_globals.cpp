// sycl_ext_oneapi_device_global: variables that kernels share with each other. The host reads and writes such variables
// by copies.
#include "check.hpp"

#include <sycl/ext/oneapi/device_global/device_global.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>

#if !SYCL_EXT_ONEAPI_DEVICE_GLOBAL
#error "a feature-test macro is missing"
#endif

namespace oneapi = sycl::ext::oneapi::experimental;

namespace {

struct point {
  int x, y;
};
struct pointer_like {
  point* target;
  point* operator->() const { return target; }
};

oneapi::device_global<int> counter;
oneapi::device_global<float> initialised{2.5};  // a double
oneapi::device_global<int[2][3]> table;
oneapi::device_global<point, decltype(oneapi::properties(oneapi::device_image_scope, oneapi::host_access_read_write))>
    pair;
static oneapi::device_global<int[4], decltype(oneapi::properties(oneapi::host_access_read))> written_by_kernels;
oneapi::device_global<int*> memory;
oneapi::device_global<pointer_like> object;
const oneapi::device_global<int> constant{7};

template <class Global>
constexpr bool has_scope = Global::template has_property<oneapi::device_image_scope_key>();
static_assert(has_scope<decltype(pair)> && !has_scope<decltype(counter)>);
static_assert(decltype(written_by_kernels)::get_property<oneapi::host_access_key>().value ==
              oneapi::host_access_enum::read);
static_assert(!std::is_copy_constructible_v<decltype(counter)> && !std::is_copy_assignable_v<decltype(counter)>);
static_assert(std::is_same_v<decltype(table)::element_type, int[3]>);

struct holder {
  static inline oneapi::device_global<unsigned> member;
};

/// Kernels find device globals by address, so only devices with USM device allocations have device globals.
bool has_globals(const sycl::queue& queue) { return queue.get_device().has(sycl::aspect::usm_device_allocations); }

template <class Function>
void check_error(sycl::errc expected, Function function) {
  try {
    function();
    CHECK(!"an exception");
  } catch (const sycl::exception& error) {
    CHECK(error.code() == expected);
    CHECK(std::string(error.what()).find("device_global") != std::string::npos);
  }
}

}  // namespace

TEST("kernels add to a variable, and the host copies it there and back") {
  sycl::queue queue = e2e::make_queue();
  if (!has_globals(queue)) return;
  for (const std::size_t size : e2e::sizes()) {
    const int start = 5;
    queue.memcpy(counter, &start).wait();
    queue
        .parallel_for(sycl::range<1>(size),
                      [=](sycl::id<1>) {
                        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(counter.get()) +=
                            2;
                      })
        .wait();
    int end = 0;
    queue.memcpy(&end, counter).wait();
    CHECK_EQUAL(end, static_cast<int>(size) * 2 + 5);
  }
}

TEST("a variable starts as zero, or as what it is initialised with") {
  sycl::queue queue = e2e::make_queue();
  if (!has_globals(queue)) return;
  unsigned member = 1;
  float value = 0;
  queue.copy(holder::member, &member).wait();
  queue.submit([&](sycl::handler& handler) { handler.copy(initialised, &value); }).wait();
  CHECK_EQUAL(member, 0u);
  CHECK_EQUAL(value, 2.5f);
  float* const seen = sycl::malloc_shared<float>(2, queue);
  queue.single_task([=] { seen[0] = initialised, seen[1] = static_cast<float>(constant); }).wait();
  CHECK_EQUAL(seen[0], 2.5f);
  CHECK_EQUAL(seen[1], 7.0f);
  sycl::free(seen, queue);
}

TEST("copies take parts of a variable, and wait for events") {
  sycl::queue queue = e2e::make_queue();
  if (!has_globals(queue)) return;
  const int all[6] = {1, 2, 3, 4, 5, 6}, two[2] = {40, 50};
  const sycl::event first = queue.copy(all, table);
  const sycl::event second = queue.copy(two, table, 2, 3, first);
  const sycl::event third =
      queue.parallel_for(sycl::range<2>(2, 3), second, [=](sycl::id<2> at) { table[at[0]][at[1]] += 1000; });
  int back[6] = {}, part[2] = {};
  queue.copy(table, back, 6, 0, std::vector<sycl::event>{third}).wait();
  queue.memcpy(part, table, 2 * sizeof(int), 2 * sizeof(int), third).wait();
  const int expected[6] = {1001, 1002, 1003, 1040, 1050, 1006};
  for (int i = 0; i < 6; ++i) CHECK_EQUAL(back[i], expected[i]);
  CHECK_EQUAL(part[0], 1003);
  CHECK_EQUAL(part[1], 1040);
}

TEST("variables are structures, pointers, and what only kernels write") {
  sycl::queue queue = e2e::make_queue();
  if (!has_globals(queue)) return;
  point* const target = sycl::malloc_shared<point>(1, queue);
  int* const numbers = sycl::malloc_shared<int>(4, queue);
  const pointer_like its{target};
  queue.submit([&](sycl::handler& handler) { handler.memcpy(memory, &numbers); }).wait();
  queue.memcpy(object, &its).wait();
  queue
      .single_task([=] {
        pair = point{3, 4};
        memory[2] = pair.get().x;
        object->y = pair.get().y + constant;
        for (int i = 0; i < 4; ++i) written_by_kernels[i] = i * i;
        (*written_by_kernels.get_multi_ptr<sycl::access::decorated::no>())[0] += 100;
      })
      .wait();
  point got{};
  int squares[4] = {};
  queue.memcpy(&got, pair);
  queue.copy(written_by_kernels, squares);
  queue.wait();
  CHECK(got.x == 3 && got.y == 4);
  CHECK_EQUAL(numbers[2], 3);
  CHECK_EQUAL(target->y, 11);
  CHECK_EQUAL(squares[0], 100);
  CHECK_EQUAL(squares[3], 9);
  sycl::free(target, queue);
  sycl::free(numbers, queue);
}

TEST("copies beyond the end are errors") {
  sycl::queue queue = e2e::make_queue();
  int values[8] = {};
  check_error(sycl::errc::invalid, [&] { queue.copy(values, table, 4, 3); });
  check_error(sycl::errc::invalid, [&] { queue.memcpy(values, table, 1, 24 + 1); });
  check_error(sycl::errc::invalid, [&] { queue.copy(values, table, static_cast<std::size_t>(-1) / 2, 0); });
}

TEST("devices without addresses say that they have no such variables") {
  sycl::queue queue = e2e::make_queue();
  if (has_globals(queue)) return;
  int value = 0;
  check_error(sycl::errc::feature_not_supported, [&] { queue.copy(counter, &value); });
  check_error(sycl::errc::feature_not_supported, [&] { queue.memcpy(counter, &value); });
  const auto adds = [] { counter += 1; };
  check_error(sycl::errc::kernel_not_supported, [&] { queue.single_task(adds).wait(); });
  CHECK(!sycl::is_compatible<std::remove_const_t<decltype(adds)>>(queue.get_device()));
  // A device without device globals still runs the program's other kernels.
  sycl::buffer<int> seen(&value, 1);
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor its(seen, handler);
    handler.single_task([=] { its[0] = 7; });
  });
  CHECK_EQUAL(sycl::host_accessor(seen)[0], 7);
}

TEST("what kernels write stays for other kernels, on each device for itself") {
  sycl::queue queue = e2e::make_queue();
  if (!has_globals(queue)) return;
  for (const std::size_t size : e2e::sizes()) {
    int* const seen = sycl::malloc_shared<int>(size + 1, queue);
    queue.single_task([=] { table[1][2] = static_cast<int>(size), table[0][1] = 3; }).wait();
    queue
        .parallel_for(sycl::range<1>(size),
                      [=](sycl::id<1> at) {
                        seen[at] = table[1][2] * 2 + table[0][at[0] % 2] + static_cast<int>(at[0]);
                      })
        .wait();
    int first = 0;
    queue.copy(table, &first, 1).wait();
    for (std::size_t i = 0; i < size; ++i) {
      CHECK_EQUAL(seen[i], static_cast<int>(size) * 2 + (i % 2 == 0 ? first : 3) + static_cast<int>(i));
    }
    sycl::free(seen, queue);
  }
}

/// The function is not inlined, so kernels pass the address of an element of the variable to the function.
[[gnu::noinline]] int add_to(int* place, int much) { return *place += much; }
oneapi::device_global<int[5]> sums;

TEST("functions get the address of an element") {
  sycl::queue queue = e2e::make_queue();
  if (!has_globals(queue)) return;
  queue
      .single_task([] {
        for (int i = 0; i < 20; ++i) add_to(&sums[i % 5], i);
      })
      .wait();
  int back[5] = {};
  queue.copy(sums, back).wait();
  for (int i = 0; i < 5; ++i) CHECK_EQUAL(back[i], i * 4 + 5 * (0 + 1 + 2 + 3));
}

TEST("kernels that use them are nodes of graphs") {
  sycl::queue q = e2e::make_queue();
  if (!has_globals(q)) return;
  int value = 3;
  q.memcpy(counter, &value).wait();
  oneapi::command_graph<> graph(q);
  graph.add([&](sycl::handler& handler) { handler.single_task([] { counter += 1; }); });
  const auto executable = graph.finalize();
  q.ext_oneapi_graph(executable).wait();
  q.ext_oneapi_graph(executable).wait();
  q.memcpy(&value, counter).wait();
  CHECK_EQUAL(value, 5);
}

E2E_MAIN
