// Kernels call functions that another file defines.
#include "external.hpp"

#include "check.hpp"

using namespace sycl;

TEST("a kernel calls functions of another file") {
  queue q = e2e::make_queue();
  for (std::size_t count : e2e::sizes()) {
    std::vector<int> values = e2e::random_values<int>(count), wanted = values;
    for (int& each : wanted) each = 3 * each + 1;
    std::vector<float> rows(count * 5), roots(count * 5);
    for (std::size_t i = 0; i < roots.size(); ++i) roots[i] = std::sqrt(static_cast<float>(i));
    {
      buffer<int> b(values);
      buffer<float> r(rows);
      q.submit([&](handler& h) {
        accessor a(b, h);
        accessor all(r, h);
        h.parallel_for(range<1>(count), [=](id<1> i) {
          a[i] = triple(a[i]) + 1;
          fill_row(&all[i[0] * 5], 5, i);
        });
      });
    }
    CHECK_ALL_EQUAL(values, wanted);
    CHECK_ALL_EQUAL(rows, roots);
  }
}

TEST("functions of another file meet at barriers and use local memory") {
  queue q = e2e::make_queue();
  for (std::size_t size : {1, 7, 16, 64}) {
    for (std::size_t groups : {1, 5}) {
      const std::size_t count = size * groups;
      int* values = malloc_shared<int>(4 * count, q);
      q.submit([&](handler& h) {
         local_accessor<int, 1> local(size, h);
         h.parallel_for(nd_range<1>(count, size), [=](nd_item<1> item) {
           const std::size_t i = item.get_global_id(0);
           const int value = static_cast<int>(i * i % 1013);
           int* const memory = local.get_multi_ptr<access::decorated::no>().get();
           values[4 * i] = reverse_in_group(item, memory, value) + reverse_in_group(item, memory, 2 * value);
           values[4 * i + 1] = sum_of_group(item, value);
           values[4 * i + 2] = next_in_sub_group(item, value);
           values[4 * i + 3] = static_cast<int>(place_in_grid());
         });
       }).wait();
      const std::size_t sub_group = q.get_device().get_info<info::device::sub_group_sizes>().back();
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t group = i / size * size, place = i - group;
        auto value_of = [](std::size_t at) { return static_cast<int>(at * at % 1013); };
        int sum = 0;
        for (std::size_t j = 0; j < size; ++j) sum += value_of(group + j);
        CHECK(values[4 * i] == 3 * value_of(group + size - 1 - place));
        CHECK(values[4 * i + 1] == sum);
        CHECK(values[4 * i + 3] == static_cast<int>(i));
        bool is_value = false;
        for (std::size_t j = 0; j < size && j < place + sub_group; ++j)
          is_value |= values[4 * i + 2] == value_of(group + j);
        CHECK(is_value);
      }
      free(values, q);
    }
  }
}

static int offset = 1;

SYCL_EXTERNAL int host_side_number(int amount) { return amount + offset; }

TEST("functions of two files call each other, and their variables stay apart") {
  CPU_ONLY;
  queue q = e2e::make_queue();
  int* values = malloc_shared<int>(100, q);
  q.parallel_for(range<1>(100), [=](id<1> i) { values[i] = count_calls(static_cast<int>(i[0])); }).wait();
  offset = 2;
  for (int i = 0; i < 100; ++i) CHECK(values[i] == i + 1001);
  q.parallel_for(range<1>(100), [=](id<1> i) { values[i] = count_calls(static_cast<int>(i[0])) + 1; }).wait();
  for (int i = 0; i < 100; ++i) CHECK(values[i] == i + 1003);
  free(values, q);
}

E2E_MAIN
