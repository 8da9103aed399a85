/// Private arrays with sizes near the limits up to which they stay in vector lanes or on stacks. The tests have such
/// arrays in range kernels, in work-groups with and without barriers, in sub-groups, in functions that are not inlined,
/// and in fused kernels. Some arrays are over-aligned or of variable length. Kernels with arrays that are larger than
/// any memory are refused.
#include <malloc.h>
#include <pthread.h>

#include "fusion.hpp"

#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wvla-cxx-extension"
#pragma GCC diagnostic ignored "-Wvla"

namespace {

using sycl::id;
using sycl::nd_item;
using sycl::range;

constexpr std::size_t group_size = 32;

/// A work-item writes its whole private array, and reads elements whose indices depend on the data.
template <int Size>
struct churn {
  static void fill(float (&array)[Size], float seed) {
    for (int k = 0; k < Size; ++k) array[k] = seed * 0.5f + static_cast<float>(k % 13);
  }
  static float sum(const float (&array)[Size], float seed) {
    const int step = Size / 16 + 1 + static_cast<int>(seed) % 3;
    float result = 0;
    for (int k = static_cast<int>(seed) % Size; k < Size; k += step) result += array[k] - array[Size - 1 - k];
    return result;
  }
  static float whole(float seed) {
    float array[Size];
    fill(array, seed);
    return sum(array, seed);
  }
};

std::vector<float> seeds(std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(e2e::random()() % 1000);
  return values;
}

template <int Size>
void check_range(std::size_t count) {
  auto queue = e2e::make_queue();
  // GPUs have less private memory for a work-item.
  if (!queue.get_device().is_cpu() && Size * sizeof(float) >= 512 << 10) return;
  std::vector<float> values = seeds(count), expected;
  for (float value : values) expected.push_back(churn<Size>::whole(value));
  {
    sycl::buffer<float> buffer(values.data(), range(count));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor data(buffer, handler, sycl::read_write);
      handler.parallel_for(range(count), [=](id<1> i) { data[i] = churn<Size>::whole(data[i]); });
    });
  }
  CHECK_ALL_EQUAL(values, expected);
}

/// The array keeps its values across barriers. The work-item also reads values that the next work-item has stored.
template <int Size>
void check_groups(std::size_t groups) {
  auto queue = e2e::make_queue();
  const std::size_t count = groups * group_size;
  std::vector<float> values = seeds(count), expected(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t next = i / group_size * group_size + (i + 1) % group_size;
    expected[i] = churn<Size>::whole(values[i]) + values[next];
  }
  {
    sycl::buffer<float> buffer(values.data(), range(count));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor data(buffer, handler, sycl::read_write);
      sycl::local_accessor<float> shared(range<1>(group_size), handler);
      handler.parallel_for(sycl::nd_range<1>(count, group_size), [=](nd_item<1> item) {
        const std::size_t mine = item.get_local_id(0);
        const float seed = data[item.get_global_id(0)];
        float array[Size];
        churn<Size>::fill(array, seed);
        shared[mine] = seed;
        sycl::group_barrier(item.get_group());
        const float other = shared[(mine + 1) % group_size];
        data[item.get_global_id(0)] = churn<Size>::sum(array, seed) + other;
      });
    });
  }
  CHECK_ALL_EQUAL(values, expected);
}

template <int Size>
void check_sub_groups() {
  auto queue = e2e::make_queue();
  const std::size_t count = 4 * group_size;
  std::vector<float> values = seeds(count);
  const std::vector<float> before = values;
  std::vector<std::uint32_t> neighbours(count);
  {
    sycl::buffer<float> buffer(values.data(), range(count));
    sycl::buffer<std::uint32_t> of_neighbours(neighbours.data(), range(count));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor data(buffer, handler, sycl::read_write);
      sycl::accessor places(of_neighbours, handler, sycl::write_only);
      handler.parallel_for(sycl::nd_range<1>(count, group_size), [=](nd_item<1> item) {
        const sycl::sub_group lanes = item.get_sub_group();
        const std::size_t i = item.get_global_id(0);
        float array[Size];
        churn<Size>::fill(array, data[i]);
        const std::uint32_t next = (lanes.get_local_linear_id() + 1) % lanes.get_local_linear_range();
        const float seed = sycl::select_from_group(lanes, data[i], next);
        places[i] = sycl::select_from_group(lanes, static_cast<std::uint32_t>(i), next);
        data[i] = churn<Size>::sum(array, seed);
      });
    });
  }
  for (std::size_t i = 0; i < count; ++i) {
    float array[Size];
    churn<Size>::fill(array, before[i]);
    CHECK_EQUAL(values[i], churn<Size>::sum(array, before[neighbours[i]]));
  }
}

class needs_too_much;

/// The message that the asynchronous handler receives, or an empty text if it receives none.
template <class Submit>
[[maybe_unused]] std::string refusal(const Submit& submit) {
  std::string text;
  sycl::queue queue(sycl::default_selector_v, [&](sycl::exception_list list) {
    for (const std::exception_ptr& each : list) {
      try {
        std::rethrow_exception(each);
      } catch (const sycl::exception& error) {
        CHECK(error.code() == sycl::errc::memory_allocation);
        text = error.what();
      }
    }
  });
  submit(queue);
  queue.wait_and_throw();
  return text;
}

}  // namespace

TEST("private arrays of 4 bytes to 1 MiB in range kernels") {
  check_range<1>(100);
  check_range<100>(1000);
  check_range<509>(333);
  check_range<4096>(100);
  check_range<16384>(65);
  check_range<16385>(64);
  check_range<131072>(40);
  check_range<262144>(17);
}

TEST("private arrays that live across barriers") {
  check_groups<3>(4);
  check_groups<255>(3);
  check_groups<2048>(2);
  check_groups<16384>(2);
}

/// OpenCL drivers for CPUs report an error for work-groups whose private arrays together do not fit a stack.
bool driver_limits_arrays() { return e2e::make_queue().get_backend() == sycl::backend::opencl; }

TEST("private arrays of sub-groups") {
  if (driver_limits_arrays()) return;
  check_sub_groups<100>();
  check_sub_groups<16384>();
}

TEST("groups of two dimensions, whose rows may run together") {
  if (driver_limits_arrays()) return;
  auto queue = e2e::make_queue();
  constexpr int size = 8192;
  std::vector<float> values = seeds(8 * 64), expected;
  for (float value : values) expected.push_back(churn<size>::whole(value) + value);
  float* data = sycl::malloc_shared<float>(values.size(), queue);
  std::copy(values.begin(), values.end(), data);
  queue.parallel_for(sycl::nd_range<2>({8, 64}, {8, 16}), [=](nd_item<2> item) {
    float& value = data[item.get_global_linear_id()];
    value = churn<size>::whole(value) + value;
  }).wait();
  std::copy(data, data + values.size(), values.begin());
  CHECK_ALL_EQUAL(values, expected);
  sycl::free(data, queue);
}

namespace {

struct alignas(256) wide_element {
  std::uint64_t value[3];
};

}  // namespace

TEST("over-aligned private arrays, across barriers too") {
  if (driver_limits_arrays()) return;
  auto queue = e2e::make_queue();
  std::vector<int> wrong(64);
  {
    sycl::buffer<int> buffer(wrong.data(), range(wrong.size()));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(buffer, handler, sycl::write_only);
      handler.parallel_for(sycl::nd_range<1>(wrong.size(), 16), [=](nd_item<1> item) {
        const std::size_t i = item.get_global_id(0);
        wide_element few[3], many[200];
        const std::uint64_t total = item.get_group(0) * 7 + 1;  // equal in the whole group, so it is kept once
        for (std::size_t k = 0; k < 3; ++k) few[k].value[2] = i + k;
        for (std::size_t k = 0; k < 200; ++k) many[k].value[1] = i * k;
        sycl::group_barrier(item.get_group());
        int errors = 0;
        for (std::size_t k = 0; k < 3; ++k) errors += few[k].value[2] != i + k;
        for (std::size_t k = 0; k < 200; ++k) errors += many[k].value[1] != i * k;
        for (const void* each : {static_cast<const void*>(few), static_cast<const void*>(many)}) {
          errors += reinterpret_cast<std::uintptr_t>(each) % alignof(wide_element) != 0;
        }
        out[i] = errors + static_cast<int>(total - item.get_group(0) * 7 - 1);
      });
    });
  }
  CHECK_ALL_EQUAL(wrong, std::vector<int>(64, 0));
}

namespace {

[[gnu::noinline]] int of_function(int seed) {
  int array[20000];
  for (int k = 0; k < 20000; ++k) array[k] = seed ^ k;
  int sum = 0;
  for (int k = seed & 15; k < 20000; k += 37) sum += array[k];
  return sum;
}

}  // namespace

TEST("arrays of functions that are not inlined, and of variable length") {
  CPU_ONLY;
  auto queue = e2e::make_queue();
  constexpr int items = 200;
  int* data = sycl::malloc_shared<int>(2 * items, queue);
  queue.parallel_for(range(items), [=](id<1> at) {
    const int i = static_cast<int>(at[0]);
    data[i] = of_function(i);
    const int length = i % 50 + 1;
    int array[length];
    for (int k = 0; k < length; ++k) array[k] = i * k;
    int sum = 0;
    for (int k = 0; k < length; ++k) sum += array[length - 1 - k];
    data[items + i] = sum;
  }).wait();
  for (int i = 0; i < items; ++i) {
    CHECK_EQUAL(data[i], of_function(i));
    CHECK_EQUAL(data[items + i], i * (i % 50) * (i % 50 + 1) / 2);
  }
  sycl::free(data, queue);
}

TEST("an array of variable length in front of a barrier, and one behind it") {
  CPU_ONLY;
  auto queue = e2e::make_queue();
  int* data = sycl::malloc_shared<int>(64, queue);
  int* length = sycl::malloc_shared<int>(1, queue);
  *length = 19;
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<int> shared(range<1>(16), handler);
    handler.parallel_for(sycl::nd_range<1>(64, 16), [=](nd_item<1> item) {
      const int i = static_cast<int>(item.get_global_id(0)), n = *length;
      {
        int array[n];
        for (int k = 0; k < n; ++k) array[k] = i + k;
        shared[item.get_local_id(0)] = array[n - 1];
      }
      sycl::group_barrier(item.get_group());
      int array[n];
      for (int k = 0; k < n; ++k) array[k] = shared[(item.get_local_id(0) + 1) % 16];
      data[i] = array[i % n];
    });
  }).wait();
  for (int i = 0; i < 64; ++i) CHECK_EQUAL(data[i], i / 16 * 16 + (i + 1) % 16 + 18);
  sycl::free(data, queue);
  sycl::free(length, queue);
}

TEST("fused kernels with private arrays, one of them promoted") {
  CPU_ONLY;
  auto queue = e2e::make_fusing_queue();
  constexpr std::size_t count = 96, per_item = 3000;
  std::vector<float> values = seeds(count), expected;
  for (float value : values) {
    float sum = 0;
    for (std::size_t k = 0; k < per_item; ++k) sum += value + static_cast<float>(k % 7);
    expected.push_back(churn<20000>::whole(value) + sum);
  }
  const e2e::launches launches;
  {
    sycl::buffer<float> buffer(values.data(), range(count));
    {
      sycl::buffer<float> between(range(count * per_item), e2e::promoted_private);
      cx::fusion_wrapper fusion(queue);
      fusion.start_fusion();
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor in(buffer, handler, sycl::read_only);
        sycl::accessor out(between, handler, sycl::write_only);
        handler.parallel_for(range(count), [=](id<1> i) {
          for (std::size_t k = 0; k < per_item; ++k) out[i * per_item + k] = in[i] + static_cast<float>(k % 7);
        });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor in(between, handler, sycl::read_only);
        sycl::accessor out(buffer, handler, sycl::read_write);
        handler.parallel_for(range(count), [=](id<1> i) {
          float sum = 0;
          for (std::size_t k = 0; k < per_item; ++k) sum += in[i * per_item + k];
          out[i] = churn<20000>::whole(out[i]) + sum;
        });
      });
      fusion.complete_fusion();
    }
    queue.wait();
  }
  CHECK_EQUAL(launches.count(), e2e::launches_when_fused(2));
  CHECK_ALL_EQUAL(values, expected);
}

TEST("fused kernels, whose temporary is too large to be promoted") {
  CPU_ONLY;
  constexpr std::size_t count = 3, per_item = 300000;
  std::vector<float> values = seeds(count), expected;
  for (float value : values) expected.push_back((value + 1) * static_cast<float>((per_item + 998) / 999));
  for (const sycl::property_list& promoted :
       {e2e::promoted_private, sycl::property_list{cx::property::promote_local{}}}) {
    auto queue = e2e::make_fusing_queue();
    std::vector<float> results(count);
    {
      sycl::buffer<float> buffer(values.data(), range(count)), sums(results.data(), range(count));
      {
        sycl::buffer<float> between(range(count * per_item), promoted);
        cx::fusion_wrapper fusion(queue);
        fusion.start_fusion();
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor in(buffer, handler, sycl::read_only);
          sycl::accessor out(between, handler, sycl::write_only);
          handler.parallel_for(sycl::nd_range<1>(count, 1), [=](nd_item<1> item) {
            const std::size_t i = item.get_global_id(0);
            for (std::size_t k = 0; k < per_item; ++k) out[i * per_item + k] = in[i] + static_cast<float>(k % 2);
          });
        });
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor in(between, handler, sycl::read_only);
          sycl::accessor out(sums, handler, sycl::write_only);
          handler.parallel_for(sycl::nd_range<1>(count, 1), [=](nd_item<1> item) {
            const std::size_t i = item.get_global_id(0);
            float sum = 0;
            for (std::size_t k = 0; k < per_item; k += 999) sum += in[i * per_item + k / 2 * 2 + 1];
            out[i] = sum;
          });
        });
        fusion.complete_fusion();
      }
      queue.wait();
    }
    CHECK_ALL_EQUAL(results, expected);
  }
}

TEST("threads with small stacks run and compile kernels") {
  struct work {
    bool right = false;
    static void* run(void* me) {
      constexpr std::size_t count = 300;
      auto queue = e2e::make_queue();
      int* data = sycl::malloc_shared<int>(count, queue);
      queue.parallel_for(range(count), [=](id<1> i) {
        int array[30000];
        for (int k = 0; k < 30000; ++k) array[k] = k ^ static_cast<int>(i[0]);
        data[i] = array[i[0] * 97 % 30000];
      }).wait();
      bool right = true;
      for (std::size_t i = 0; i < count; ++i) right &= data[i] == static_cast<int>(i * 97 % 30000 ^ i);
      sycl::free(data, queue);
      static_cast<work*>(me)->right = right;
      return nullptr;
    }
  } small;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{128} << 10);
  pthread_t thread;
  CHECK_EQUAL(pthread_create(&thread, &attributes, work::run, &small), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  CHECK(small.right);
}

#ifndef SINTER_E2E_LIBRARY_MODE
TEST("what no memory holds is refused with the kernel's name, its bytes, and those of the device") {
  CPU_ONLY;
  int length = 1 << 10;
  const std::string text = refusal([&](sycl::queue& queue) {
    queue.parallel_for<needs_too_much>(sycl::nd_range<1>(1024, 1024), [=](nd_item<1> item) {
      volatile char array[1 << 30];
      for (int k = 0; k < length; ++k) array[static_cast<std::size_t>(k) << 20] = 1;
      sycl::group_barrier(item.get_group());
      for (int k = 0; k < length; ++k) array[static_cast<std::size_t>(k) << 20] = 2;
    });
  });
  for (const char* word : {"needs_too_much", "CPU device", "10995116", "global_mem_size", "smaller"}) {
    if (text.find(word) == std::string::npos) e2e::fail(__FILE__, __LINE__, std::string(word) + " is not in: " + text);
  }
}
#endif

#if !defined(SINTER_E2E_LIBRARY_MODE) && !__has_feature(address_sanitizer)
class first_half {};
class second_half {};

TEST("kernels that together need more memory than there is run one by one") {
  CPU_ONLY;
  // The bytes that each work-item keeps across the barrier. The kernel accesses nearly none of them.
  constexpr std::size_t kept = std::size_t{1} << 28;
  sycl::queue queue{cx::property::queue::enable_fusion{}};
  const std::uint64_t memory = queue.get_device().get_info<sycl::info::device::global_mem_size>();
  const std::size_t items = std::min<std::uint64_t>(memory / kept * 6 / 10, 1024);
  if (2 * items * kept <= memory) return;  // a group of this size would fit the memory
  mallopt(M_PERTURB, 0);  // the test runner sets MALLOC_PERTURB_, which would make malloc fill the memory
  std::vector<int> values(items);
  for (std::size_t i = 0; i < items; ++i) values[i] = static_cast<int>(i);
  const auto kernel = [](sycl::handler& handler, sycl::buffer<int>& buffer, auto name, int factor) {
    sycl::accessor data(buffer, handler, sycl::read_write);
    handler.parallel_for<decltype(name)>(sycl::nd_range<1>(buffer.size(), buffer.size()), [=](nd_item<1> item) {
      signed char array[kept];
      const int i = data[item.get_global_id(0)];
      array[i * 4096] = static_cast<signed char>(i * factor);
      sycl::group_barrier(item.get_group());
      const int again = data[item.get_global_id(0)];
      data[item.get_global_id(0)] = again + array[again * 4096];
    });
  };
  {
    sycl::buffer<int> buffer(values.data(), sycl::range(items));
    const e2e::launches ran;
    cx::fusion_wrapper fusion(queue);
    fusion.start_fusion();
    queue.submit([&](sycl::handler& handler) { kernel(handler, buffer, first_half(), 1); });
    queue.submit([&](sycl::handler& handler) { kernel(handler, buffer, second_half(), 2); });
    fusion.complete_fusion();
    queue.wait_and_throw();
    CHECK_EQUAL(ran.count(), 2u);
  }
  for (std::size_t i = 0; i < items; ++i) {
    const int once = static_cast<int>(i) + static_cast<signed char>(i);
    CHECK_EQUAL(values[i], once + static_cast<signed char>(once * 2));
  }
}
#endif

E2E_MAIN
