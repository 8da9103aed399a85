/// The CUDA driver's objects: programs get them from SYCL objects, use them in host tasks, and make SYCL objects from
/// them. On other devices, such calls throw an error.
#include <dlfcn.h>

#include "check.hpp"
#include "sycl/backend.hpp"

namespace {

constexpr sycl::backend cuda = sycl::backend::ext_oneapi_cuda;
constexpr std::size_t count = 10000;

/// Finds a function of the driver, with the type that <cuda.h> declares.
template <class... Parameters>
auto driver_function(const char* name) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto found = reinterpret_cast<int (*)(Parameters...)>(library ? dlsym(library, name) : nullptr);
  if (!found) std::printf("the driver has no %s\n", name), std::abort();
  return found;
}

int fill(unsigned long long memory, unsigned value, std::size_t numbers, CUstream_st* stream) {
  static const auto set =
      driver_function<unsigned long long, unsigned, std::size_t, CUstream_st*>("cuMemsetD32Async");
  return set(memory, value, numbers, stream);
}
int synchronize(CUstream_st* stream) {
  static const auto wait = driver_function<CUstream_st*>("cuStreamSynchronize");
  return wait(stream);
}

bool is_cuda() { return e2e::make_queue().get_backend() == cuda; }

template <class Ask>
bool is_mismatch(const Ask& ask) {
  try {
    ask();
  } catch (const sycl::exception& error) {
    return error.code() == sycl::errc::backend_mismatch;
  }
  return false;
}

}  // namespace

TEST("objects of another backend are refused") {
  CPU_ONLY;
  sycl::queue queue = e2e::make_queue();
  CHECK(is_mismatch([&] { sycl::get_native<cuda>(queue); }));
  CHECK(is_mismatch([&] { sycl::get_native<cuda>(queue.get_device()); }));
  CHECK(is_mismatch([&] { sycl::get_native<cuda>(queue.get_context()); }));
  CHECK(is_mismatch([&] { sycl::get_native<cuda>(queue.ext_oneapi_submit_barrier()); }));
  int values[4] = {};
  sycl::buffer<int> buffer(values, 4);
  queue.submit([&](sycl::handler& group) {
    sycl::accessor memory(buffer, group);
    group.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { memory[i] = 1; });
  });
  queue.submit([&](sycl::handler& group) {
    sycl::accessor memory(buffer, group);
    group.host_task([=](const sycl::interop_handle& native) {
      if (native.get_backend() == sycl::backend::sinter_cpu) native.get_native_mem(memory)[2] = 7;
      if (!is_mismatch([&] { native.get_native_queue<cuda>(); })) native.get_native_mem(memory)[2] = -1;
    });
  });
  const sycl::host_accessor result(buffer);
  CHECK_EQUAL(result[1], 1);
  CHECK_EQUAL(result[2], 7);
}

TEST("a host task works with the device's memory and stream") {
  if (!is_cuda()) return;
  for (const bool in_order : {false, true}) {
    sycl::queue queue =
        e2e::make_queue(in_order ? sycl::property_list{sycl::property::queue::in_order{}} : sycl::property_list{});
    std::vector<unsigned> values(count, 3), seen(count);
    {
      sycl::buffer<unsigned> buffer(values.data(), count), copy(seen.data(), count);
      queue.submit([&](sycl::handler& group) {
        sycl::accessor data(buffer, group);
        group.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += 1; });
      });
      queue.submit([&](sycl::handler& group) {
        sycl::accessor data(buffer, group);
        sycl::accessor<unsigned, 1, sycl::access_mode::write, sycl::target::host_task> out(copy, group);
        group.host_task([=](sycl::interop_handle native) {
          CHECK(native.get_backend() == cuda);
          CUstream_st* const stream = native.get_native_queue<cuda>();
          CHECK_EQUAL(fill(native.get_native_mem<cuda>(data) + 400, 9, 50, stream), 0);
          CHECK_EQUAL(synchronize(stream), 0);
          CHECK(native.get_native_context<cuda>() != nullptr);
          for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<unsigned>(native.get_native_device<cuda>());
        });
      });
      queue.submit([&](sycl::handler& group) {
        sycl::accessor data(buffer, group);
        group.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] *= 2; });
      });
    }
    std::vector<unsigned> expected(count, 8);
    std::fill(expected.begin() + 100, expected.begin() + 150, 18u);
    CHECK_ALL_EQUAL(values, expected);
    CHECK_ALL_EQUAL(seen,
                    std::vector<unsigned>(count, static_cast<unsigned>(sycl::get_native<cuda>(queue.get_device()))));
  }
}

TEST("native objects go into the driver's functions") {
  if (!is_cuda()) return;
  sycl::queue queue = e2e::make_queue({sycl::property::queue::in_order{}});
  unsigned* data = sycl::malloc_device<unsigned>(count, queue);
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] = 5; });
  CUstream_st* const stream = sycl::get_native<cuda>(queue);
  CHECK_EQUAL(fill(reinterpret_cast<unsigned long long>(data), 6, count / 2, stream), 0);
  const sycl::event done = queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += 10; });
  static const auto wait = driver_function<CUevent_st*>("cuEventSynchronize");
  CHECK_EQUAL(wait(sycl::get_native<cuda>(done)), 0);
  std::vector<unsigned> values(count), expected(count, 15);
  std::fill_n(expected.begin(), count / 2, 16u);
  queue.copy(data, values.data(), count).wait();
  CHECK_ALL_EQUAL(values, expected);
  sycl::free(data, queue);
}

TEST("the driver's objects become SYCL's") {
  if (!is_cuda()) return;
  const sycl::device gpu = e2e::make_queue().get_device();
  CHECK(sycl::make_device<cuda>(sycl::get_native<cuda>(gpu)) == gpu);
  const sycl::context context(gpu);
  CUctx_st* const native = sycl::get_native<cuda>(context);
  CHECK(sycl::make_context<cuda>(native).get_devices() == std::vector<sycl::device>{gpu});
  static const auto set_current = driver_function<CUctx_st*>("cuCtxSetCurrent");
  CHECK_EQUAL(set_current(native), 0);
  CUstream_st* stream = nullptr;
  static const auto make_stream = driver_function<CUstream_st**, unsigned>("cuStreamCreate");
  CHECK_EQUAL(make_stream(&stream, 1), 0);
  CUevent_st* event = nullptr;
  static const auto make_event = driver_function<CUevent_st**, unsigned>("cuEventCreate");
  CHECK_EQUAL(make_event(&event, 0), 0);
  {
    sycl::queue queue = sycl::make_queue<cuda>(stream, context);
    CHECK(sycl::get_native<cuda>(queue) == stream);
    unsigned* data = sycl::malloc_device<unsigned>(count, queue);
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] = 1; }).wait();
    CHECK_EQUAL(fill(reinterpret_cast<unsigned long long>(data), 2, count, stream), 0);
    static const auto record = driver_function<CUevent_st*, CUstream_st*>("cuEventRecord");
    CHECK_EQUAL(record(event, stream), 0);
    const sycl::event filled = sycl::make_event<cuda>(event, context);
    std::vector<unsigned> values(count);
    e2e::make_queue().copy(data, values.data(), count, filled).wait();
    CHECK_ALL_EQUAL(values, std::vector<unsigned>(count, 2));
    sycl::free(data, queue);
  }
  static const auto destroy = driver_function<CUstream_st*>("cuStreamDestroy_v2");
  CHECK_EQUAL(destroy(stream), 0);
}

E2E_MAIN
