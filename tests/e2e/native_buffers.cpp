/// A buffer's memory as OpenCL's cl_mem, for all kinds of memory that drivers have. SYCL and OpenCL see each other's
/// writes.
#include <cstdlib>
#include <string>

#include "check.hpp"
#include "cl_calls.hpp"
#include "sycl/backend.hpp"

namespace {

using e2e::ask;
using e2e::call;
constexpr sycl::backend opencl = sycl::backend::opencl;
constexpr unsigned memory_bytes = 0x1102, memory_context = 0x1106;  // CL_MEM_SIZE, CL_MEM_CONTEXT

bool is_opencl() {
  const bool is = e2e::make_queue().get_backend() == opencl;
  if (!is) std::printf("skipped: the device is not OpenCL's\n");
  return is;
}

/// Whether tests/devices/opencl_layer.cpp makes the device report that its memory is separate from the host's.
bool is_apart() {
  const char* const apart = std::getenv("TEST_CL_APART");
  return apart && *apart;
}

void fill(_cl_command_queue* queue, _cl_mem* memory, int value, std::size_t first, std::size_t count) {
  CHECK((call<_cl_command_queue*, _cl_mem*, const void*, std::size_t, std::size_t, std::size_t, unsigned, void*, void*>(
            "clEnqueueFillBuffer", queue, memory, &value, sizeof(value), first * sizeof(int), count * sizeof(int), 0,
            nullptr, nullptr)) == 0);
}

std::vector<int> read(_cl_command_queue* queue, _cl_mem* memory, std::size_t count) {
  std::vector<int> result(count);
  CHECK((call<_cl_command_queue*, _cl_mem*, unsigned, std::size_t, std::size_t, void*, unsigned, void*, void*>(
            "clEnqueueReadBuffer", queue, memory, 1, 0, count * sizeof(int), result.data(), 0, nullptr, nullptr)) == 0);
  return result;
}

void add(sycl::queue& queue, sycl::buffer<int>& buffer, int amount) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor memory(buffer, handler);
    handler.parallel_for(buffer.get_range(), [=](sycl::id<1> i) { memory[i] += amount; });
  });
}

template <class Ask>
sycl::errc error_of(const Ask& ask) {
  try {
    ask();
  } catch (const sycl::exception& error) {
    return static_cast<sycl::errc>(error.code().value());
  }
  return sycl::errc::success;
}

}  // namespace

TEST("host tasks and kernels share memory through the cl_mem of an accessor") {
  if (!is_opencl() || is_apart()) return;
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t count : {1, 3, 1000, 4097, 100003}) {
    std::vector<int> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i);
    const std::size_t first = count / 3, filled = count / 2;
    {
      sycl::buffer<int> buffer(values);
      add(queue, buffer, 10);
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor memory(buffer, handler);
        handler.host_task([=](const sycl::interop_handle& natives) {
          const std::vector<_cl_mem*> all = natives.get_native_mem<opencl>(memory);
          CHECK(all.size() == 1 && all == natives.get_native_mem<opencl>(memory));
          std::size_t bytes = 0;
          _cl_context* of = nullptr;
          CHECK(ask("clGetMemObjectInfo", all[0], memory_bytes, &bytes, sizeof(bytes)) && bytes == count * sizeof(int));
          CHECK(ask("clGetMemObjectInfo", all[0], memory_context, &of, sizeof(of)));
          CHECK(of == natives.get_native_context<opencl>());
          _cl_command_queue* const stream = natives.get_native_queue<opencl>();
          CHECK(read(stream, all[0], count)[count - 1] == static_cast<int>(count) + 9);
          if (filled != 0) fill(stream, all[0], -5, first, filled);
          CHECK(call("clFinish", stream) == 0);
        });
      });
      add(queue, buffer, 100);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_filled = i >= first && i < first + filled;
      CHECK(values[i] == (is_filled ? 95 : static_cast<int>(i) + 110));
    }
  }
}

TEST("get_native of a buffer is its memory where it has some") {
  if (!is_opencl() || is_apart()) return;
  sycl::queue queue = e2e::make_queue(sycl::property::queue::in_order());
  constexpr std::size_t count = 777;
  std::vector<int> values(count, 1);
  sycl::buffer<int> buffer(values);
  CHECK(sycl::get_native<opencl>(buffer).empty());
  add(queue, buffer, 2);
  queue.wait();
  const std::vector<_cl_mem*> all = sycl::get_native<opencl>(buffer);
  CHECK(all.size() == 1);
  _cl_command_queue* const stream = sycl::get_native<opencl>(queue);
  CHECK(read(stream, all[0], count) == std::vector<int>(count, 3));
  fill(stream, all[0], 40, 0, count);
  CHECK(call("clFinish", stream) == 0);
  add(queue, buffer, 2);
  const sycl::host_accessor seen(buffer, sycl::read_only);
  for (std::size_t i = 0; i < count; ++i) CHECK(seen[i] == 42);
  CHECK(call("clReleaseMemObject", all[0]) == 0 && call("clReleaseCommandQueue", stream) == 0);
}

TEST("accessors of a part give all of the buffer, those of nothing none") {
  if (!is_opencl() || is_apart()) return;
  sycl::queue queue = e2e::make_queue();
  sycl::buffer<int> buffer(100), empty(0);
  add(queue, buffer, 0);
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor part(buffer, handler, sycl::range(10), sycl::id(50), sycl::read_only);
    sycl::accessor nothing(empty, handler, sycl::read_only);
    handler.host_task([=](const sycl::interop_handle& natives) {
      std::size_t bytes = 0;
      const auto all = natives.get_native_mem<opencl>(part);
      CHECK(ask("clGetMemObjectInfo", all[0], memory_bytes, &bytes, sizeof(bytes)) && bytes == 400);
      CHECK(natives.get_native_mem<opencl>(nothing).empty());
    });
  });
  queue.wait_and_throw();
  CHECK(sycl::get_native<opencl>(empty).empty());
}

TEST("buffers come and go, and their cl_mem with them") {
  if (!is_opencl() || is_apart()) return;
  sycl::queue queue = e2e::make_queue();
  for (int round = 0; round < 200; ++round) {
    sycl::buffer<int> buffer(1 + static_cast<std::size_t>(round) * 37 % 500);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor memory(buffer, handler, sycl::write_only, sycl::no_init);
      handler.host_task([=](const sycl::interop_handle& natives) {
        fill(natives.get_native_queue<opencl>(), natives.get_native_mem<opencl>(memory)[0], round, 0, memory.size());
        CHECK(call("clFinish", natives.get_native_queue<opencl>()) == 0);
      });
    });
    add(queue, buffer, 1);
    const sycl::host_accessor seen(buffer, sycl::read_only);
    CHECK(seen[0] == round + 1 && seen[buffer.size() - 1] == round + 1);
  }
}

TEST("who can't have one is told") {
  sycl::queue queue = e2e::make_queue();
  sycl::buffer<int> buffer(10);
  add(queue, buffer, 0);
  const bool is_mismatch = queue.get_backend() != opencl;
  if (!is_mismatch && !is_apart()) return;
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor memory(buffer, handler);
    handler.host_task([=](const sycl::interop_handle& natives) {
      const sycl::errc error = error_of([&] { natives.get_native_mem<opencl>(memory); });
      CHECK(error == (is_mismatch ? sycl::errc::backend_mismatch : sycl::errc::feature_not_supported));
    });
  });
  queue.wait_and_throw();
  if (is_mismatch) CHECK(sycl::get_native<opencl>(buffer).empty());
  else CHECK(error_of([&] { sycl::get_native<opencl>(buffer); }) == sycl::errc::feature_not_supported);
}

E2E_MAIN
