/// Unified shared memory: kinds of allocations, copies, fills, and kernels that use raw pointers.
#include "check.hpp"

namespace {

/// USM memory that the destructor frees.
template <class Value>
struct usm {
  Value* data;
  sycl::queue queue;
  usm(std::size_t count, sycl::queue q, sycl::usm::alloc kind)
      : data(sycl::malloc<Value>(count ? count : 1, q, kind)), queue(q) {}
  ~usm() { sycl::free(data, queue); }
  usm(const usm&) = delete;
  usm& operator=(const usm&) = delete;
};

} // namespace

TEST("saxpy over shared memory is right for every size") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t count : e2e::sizes()) {
    const auto x = e2e::random_values<float>(count), y = e2e::random_values<float>(count);
    usm<float> dx(count, queue, sycl::usm::alloc::shared), dy(count, queue, sycl::usm::alloc::shared);
    std::copy(x.begin(), x.end(), dx.data);
    std::copy(y.begin(), y.end(), dy.data);
    const float factor = 0.5f;  // a power of two, so that rounding once and rounding twice give the same results
    float *px = dx.data, *py = dy.data;
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { py[i] = factor * px[i] + py[i]; }).wait();
    std::vector<float> expected(count), got(dy.data, dy.data + count);
    for (std::size_t i = 0; i < count; ++i) expected[i] = factor * x[i] + y[i];
    CHECK_ALL_EQUAL(got, expected);
  }
}

TEST("device memory is filled and copied by the queue") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t count : e2e::sizes()) {
    usm<int> device(count, queue, sycl::usm::alloc::device), host(count, queue, sycl::usm::alloc::host);
    int* data = device.data;
    queue.fill(data, 7, count).wait();
    sycl::event added =
        queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += static_cast<int>(i[0]); });
    queue.memcpy(host.data, data, count * sizeof(int), added).wait();
    std::vector<int> expected(count), got(host.data, host.data + count);
    for (std::size_t i = 0; i < count; ++i) expected[i] = 7 + static_cast<int>(i);
    CHECK_ALL_EQUAL(got, expected);
    queue.memset(data, 0xff, count * sizeof(int)).wait();
    queue.copy(data, host.data, count).wait();
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(host.data[i], -1);
  }
}

/// No driver fills memory with elements of this size, so the runtime copies the part that it has already filled.
template <std::size_t Bytes>
void fill_with_odd_elements() {
  struct element {
    unsigned char bytes[Bytes];
  };
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{1001}}) {
    usm<element> device(count, queue, sycl::usm::alloc::device), host(count, queue, sycl::usm::alloc::host);
    element pattern{};
    const auto bytes = e2e::random_values<int>(Bytes);
    for (std::size_t i = 0; i < Bytes; ++i) pattern.bytes[i] = static_cast<unsigned char>(bytes[i]);
    sycl::event filled = queue.fill(device.data, pattern, count);
    queue.memcpy(host.data, device.data, count * sizeof(element), filled).wait();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count * Bytes; ++i) {
      wrong += host.data[i / Bytes].bytes[i % Bytes] != pattern.bytes[i % Bytes];
    }
    CHECK_EQUAL(wrong, std::size_t{0});
  }
}

TEST("memory is filled with elements of odd sizes") {
  fill_with_odd_elements<3>();
  fill_with_odd_elements<12>();
  fill_with_odd_elements<32>();
  fill_with_odd_elements<200>();
}

TEST("prefetch and advice change nothing") {
  sycl::queue queue = e2e::make_queue();
  usm<double> memory(100, queue, sycl::usm::alloc::shared);
  double* data = memory.data;
  queue.fill(data, 2.5, 100).wait();
  queue.prefetch(data, 100 * sizeof(double)).wait();
  queue.mem_advise(data, 100 * sizeof(double), 0).wait();
  queue.single_task([=] { data[99] += data[0]; }).wait();
  CHECK_EQUAL(data[99], 5.0);
  CHECK_EQUAL(data[98], 2.5);
}

TEST("pointer queries tell the kinds of memory apart") {
  sycl::queue queue = e2e::make_queue();
  const sycl::context context = queue.get_context();
  usm<int> device(4, queue, sycl::usm::alloc::device), host(4, queue, sycl::usm::alloc::host),
      shared(4, queue, sycl::usm::alloc::shared);
  int on_stack = 0;
  CHECK(sycl::get_pointer_type(device.data, context) == sycl::usm::alloc::device);
  CHECK(sycl::get_pointer_type(host.data + 1, context) == sycl::usm::alloc::host);
  CHECK(sycl::get_pointer_type(shared.data, context) == sycl::usm::alloc::shared);
  CHECK(sycl::get_pointer_type(&on_stack, context) == sycl::usm::alloc::unknown);
}

TEST("memory has the alignment that the program asks for, or there is none") {
  sycl::queue queue;
  const bool is_host = queue.get_device().get_backend() == sycl::backend::sinter_cpu;
  for (std::size_t alignment = 1; alignment <= 16384; alignment *= 2) {
    for (const auto [kind, needed] : {std::pair(sycl::usm::alloc::shared, sycl::aspect::usm_shared_allocations),
                                      std::pair(sycl::usm::alloc::host, sycl::aspect::usm_host_allocations),
                                      std::pair(sycl::usm::alloc::device, sycl::aspect::usm_device_allocations)}) {
      if (!queue.get_device().has(needed)) continue;
      void* memory[3];
      for (void*& each : memory) each = sycl::aligned_alloc(alignment, 400, queue, kind);
      for (void* each : memory) {
        CHECK(each || (alignment > 128 && !is_host));
        CHECK_EQUAL(reinterpret_cast<std::uintptr_t>(each) % alignment, std::uintptr_t{0});
        sycl::free(each, queue);
      }
    }
  }
}

TEST("kernels work in place through two pointers") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t size : e2e::sizes()) {
    usm<float> memory(2 * size, queue, sycl::usm::alloc::shared);
    std::vector<float> expected(2 * size);
    for (std::size_t i = 0; i < 2 * size; ++i) expected[i] = memory.data[i] = static_cast<float>(i % 23);
    const float* in = memory.data;
    float* out = memory.data;
    queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> id) {
      const std::size_t i = id;
      out[2 * i] = in[2 * i] + in[2 * i + 1];
      out[2 * i + 1] = in[2 * i] * 2;  // reads bytes that the previous statement has written
    }).wait();
    for (std::size_t i = 0; i < size; ++i) {
      expected[2 * i] += expected[2 * i + 1];
      expected[2 * i + 1] = expected[2 * i] * 2;
    }
    CHECK_ALL_EQUAL(std::vector<float>(memory.data, memory.data + 2 * size), expected);
  }
}

TEST("allocators are equal when they may free each other's memory") {
  sycl::queue queue = e2e::make_queue();
  const sycl::usm_allocator<int, sycl::usm::alloc::shared> shared(queue);
  const sycl::usm_allocator<float, sycl::usm::alloc::shared> rebound(shared);
  const sycl::usm_allocator<int, sycl::usm::alloc::host> host(queue);
  const sycl::usm_allocator<int, sycl::usm::alloc::shared> elsewhere(sycl::context(), queue.get_device());
  CHECK(shared == rebound && shared != host && shared != elsewhere);
}

TEST("pointers inside structures and to structures work") {
  struct particle {
    float position[3];
    float mass;
  };
  struct arguments {
    particle* particles;
    float* total;
  };
  sycl::queue queue = e2e::make_queue();
  const std::size_t count = 33;
  usm<particle> particles(count, queue, sycl::usm::alloc::shared);
  usm<float> total(1, queue, sycl::usm::alloc::shared);
  for (std::size_t i = 0; i < count; ++i) particles.data[i] = {{1, 2, static_cast<float>(i)}, 0.25f};
  *total.data = 0;
  const arguments all{particles.data, total.data};
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { all.particles[i].position[2] *= 2; }).wait();
  queue
      .single_task([=] {
        for (std::size_t i = 0; i < count; ++i) *all.total += all.particles[i].position[2] * all.particles[i].mass;
      })
      .wait();
  CHECK_EQUAL(*total.data, 0.5f * 33 * 32 / 2);
}

/// On GPUs, the JIT combines 16 iterations of these loops, then four of the remaining iterations, and runs the rest one
/// by one.
template <class Index>
void add_up_by_strides() {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t items = 8, most = 600;
  usm<int> in(most, queue, sycl::usm::alloc::shared), out(items, queue, sycl::usm::alloc::shared);
  const auto values = e2e::random_values<int>(most);
  std::copy(values.begin(), values.end(), in.data);
  const int* from = in.data;
  int* to = out.data;
  for (std::size_t count : {0, 1, 7, 8, 31, 32, 33, 39, 127, 128, 129, 135, 160, 263, 511, 512, 544, 600}) {
    queue
        .parallel_for(sycl::nd_range<1>(items, 4),
                      [=](sycl::nd_item<1> item) {
                        unsigned sum = 0;
                        for (auto at = static_cast<Index>(item.get_global_id(0)); at < static_cast<Index>(count);
                             at += static_cast<Index>(item.get_global_range(0)))
                          sum = sum * 3 + static_cast<unsigned>(from[at]);
                        to[item.get_global_id(0)] = static_cast<int>(sum);
                      })
        .wait();
    std::vector<int> expected(items), got(to, to + items);
    for (std::size_t i = 0; i < items; ++i) {
      unsigned sum = 0;
      for (std::size_t at = i; at < count; at += items) sum = sum * 3 + static_cast<unsigned>(values[at]);
      expected[i] = static_cast<int>(sum);
    }
    CHECK_ALL_EQUAL(got, expected);
  }
}

TEST("loops by the grid's step take each element once, in order") {
  add_up_by_strides<std::size_t>();
  add_up_by_strides<unsigned>();
  add_up_by_strides<int>();
}

TEST("memory that is freed while commands use it stays until they are complete") {
  sycl::queue queue = e2e::make_queue();
  const std::size_t count = 1 << 14;
  int* const data = sycl::malloc_device<int>(count, queue);
  usm<int> last(1, queue, sycl::usm::alloc::shared);
  int* const result = last.data;
  queue.fill(data, 1, count).wait();
  sycl::event before;
  for (int i = 0; i < 20; ++i) {
    before = queue.parallel_for(sycl::range<1>(count), before, [=](sycl::id<1> at) { data[at] += 1; });
  }
  before = queue.single_task(before, [=] { *result = data[count - 1]; });
  sycl::free(data, queue);
  before.wait();
  CHECK_EQUAL(*result, 21);
}

E2E_MAIN
