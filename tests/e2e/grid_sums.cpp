/// Each work-item adds up elements that lie a fixed step apart, as in kernels with a fixed number of work-items. Some
/// kernels run over a plain range, and others in work-groups. The step is captured or is the size of the grid, and has
/// any integer type. Each work-item's sum keeps its order, so floats are compared exactly.
#include "check.hpp"

#include <algorithm>
#include <numeric>

namespace {

constexpr std::size_t room = 1 << 16;

std::vector<float> random_floats() {
  std::mt19937_64 random(7);
  std::vector<float> values(room);
  for (float& each : values) each = static_cast<float>(random() % 100000) * 0.37f;
  return values;
}

/// Computes a work-item's sum and maximum of every `step`-th element from `first` on.
template <class Index, class T>
void add_up(Index first, Index end, Index step, const T* data, T& sum, T& most) {
  for (Index i = first; i < end; i += step) {
    sum += data[i];
    most = data[i] > most ? data[i] : most;
  }
}

template <class T>
struct device_data {
  explicit device_data(sycl::queue& from, const std::vector<float>& values)
      : queue(from), data(sycl::malloc_shared<T>(room, queue)), out(sycl::malloc_shared<T>(room, queue)) {
    for (std::size_t i = 0; i < room; ++i) data[i] = static_cast<T>(values[i]);
    std::fill_n(out, room, T(77));
  }
  ~device_data() {
    sycl::free(data, queue);
    sycl::free(out, queue);
  }
  device_data(const device_data&) = delete;
  device_data& operator=(const device_data&) = delete;

  sycl::queue& queue;
  T *data, *out;
};

/// Compares what `submit(data, out)` writes with sums in plain code.
template <class Index, class T, class Submit>
void compare(std::size_t items, Index end, Index step, const Submit& submit) {
  sycl::queue queue = e2e::make_queue();
  device_data<T> memory(queue, random_floats());
  std::vector<T> expected(room, T(77));
  for (std::size_t own = 0; own < items; ++own) {
    T sum = T(own % 5), most = 0;
    add_up<Index, T>(static_cast<Index>(own), end, step, memory.data, sum, most);
    expected[own] = sum - most;
  }
  submit(queue, memory.data, memory.out);
  queue.wait();
  CHECK_ALL_EQUAL(std::vector<T>(memory.out, memory.out + room), expected);
}

template <class Index, class T>
void in_ranges() {
  for (const std::size_t items : {1, 5, 1000, 1024, 5000}) {
    for (const int end : {0, 1, 4999, 5000, 65000}) {
      for (const int step : {1, 700, 1024, 5000}) {
        if (items == 5000 && step == 1 && end > 5000) continue;  // takes long in plain code
        compare<Index, T>(items, Index(end), Index(step), [=](sycl::queue& queue, const T* data, T* out) {
          queue.parallel_for(sycl::range(items), [=, last = Index(end), by = Index(step)](sycl::id<1> id) {
            T sum = T(id[0] % 5), most = 0;
            add_up<Index, T>(static_cast<Index>(id[0]), last, by, data, sum, most);
            out[id] = sum - most;
          });
        });
      }
    }
  }
}

template <class Index, class T>
void in_groups() {
  for (const std::size_t groups : {1, 3, 17, 40}) {
    for (const std::size_t local : {1, 17, 128, 256, 512}) {
      const std::size_t items = groups * local;
      for (const int end : {0, 1, 255, 4999, 65000}) {
        compare<Index, T>(items, Index(end), Index(items), [=](sycl::queue& queue, const T* data, T* out) {
          queue.parallel_for(sycl::nd_range<1>(items, local), [=, last = Index(end)](sycl::nd_item<1> item) {
            T sum = T(item.get_global_id(0) % 5), most = 0;
            add_up<Index, T>(static_cast<Index>(item.get_global_id(0)), last,
                             static_cast<Index>(item.get_global_range(0)), data, sum, most);
            out[item.get_global_id(0)] = sum - most;
          });
        });
      }
    }
  }
}

/// Computes a sum, a difference, a product and a sum of only the large elements, in loops over `width` elements.
template <class T>
void add_up_along(const T* terms, const T* factors, std::size_t width, T (&results)[4]) {
  T sum = 1, difference = 2, product = 3, some = 4;
  for (std::size_t i = 0; i < width; ++i) sum += terms[i];
  for (std::size_t i = 0; i < width; ++i) difference -= terms[i];
  for (std::size_t i = 0; i < width; ++i) product *= factors[i];
  for (std::size_t i = 0; i < width; ++i) {
    if (terms[i] > T(9000)) some += terms[i];
  }
  results[0] = sum, results[1] = difference, results[2] = product, results[3] = some;
}

template <class T>
void check_along_rows() {
  sycl::queue queue = e2e::make_queue();
  const std::vector<float> values = random_floats();
  constexpr std::size_t width = 333;
  for (const std::size_t rows : {1, 8, 70}) {
    T* terms = sycl::malloc_shared<T>(rows * width, queue);
    T* factors = sycl::malloc_shared<T>(rows * width, queue);
    T* out = sycl::malloc_shared<T>(rows * 4, queue);
    for (std::size_t i = 0; i < rows * width; ++i) {
      terms[i] = static_cast<T>(values[i]);
      factors[i] = T(0.99) + static_cast<T>(values[i]) / T(1 << 21);
    }
    queue
        .parallel_for(sycl::range<1>(rows),
                      [=](sycl::id<1> row) {
                        T results[4];
                        add_up_along(terms + row[0] * width, factors + row[0] * width, width, results);
                        for (std::size_t i = 0; i < 4; ++i) out[row[0] * 4 + i] = results[i];
                      })
        .wait();
    std::vector<T> expected;
    for (std::size_t row = 0; row < rows; ++row) {
      T results[4];
      add_up_along(terms + row * width, factors + row * width, width, results);
      expected.insert(expected.end(), results, results + 4);
    }
    CHECK_ALL_EQUAL(std::vector<T>(out, out + rows * 4), expected);
    for (T* each : {terms, factors, out}) sycl::free(each, queue);
  }
}

}  // namespace

TEST("work-items of a range add up by captured steps") {
  in_ranges<int, float>();
  in_ranges<unsigned, float>();
  in_ranges<long, double>();
  in_ranges<std::size_t, float>();
}

TEST("sums, differences and products along rows keep their order, for few and many work-items") {
  check_along_rows<float>();
  if (e2e::make_queue().get_device().has(sycl::aspect::fp64)) check_along_rows<double>();
}

TEST("work-items of groups add up by the step of the grid") {
  in_groups<int, float>();
  in_groups<unsigned, int>();
  in_groups<std::size_t, double>();
}

TEST("work-items of a group add up rows that follow each other, up to a bound of another type") {
  const auto rows = []<class T>(T /*type*/) {
    for (const std::size_t local : {64, 256}) {
      for (const unsigned end : {0u, 1u, 63u, 1000u, 4096u}) {
        sycl::queue queue = e2e::make_queue();
        device_data<T> memory(queue, random_floats());
        queue.parallel_for(sycl::nd_range<1>(local, local), [=, data = memory.data, out = memory.out](
                                                                sycl::nd_item<1> item) {
          T sum = 1;
          for (long i = static_cast<long>(item.get_local_id(0)); i + 1 <= static_cast<long>(end);
               i += static_cast<long>(item.get_local_range(0)))
            sum += data[i];
          out[item.get_local_id(0)] = sum;
        }).wait();
        std::vector<T> expected(local, T(1));
        for (std::size_t own = 0; own < local; ++own) {
          for (std::size_t i = own; i < end; i += local) expected[own] += memory.data[i];
        }
        CHECK_ALL_EQUAL(std::vector<T>(memory.out, memory.out + local), expected);
      }
    }
  };
  rows(double());
  rows(float());
  rows(std::int64_t());
}

/// The loop reads the captured bound in each iteration, as most users write it.
template <class Bound>
void sums_of_rows() {
  for (const std::size_t rows : {1, 3, 16}) {
    for (const int width : {0, 1, 255, 256, 257, 1000, 4096}) {
      sycl::queue queue = e2e::make_queue();
      device_data<float> memory(queue, random_floats());
      constexpr int local = 256;
      const float* data = memory.data;
      float* out = memory.out;
      const auto end = static_cast<Bound>(width);
      queue.parallel_for(sycl::nd_range<1>(rows * local, local), [=](sycl::nd_item<1> item) {
        const float* from = data + item.get_group(0) * static_cast<std::size_t>(end);
        float sum = 0;
        for (auto x = static_cast<Bound>(item.get_local_id(0)); x < end; x += static_cast<Bound>(local))
          sum += from[x];
        out[item.get_global_id(0)] = sum;
      }).wait();
      std::vector<float> expected(rows * local);
      for (std::size_t own = 0; own < rows * local; ++own) {
        const std::size_t row = own / local, columns = static_cast<std::size_t>(width);
        for (std::size_t x = own % local; x < columns; x += local) expected[own] += data[row * columns + x];
      }
      CHECK_ALL_EQUAL(std::vector<float>(out, out + rows * local), expected);
    }
  }
}

TEST("work-items of a group add up a row, up to a captured bound") {
  sums_of_rows<int>();
  sums_of_rows<unsigned>();
  sums_of_rows<std::size_t>();
}

TEST("counters of a group's first work-items wrap below 0, so that only later ones go on") {
  const auto below = []<class Index>(Index /*type*/) {
    for (const std::size_t local : {64, 256}) {
      for (const Index end : {Index(1), Index(50), Index(4000)}) {
        constexpr Index before = 10;
        sycl::queue queue = e2e::make_queue();
        device_data<float> memory(queue, random_floats());
        const float* data = memory.data;
        const auto sum_of = [=](Index own, Index step) {
          float sum = 1;
          for (Index i = own - before; i < end; i += step) sum += data[i];
          return sum;
        };
        const std::size_t items = 4 * local;
        queue.parallel_for(sycl::nd_range<1>(items, local), [=, out = memory.out](sycl::nd_item<1> item) {
          out[item.get_global_id(0)] =
              sum_of(static_cast<Index>(item.get_local_id(0)), static_cast<Index>(item.get_local_range(0)));
        }).wait();
        std::vector<float> expected(items);
        for (std::size_t own = 0; own < items; ++own) expected[own] = sum_of(Index(own % local), Index(local));
        CHECK_ALL_EQUAL(std::vector<float>(memory.out, memory.out + items), expected);
      }
    }
  };
  below(unsigned());
  below(std::size_t());
}

TEST("a counter ends below the largest number of its type") {
  // The counter comes so near the largest int that one more step would wrap around.
  sycl::queue queue = e2e::make_queue();
  const std::vector<float> values = random_floats();
  device_data<float> memory(queue, values);
  constexpr int base = 2147480000, end = 2147483000, step = 600;
  std::vector<float> expected(2048);
  for (int own = 0; own < 2048; ++own) {
    for (long i = base + own; i < end; i += step)
      expected[static_cast<std::size_t>(own)] += values[std::size_t(i - base)];
  }
  queue.parallel_for(sycl::range(2048), [data = memory.data, out = memory.out, from = base, by = step,
                                         last = end](sycl::id<1> id) {
    float sum = 0;
    for (int i = from + static_cast<int>(id[0]); i < last; i += by) sum += data[i - from];
    out[id] = sum;
  }).wait();
  CHECK_ALL_EQUAL(std::vector<float>(memory.out, memory.out + 2048), expected);
}

TEST("sums of groups are reduced, by many groups at a time") {
  for (const std::size_t groups : {1, 2, 7, 8, 9, 33}) {
    for (const std::size_t local : {64, 256, 1024}) {
      sycl::queue queue = e2e::make_queue();
      device_data<int> memory(queue, random_floats());
      const std::size_t items = groups * local, end = room - 3;
      int* all = sycl::malloc_shared<int>(1, queue);
      *all = 0;
      queue.parallel_for(sycl::nd_range<1>(items, local), [=, data = memory.data, out = memory.out](
                                                              sycl::nd_item<1> item) {
        int sum = 0;
        for (std::size_t i = item.get_global_id(0); i < end; i += item.get_global_range(0)) sum += data[i];
        sum = sycl::reduce_over_group(item.get_group(), sum, sycl::plus<int>());
        if (item.get_local_id(0) != 0) return;
        out[item.get_group(0)] = sum;
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*all) += sum;
      }).wait();
      std::vector<int> expected(groups);
      for (std::size_t i = 0; i < end; ++i) expected[i % items / local] += memory.data[i];
      CHECK_ALL_EQUAL(std::vector<int>(memory.out, memory.out + groups), expected);
      CHECK(*all == std::accumulate(expected.begin(), expected.end(), 0));
      sycl::free(all, queue);
    }
  }
}

TEST("a negative step ends a loop whose counter grows before the first test") {
  constexpr std::size_t items = 256;
  sycl::queue queue = e2e::make_queue();
  int* out = sycl::malloc_shared<int>(2 * items, queue);
  for (const int step : {-3, -1, -1000}) {
    queue.parallel_for(sycl::nd_range<1>(items, 32), [=](sycl::nd_item<1> item) {
      const int id = static_cast<int>(item.get_global_id(0));
      int i = id - step;
      do i += step;
      while (i < 0);
      out[id] = i;
      int next;
      for (i = id - step;; i = next) {
        next = i + step;
        if (i >= 0) break;
      }
      out[items + static_cast<std::size_t>(id)] = next;
    }).wait();
    for (std::size_t i = 0; i < items; ++i) CHECK(out[i] == static_cast<int>(i) && out[items + i] == out[i]);
  }
  sycl::free(out, queue);
}

TEST("groups go down strips of rows, of one dimension or two") {
  constexpr std::size_t width = 1024, rows = 64;
  sycl::queue queue = e2e::make_queue();
  const std::vector<float> values = random_floats();
  device_data<float> memory(queue, values);
  for (const std::size_t local : {64, 256, 512}) {
    std::fill_n(memory.out, room, 77.0f);
    queue.parallel_for(sycl::nd_range<2>({2, width}, {1, local}), [=, data = memory.data, out = memory.out](
                                                                      sycl::nd_item<2> item) {
      const std::size_t x = item.get_global_id(1), first = item.get_global_id(0) * rows / 2;
      float all = 0;
      for (std::size_t row = first; row < first + rows / 2; ++row) out[row * width + x] = all += data[row * width + x];
    }).wait();
    std::vector<float> expected(room, 77.0f);
    for (std::size_t x = 0; x < width; ++x) {
      float all = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        if (row % (rows / 2) == 0) all = 0;
        expected[row * width + x] = all += values[row * width + x];
      }
    }
    CHECK_ALL_EQUAL(std::vector<float>(memory.out, memory.out + room), expected);
  }
}

E2E_MAIN
