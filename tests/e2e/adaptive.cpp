/// On adaptive queues, arguments that keep their value become constants in the code. The results equal those of queues
/// without the property `adaptive`, no matter which arguments change, and when.
#include "check.hpp"

#include <chrono>
#include <sycl/ext/sinter/adaptive.hpp>
#include <thread>

using namespace sycl;

namespace {

constexpr specialization_id<int> add(3);

struct shape {
  int taps;
  float scale;
};

}  // namespace

TEST("launches with equal, changing and returning numbers give the same results") {
  queue q = e2e::make_queue({property::queue::in_order(), ext::sinter::property::queue::adaptive()});
  constexpr std::size_t size = 257;
  float *in = malloc_shared<float>(size, q), *out = malloc_shared<float>(size, q);
  for (std::size_t i = 0; i < size; ++i) in[i] = static_cast<float>(e2e::random()() % 100);
  const auto check = [&](shape how, unsigned char offset, double bias) {
    q.parallel_for(range<1>(size), [=](id<1> i) {
       float sum = static_cast<float>(bias);
       for (int k = 0; k < how.taps; ++k) sum += how.scale * in[(i + static_cast<std::size_t>(k) + offset) % size];
       out[i] = sum;
     }).wait();
    for (std::size_t i = 0; i < size; ++i) {
      float sum = static_cast<float>(bias);
      for (int k = 0; k < how.taps; ++k) sum += how.scale * in[(i + static_cast<std::size_t>(k) + offset) % size];
      CHECK_EQUAL(out[i], sum);
    }
  };
  // The runtime keeps fewer versions of the code than the test uses sets of numbers. The second round uses the first
  // round's numbers again.
  for (int round = 0; round < 2; ++round) {
    for (int set = 0; set < 6; ++set) {
      for (int repeat = 0; repeat < 40; ++repeat) {
        check({set, 0.5f * static_cast<float>(set)}, static_cast<unsigned char>(set * 50), 2.0 * set);
        if (repeat == 20) std::this_thread::sleep_for(std::chrono::milliseconds(30));
      }
    }
  }
  for (int repeat = 0; repeat < 20; ++repeat) check({repeat % 3, 1.0f}, 1, 0.25);
  free(in, q);
  free(out, q);
}

TEST("ranges, local memory and specialization constants beside the numbers stay what they are") {
  queue q = e2e::make_queue({ext::sinter::property::queue::adaptive()});
  int* data = malloc_shared<int>(256, q);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::size_t size = repeat % 2 ? 256 : 64, group = repeat % 3 ? 8 : 16;
    const int factor = repeat < 50 ? 3 : 5;
    q.submit([&](handler& h) {
       local_accessor<int> local(group, h);
       if (repeat % 5 == 0) h.set_specialization_constant<add>(repeat);
       h.parallel_for(nd_range<1>(size, group), [=](nd_item<1> item, kernel_handler values) {
         const std::size_t l = item.get_local_id(0);
         local[l] = static_cast<int>(item.get_global_id(0)) * factor;
         group_barrier(item.get_group());
         data[item.get_global_id(0)] = local[group - 1 - l] + values.get_specialization_constant<add>();
       });
     }).wait();
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t mirrored = i / group * group + group - 1 - i % group;
      CHECK_EQUAL(data[i], static_cast<int>(mirrored) * factor + (repeat % 5 == 0 ? repeat : 3));
    }
  }
  free(data, q);
}

E2E_MAIN
