/// Programs get OpenCL's objects from SYCL's objects, use OpenCL's objects, and make SYCL's objects from OpenCL's
/// objects. On other devices, these calls throw an error.
#include <cstdlib>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/experimental/kernel_compiler.hpp>

#include "check.hpp"
#include "cl_calls.hpp"
#include "source_kernels.hpp"
#include "sycl/backend.hpp"

namespace {

constexpr sycl::backend opencl = sycl::backend::opencl;
constexpr std::size_t count = 1000;

using e2e::ask;
using e2e::call;
using e2e::loader_function;

bool is_opencl() {
  const bool is = e2e::make_queue().get_backend() == opencl;
  if (!is) std::printf("skipped: the device is not OpenCL's\n");
  return is;
}

template <class Ask>
bool is_refused(sycl::errc wanted, const Ask& ask) {
  try {
    ask();
  } catch (const sycl::exception& error) {
    return error.code() == wanted;
  }
  return false;
}

sycl::kernel_bundle<sycl::bundle_state::executable> built(const sycl::queue& queue) {
  namespace from = sycl::ext::oneapi::experimental;
  return from::build(from::create_kernel_bundle_from_source(queue.get_context(), from::source_language::opencl,
                                                            std::string(e2e::opencl_c)));
}

/// Checks a kernel that computes out = 2 * in + out for 1000 numbers.
void check_axpy(sycl::queue& queue, const sycl::kernel& kernel) {
  float* memory = sycl::malloc_shared<float>(2 * count, queue);
  for (std::size_t i = 0; i < 2 * count; ++i) memory[i] = static_cast<float>(i % count);
  queue
      .submit([&](sycl::handler& handler) {
        handler.set_args(2.0f, memory, memory + count);
        handler.parallel_for(sycl::range(count), kernel);
      })
      .wait_and_throw();
  for (std::size_t i = 0; i < count; ++i) CHECK(memory[count + i] == 3 * static_cast<float>(i));
  sycl::free(memory, queue);
}

/// Whether tests/devices/opencl_layer.cpp refuses all writes to a cl_mem.
bool writes_fail() {
  const char* const writes = std::getenv("TEST_CL_WRITES");
  return writes && std::string(writes) == "none";
}

_cl_mem* make_memory(_cl_context* context, std::vector<int>& values) {
  constexpr unsigned long read_write = 1, copies = 1 << 5;
  int result = 0;
  _cl_mem* const made = loader_function<_cl_mem*, _cl_context*, unsigned long, std::size_t, void*, int*>(
      "clCreateBuffer")(context, read_write | copies, values.size() * sizeof(int), values.data(), &result);
  CHECK(made != nullptr && result == 0);
  return made;
}

_cl_context* make_native_context(_cl_device_id* device) {
  int result = 0;
  _cl_context* const made =
      loader_function<_cl_context*, const void*, unsigned, _cl_device_id* const*, void*, void*, int*>(
          "clCreateContext")(nullptr, 1, &device, nullptr, nullptr, &result);
  CHECK(made != nullptr && result == 0);
  return made;
}

}  // namespace

TEST("objects of another backend are refused") {
  if (e2e::make_queue().get_backend() == opencl) return;
  using sycl::errc;
  sycl::queue queue = e2e::make_queue();
  CHECK(is_refused(errc::backend_mismatch, [&] { sycl::get_native<opencl>(queue); }));
  CHECK(is_refused(errc::backend_mismatch, [&] { sycl::get_native<opencl>(queue.get_device()); }));
  CHECK(is_refused(errc::backend_mismatch, [&] { sycl::get_native<opencl>(queue.get_device().get_platform()); }));
  CHECK(is_refused(errc::backend_mismatch, [&] { sycl::get_native<opencl>(queue.get_context()); }));
  CHECK(is_refused(errc::backend_mismatch, [&] { sycl::get_native<opencl>(queue.ext_oneapi_submit_barrier()); }));
}

TEST("platform, device and context go there and back") {
  if (!is_opencl()) return;
  sycl::queue queue = e2e::make_queue();
  const sycl::device device = queue.get_device();
  CHECK(sycl::make_platform<opencl>(sycl::get_native<opencl>(device.get_platform())) == device.get_platform());
  _cl_device_id* const id = sycl::get_native<opencl>(device);
  CHECK(sycl::make_device<opencl>(id) == device);
  char name[256] = {};
  CHECK(ask("clGetDeviceInfo", id, 0x102B, name, sizeof(name)));
  CHECK(device.get_info<sycl::info::device::name>() == name);
  _cl_context* const native = sycl::get_native<opencl>(queue.get_context());
  const sycl::context context = sycl::make_context<opencl>(native);
  CHECK(context.get_platform() == device.get_platform());
  sycl::queue other(context, device);
  CHECK(sycl::get_native<opencl>(other.get_context()) == native);
  for (int i = 0; i < 2; ++i) CHECK(call("clReleaseContext", native) == 0);
  CHECK(is_refused(sycl::errc::invalid, [&] { sycl::make_device<opencl>(nullptr); }));
  CHECK(is_refused(sycl::errc::invalid, [&] { sycl::make_context<opencl>(nullptr); }));
}

TEST("contexts that the program made itself have queues, memory, kernels and graphs of their own") {
  if (!is_opencl() || writes_fail()) return;
  sycl::queue usual = e2e::make_queue();
  const sycl::device device = usual.get_device();
  _cl_device_id* const id = sycl::get_native<opencl>(device);
  _cl_context* const native = make_native_context(id);
  const sycl::context context = sycl::make_context<opencl>(native);
  CHECK(call("clReleaseContext", native) == 0);  // SYCL's context still holds a reference
  _cl_context* const got = sycl::get_native<opencl>(context);
  CHECK(got == native && got != sycl::get_native<opencl>(usual.get_context()));
  CHECK(context.get_devices() == std::vector{device} && context.get_platform() == device.get_platform());
  CHECK(std::hash<sycl::device>()(context.get_devices().front()) == std::hash<sycl::device>()(device));

  sycl::queue queue(context, device);
  CHECK(queue.get_device() == device && queue.get_context() == context);
  _cl_command_queue* const stream = sycl::get_native<opencl>(queue);
  _cl_context* of = nullptr;
  CHECK(ask("clGetCommandQueueInfo", stream, 0x1090, &of, sizeof(of)) && of == native);
  check_axpy(queue, built(queue).ext_oneapi_get_kernel("axpy"));

  // Contents of buffers are copied to the device and back.
  std::vector<int> values(count, 1);
  {
    sycl::buffer buffer(values);
    for (sycl::queue* each : {&usual, &queue, &usual, &queue}) {
      each->submit([&](sycl::handler& handler) {
        sycl::accessor memory(buffer, handler);
        handler.parallel_for(sycl::range(count), [=](sycl::id<1> i) { memory[i] = 2 * memory[i] + int(i[0]); });
      });
    }
  }
  for (std::size_t i = 0; i < count; ++i) CHECK(values[i] == 16 + 15 * static_cast<int>(i));

  int* const memory = sycl::malloc_shared<int>(count, device, context);
  CHECK(sycl::get_pointer_type(memory, context) == sycl::usm::alloc::shared);
  CHECK(sycl::get_pointer_device(memory, context) == device);
  namespace graphs = sycl::ext::oneapi::experimental;
  graphs::command_graph recorded(context, device);
  recorded.add([&](sycl::handler& handler) {
    handler.parallel_for(sycl::range(count), [=](sycl::id<1> i) { memory[i] += int(i[0]); });
  });
  queue.fill(memory, 5, count).wait();
  queue.ext_oneapi_graph(recorded.finalize()).wait();
  CHECK(memory[count - 1] == 5 + static_cast<int>(count - 1));

  int result = 0;
  _cl_command_queue* const in_order =
      loader_function<_cl_command_queue*, _cl_context*, _cl_device_id*, const std::uint64_t*, int*>(
          "clCreateCommandQueueWithProperties")(native, id, nullptr, &result);
  CHECK(result == 0);
  sycl::queue given = sycl::make_queue<opencl>(in_order, context);
  CHECK(call("clReleaseCommandQueue", in_order) == 0);
  given.parallel_for(sycl::range(count), [=](sycl::id<1> i) { memory[i] = 7; }).wait();
  CHECK(memory[0] == 7 && memory[count - 1] == 7);
  using sycl::errc;
  CHECK(is_refused(errc::invalid, [&] { sycl::make_queue<opencl>(in_order, usual.get_context(), device); }));
  sycl::free(memory, context);

  // A second SYCL context from the same native context refers to the same object.
  const sycl::context again = sycl::make_context<opencl>(native);
  sycl::queue(again, device).single_task([] {}).wait();
  for (int i = 0; i < 2; ++i) CHECK(call("clReleaseContext", sycl::get_native<opencl>(again)) == 0);
  CHECK(call("clReleaseContext", got) == 0 && call("clReleaseCommandQueue", stream) == 0);
}

TEST("buffers, events and programs of a context of the program's") {
  if (!is_opencl() || writes_fail()) return;
  const sycl::device device = e2e::make_queue().get_device();
  _cl_device_id* const id = sycl::get_native<opencl>(device);
  _cl_context* const native = make_native_context(id);
  const sycl::context context = sycl::make_context<opencl>(native);
  sycl::queue queue(context, device);
  std::vector<int> values(count, 4);
  _cl_mem* const memory = make_memory(native, values);
  {
    auto buffer = sycl::make_buffer<opencl, int>(memory, context);
    const sycl::host_accessor seen(buffer, sycl::read_only);
    CHECK(seen[count - 1] == 4);
  }
  using sycl::errc;
  CHECK(is_refused(errc::invalid, [&] {
    sycl::make_buffer<opencl, int>(memory, e2e::make_queue().get_context());
  }));
  CHECK(call("clReleaseMemObject", memory) == 0);

  int result = 0;
  _cl_event* const user = loader_function<_cl_event*, _cl_context*, int*>("clCreateUserEvent")(native, &result);
  CHECK(result == 0);
  sycl::event event = sycl::make_event<opencl>({user}, context);
  CHECK(event.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete);
  CHECK(sycl::get_native<opencl>(event) == std::vector{user} && call("clReleaseEvent", user) == 0);
  CHECK(call("clSetUserEventStatus", user, 0) == 0);
  event.wait_and_throw();
  CHECK(sycl::get_native<opencl>(event) == std::vector{user} && call("clReleaseEvent", user) == 0);
  CHECK(call("clReleaseEvent", user) == 0);
  // An event that never completes must not keep the program from ending.
  sycl::make_event<opencl>({loader_function<_cl_event*, _cl_context*, int*>("clCreateUserEvent")(native, &result)},
                           context);

  const char* const text = e2e::opencl_c;
  _cl_program* const program =
      loader_function<_cl_program*, _cl_context*, unsigned, const char* const*, const std::size_t*, int*>(
          "clCreateProgramWithSource")(native, 1, &text, nullptr, &result);
  CHECK(result == 0);
  CHECK(is_refused(errc::invalid, [&] {
    sycl::make_kernel_bundle<opencl, sycl::bundle_state::executable>(program, context);  // not built yet
  }));
  CHECK((call<_cl_program*, unsigned, _cl_device_id* const*, const char*, void*, void*>(
            "clBuildProgram", program, 1, &id, "", nullptr, nullptr)) == 0);
  const auto bundle = sycl::make_kernel_bundle<opencl, sycl::bundle_state::executable>(program, context);
  check_axpy(queue, bundle.ext_oneapi_get_kernel("axpy"));
  CHECK(is_refused(errc::invalid, [&] {
    sycl::queue other = e2e::make_queue();
    check_axpy(other, bundle.ext_oneapi_get_kernel("axpy"));
  }));
  CHECK(call("clReleaseProgram", program) == 0 && call("clReleaseContext", native) == 0);
}

TEST("extensions of the driver, by their whole names") {
  const sycl::device device = e2e::make_queue().get_device();
  if (!is_opencl()) {
    CHECK(is_refused(sycl::errc::backend_mismatch, [&] { sycl::opencl::has_extension(device, "cl_khr_fp64"); }));
    return;
  }
  CHECK(sycl::opencl::has_extension(device, "cl_khr_spirv_no_integer_wrap_decoration") ||
        sycl::opencl::has_extension(device, "cl_khr_byte_addressable_store"));
  CHECK(!sycl::opencl::has_extension(device, "cl_khr") && !sycl::opencl::has_extension(device, "no_such_extension"));
  CHECK(!sycl::opencl::has_extension(device.get_platform(), "no_such_extension"));
}

TEST("queues and events go there and back") {
  if (!is_opencl()) return;
  sycl::queue queue = e2e::make_queue(sycl::property::queue::in_order());
  _cl_command_queue* const native = sycl::get_native<opencl>(queue);
  sycl::queue same = sycl::make_queue<opencl>(native, queue.get_context(), queue.get_device());
  CHECK(call("clReleaseCommandQueue", native) == 0);
  check_axpy(same, built(same).ext_oneapi_get_kernel("axpy"));

  int* memory = sycl::malloc_shared<int>(count, queue);
  const sycl::event done = queue.fill(memory, 42, count);
  const std::vector<_cl_event*> events = sycl::get_native<opencl>(done);
  CHECK(events.size() == 1 && call("clWaitForEvents", static_cast<unsigned>(events.size()),
                                   static_cast<_cl_event* const*>(events.data())) == 0);
  CHECK(memory[count - 1] == 42);
  sycl::event again = sycl::make_event<opencl>(events, queue.get_context());
  for (_cl_event* each : events) CHECK(call("clReleaseEvent", each) == 0);
  again.wait_and_throw();
  queue
      .submit([&](sycl::handler& handler) {
        handler.depends_on(again);
        handler.parallel_for(sycl::range(count), [=](sycl::id<1> i) { memory[i] += 1; });
      })
      .wait_and_throw();
  CHECK(memory[0] == 43);
  sycl::free(memory, queue);
}

TEST("queues that are not in order") {
  if (!is_opencl()) return;
  sycl::queue usual = e2e::make_queue();
  _cl_context* const context = sycl::get_native<opencl>(usual.get_context());
  constexpr std::uint64_t properties[] = {0x1093, 1, 0};  // CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
  int result = 0;
  _cl_command_queue* const native =
      loader_function<_cl_command_queue*, _cl_context*, _cl_device_id*, const std::uint64_t*, int*>(
          "clCreateCommandQueueWithProperties")(context, sycl::get_native<opencl>(usual.get_device()), properties,
                                                &result);
  if (result != 0) return;  // the device does not support such queues
  sycl::queue queue = sycl::make_queue<opencl>(native, usual.get_context(), usual.get_device());
  CHECK(!queue.is_in_order());
  _cl_command_queue* const got = sycl::get_native<opencl>(queue);
  CHECK(got == native);
  int* memory = sycl::malloc_shared<int>(count, queue);
  for (int round = 0; round < 20; ++round) {
    const sycl::event filled = queue.fill(memory, round, count);
    queue.parallel_for(sycl::range(count), filled, [=](sycl::id<1> i) { memory[i] = 2 * memory[i] + int(i[0]); });
    // wait() on the native queue waits for SYCL's commands, too.
    CHECK(call("clFinish", native) == 0);
    CHECK(memory[count - 1] == 2 * round + static_cast<int>(count - 1));
  }
  sycl::free(memory, queue);
  for (int i = 0; i < 2; ++i) CHECK(call("clReleaseCommandQueue", native) == 0);
  queue.single_task([] {}).wait();
  CHECK(call("clReleaseContext", context) == 0);
}

class doubles_with_constant;
inline constexpr sycl::specialization_id<int> factor{2};

TEST("kernels of the program itself are the driver's, too") {
  if (!is_opencl()) return;
  sycl::queue queue = e2e::make_queue();
  const auto run = [&](int expected, const auto& bundle) {
    int* memory = sycl::malloc_shared<int>(count, queue);
    queue
        .submit([&](sycl::handler& handler) {
          handler.use_kernel_bundle(bundle);
          handler.parallel_for<doubles_with_constant>(
              sycl::range(count), [=](sycl::id<1> i, sycl::kernel_handler values) {
                memory[i] = values.get_specialization_constant<factor>() * int(i[0]);
              });
        })
        .wait();
    CHECK(memory[count - 1] == expected * static_cast<int>(count - 1));
    sycl::free(memory, queue);
  };
  const sycl::kernel_id id = sycl::get_kernel_id<doubles_with_constant>();
  for (const int value : {2, 5}) {
    auto input = sycl::get_kernel_bundle<sycl::bundle_state::input>(queue.get_context(), {queue.get_device()}, {id});
    if (value != 2) input.set_specialization_constant<factor>(value);
    const auto bundle = sycl::build(input);
    const std::vector<_cl_program*> programs = sycl::get_native<opencl>(bundle);
    CHECK(programs.size() == 1);
    _cl_kernel* const native = sycl::get_native<opencl>(bundle.get_kernel(id));
    _cl_program* of = nullptr;
    CHECK(ask("clGetKernelInfo", native, 0x1194, &of, sizeof(of)) && of == programs[0]);
    _cl_context* in = nullptr;
    _cl_context* const context = sycl::get_native<opencl>(queue.get_context());
    CHECK(ask("clGetKernelInfo", native, 0x1193, &in, sizeof(in)) && in == context);
    run(value, bundle);
    CHECK(call("clReleaseKernel", native) == 0 && call("clReleaseProgram", programs[0]) == 0);
    CHECK(call("clReleaseContext", context) == 0);
    run(value, bundle);
  }
}

TEST("kernels and bundles go there and back") {
  if (!is_opencl()) return;
  sycl::queue queue = e2e::make_queue();
  const auto bundle = built(queue);
  const std::vector<_cl_program*> programs = sycl::get_native<opencl>(bundle);
  CHECK(programs.size() == 1);
  const auto again =
      sycl::make_kernel_bundle<opencl, sycl::bundle_state::executable>(programs.front(), queue.get_context());
  CHECK(again.ext_oneapi_has_kernel("axpy") && again.ext_oneapi_has_kernel("sums"));
  check_axpy(queue, again.ext_oneapi_get_kernel("axpy"));
  CHECK(call("clReleaseProgram", programs.front()) == 0);
  _cl_kernel* const native = sycl::get_native<opencl>(bundle.ext_oneapi_get_kernel("axpy"));
  const sycl::kernel kernel = sycl::make_kernel<opencl>(native, queue.get_context());
  CHECK(call("clReleaseKernel", native) == 0);
  CHECK(sycl::get_native<opencl>(kernel) == native);
  CHECK(call("clReleaseKernel", native) == 0);
  CHECK(kernel.get_info<sycl::info::kernel::num_args>() == 3);
  check_axpy(queue, kernel);
}

TEST("host tasks reach the queue and the memory of buffers") {
  if (!is_opencl()) return;
  sycl::queue queue = e2e::make_queue();
  std::vector<int> values(count, 1);
  {
    sycl::buffer buffer(values);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor memory(buffer, handler);
      handler.parallel_for(sycl::range(count), [=](sycl::id<1> i) { memory[i] += 1; });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor memory(buffer, handler);
      handler.host_task([=](const sycl::interop_handle& native) {
        CHECK(native.get_backend() == opencl);
        _cl_command_queue* const stream = native.get_native_queue<opencl>();
        _cl_context* of = nullptr;
        _cl_device_id* on = nullptr;
        CHECK(ask("clGetCommandQueueInfo", stream, 0x1090, &of, sizeof(of)));
        CHECK(ask("clGetCommandQueueInfo", stream, 0x1091, &on, sizeof(on)));
        CHECK(of == native.get_native_context<opencl>() && on == native.get_native_device<opencl>());
        int first = 0;
        CHECK((call<_cl_command_queue*, _cl_mem*, unsigned, std::size_t, std::size_t, void*, unsigned, void*, void*>(
                  "clEnqueueReadBuffer", stream, native.get_native_mem<opencl>(memory)[0], 1, 0, sizeof(first), &first,
                  0, nullptr, nullptr)) == 0);
        CHECK(first == 2);
      });
    });
  }
  CHECK(values[count - 1] == 2);
}

TEST("a cl_mem that can't be written to is an error that the context's handler hears") {
  if (!is_opencl() || !writes_fail()) return;
  std::vector<std::string> errors;
  const sycl::context context(e2e::make_queue().get_device(), [&](sycl::exception_list list) {
    for (const std::exception_ptr& each : list) {
      try {
        std::rethrow_exception(each);
      } catch (const std::exception& error) {
        errors.push_back(error.what());
      }
    }
  });
  sycl::queue queue(context, context.get_devices().front());
  _cl_context* const native_context = sycl::get_native<opencl>(context);
  std::vector<int> values(count);
  _cl_mem* const native = make_memory(native_context, values);
  {
    auto buffer = sycl::make_buffer<opencl, int>(native, context);
    queue.submit([&](sycl::handler& handler) { handler.fill(sycl::accessor(buffer, handler), 1); });
  }
  CHECK(errors.size() == 1 && errors[0].find("of a cl_mem failed: CL_OUT_OF_RESOURCES") != std::string::npos);
  CHECK(call("clReleaseMemObject", native) == 0 && call("clReleaseContext", native_context) == 0);
}

TEST("buffers are made of a cl_mem, which gets their contents at the end") {
  if (!is_opencl() || writes_fail()) return;
  sycl::queue queue = e2e::make_queue();
  _cl_context* const context = sycl::get_native<opencl>(queue.get_context());
  std::vector<int> values(count), read(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>(3 * i);
  _cl_mem* const native = make_memory(context, values);
  _cl_command_queue* const stream = sycl::get_native<opencl>(queue);
  using sycl::errc;
  {
    auto buffer = sycl::make_buffer<opencl, int>(native, queue.get_context(), queue.ext_oneapi_submit_barrier());
    CHECK(buffer.size() == count);
    // The program may release the object now, because the buffer holds a reference until it is destroyed.
    CHECK(call("clRetainMemObject", native) == 0);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor memory(buffer, handler);
      handler.parallel_for(sycl::range(count), [=](sycl::id<1> i) { memory[i] += 1; });
    });
    CHECK(call("clReleaseMemObject", native) == 0);
    struct triple {
      int values[3];
    };
    CHECK(is_refused(errc::invalid, [&] { sycl::make_buffer<opencl, triple>(native, queue.get_context()); }));
  }
  CHECK((call<_cl_command_queue*, _cl_mem*, unsigned, std::size_t, std::size_t, void*, unsigned, void*, void*>(
            "clEnqueueReadBuffer", stream, native, 1, 0, count * sizeof(int), read.data(), 0, nullptr, nullptr)) == 0);
  for (std::size_t i = 0; i < count; ++i) CHECK(read[i] == values[i] + 1);
  // Kernels only read this buffer, so nothing is written back to its memory.
  {
    auto buffer = sycl::make_buffer<opencl, int>(native, queue.get_context());
    const sycl::host_accessor seen(buffer, sycl::read_only);
    CHECK(seen[count - 1] == values[count - 1] + 1);
  }
  CHECK(is_refused(errc::invalid,
                   [&] { sycl::make_buffer<opencl, int>(static_cast<_cl_mem*>(nullptr), queue.get_context()); }));
  CHECK(call("clReleaseMemObject", native) == 0);
  CHECK(call("clReleaseCommandQueue", stream) == 0 && call("clReleaseContext", context) == 0);
}

TEST("what there is none of says so") {
  if (!is_opencl()) return;
  sycl::queue queue = e2e::make_queue();
  using sycl::errc;
  CHECK(is_refused(errc::backend_mismatch, [&] { sycl::get_native<sycl::backend::ext_oneapi_cuda>(queue); }));
}

E2E_MAIN
