/// Kernels from OpenCL C and SPIR-V that the program has at run time (sycl_ext_oneapi_kernel_compiler). OpenCL
/// drivers accept both languages. Other devices accept SPIR-V if the translator is installed.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/experimental/kernel_compiler.hpp>
#include <sycl/ext/sinter/spec_ids.hpp>

#include "fusion.hpp"
#include "source_kernels.hpp"

namespace from = sycl::ext::oneapi::experimental;
using from::source_language;
using executable = sycl::kernel_bundle<sycl::bundle_state::executable>;

namespace {

template <std::size_t Count>
std::vector<std::byte> bytes_of(const std::uint32_t (&words)[Count]) {
  const auto* first = reinterpret_cast<const std::byte*>(words);
  return {first, first + sizeof(words)};
}

bool takes(const sycl::queue& queue, source_language language) {
  const bool can = queue.get_device().ext_oneapi_can_build(language);
  if (!can) std::printf("skipped: the device takes no such source\n");
  return can;
}

/// Whether the device's driver compiles modules itself, in this process.
bool driver_reads_modules(const sycl::queue& queue) {
  const sycl::backend its = queue.get_backend();
  return its == sycl::backend::opencl || its == sycl::backend::ext_oneapi_level_zero;
}

/// The kernels of source_kernels.hpp, once for each language that the device accepts.
std::vector<executable> bundles(const sycl::queue& queue) {
  std::vector<executable> result;
  const sycl::context context = queue.get_context();
  if (takes(queue, source_language::opencl)) {
    result.push_back(from::build(
        from::create_kernel_bundle_from_source(context, source_language::opencl, std::string(e2e::opencl_c))));
  }
  if (takes(queue, source_language::spirv)) {
    result.push_back(from::build(
        from::create_kernel_bundle_from_source(context, source_language::spirv, bytes_of(e2e::spirv_kernels))));
  }
  return result;
}

/// Checks that `call` throws an exception with this error code, and returns its message.
template <class Call>
std::string refusal(sycl::errc wanted, const Call& call) {
  try {
    call();
  } catch (const sycl::exception& error) {
    if (error.code() != wanted) e2e::fail(__FILE__, __LINE__, std::string("another code: ") + error.what());
    return error.what();
  }
  e2e::fail(__FILE__, __LINE__, "no exception");
  return {};
}

bool has(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST("a value, USM pointers and accessors are arguments of kernels from source") {
  sycl::queue queue = e2e::make_queue();
  for (const executable& bundle : bundles(queue)) {
    CHECK(bundle.ext_oneapi_has_kernel("axpy") && !bundle.ext_oneapi_has_kernel("axp"));
    CHECK(bundle.ext_oneapi_has_kernel("axpy", queue.get_device()));
    const sycl::kernel kernel = bundle.ext_oneapi_get_kernel("axpy");
    CHECK(kernel.get_info<sycl::info::kernel::num_args>() == 3);
    for (const std::size_t count : {1u, 7u, 64u, 1000u, 4099u}) {
      const auto in = e2e::random_values<float>(count), start = e2e::random_values<float>(count);
      std::vector<float> wanted(count), result = start;
      for (std::size_t i = 0; i < count; ++i) wanted[i] = std::fma(2.5f, in[i], start[i]);
      const auto check = [&](const float* got) {
        for (std::size_t i = 0; i < count; ++i) CHECK(std::fabs(got[i] - wanted[i]) <= 1e-4f);
      };
      {
        sycl::buffer in_buffer(in);
        sycl::buffer out_buffer(result);
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor a(in_buffer, handler, sycl::read_only);
          sycl::accessor b(out_buffer, handler, sycl::read_write);
          handler.set_args(2.5f, a, b);
          handler.parallel_for(sycl::range(count), kernel);
        });
      }
      check(result.data());
      float* memory = sycl::malloc_device<float>(2 * count, queue);
      queue.copy(in.data(), memory, count).wait();
      queue.copy(start.data(), memory + count, count).wait();
      queue
          .submit([&](sycl::handler& handler) {
            handler.set_arg(2, memory + count);
            handler.set_arg(1, memory);
            handler.set_arg(0, 2.5f);
            handler.parallel_for(sycl::nd_range<1>(count, 1), kernel);
          })
          .wait();
      queue.copy(memory + count, result.data(), count).wait();
      check(result.data());
      sycl::free(memory, queue);
    }
  }
}

TEST("structures are passed by value") {
  struct terms {
    float factor;
    int offset;
  };
  sycl::queue queue = e2e::make_queue();
  for (const executable& bundle : bundles(queue)) {
    float* memory = sycl::malloc_shared<float>(200, queue);
    for (int i = 0; i < 100; ++i) memory[i] = static_cast<float>(i);
    queue
        .submit([&](sycl::handler& handler) {
          handler.set_args(terms{0.5f, 3}, memory, memory + 100);
          handler.parallel_for(sycl::range(100), bundle.ext_oneapi_get_kernel("affine"));
        })
        .wait_and_throw();
    for (int i = 0; i < 100; ++i) CHECK(memory[100 + i] == static_cast<float>(i) * 0.5f + 3);
    sycl::free(memory, queue);
  }
}

TEST("groups share local memory, given and the kernel's own, and meet at barriers") {
  sycl::queue queue = e2e::make_queue();
  for (const executable& bundle : bundles(queue)) {
    for (const std::size_t group : {1u, 8u, 64u}) {
      const std::size_t groups = 37, count = groups * group;
      auto in = e2e::random_values<int>(count, -1000, 1000);
      std::vector<int> out(groups), wanted(groups);
      for (std::size_t g = 0; g < groups; ++g) {
        const auto first = in.begin() + static_cast<std::ptrdiff_t>(g * group);
        wanted[g] =
            std::accumulate(first, first + static_cast<std::ptrdiff_t>(group), 0) * 1000 + static_cast<int>(group);
      }
      {
        sycl::buffer in_buffer(in);
        sycl::buffer out_buffer(out);
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor a(in_buffer, handler, sycl::read_only);
          sycl::accessor b(out_buffer, handler, sycl::write_only);
          handler.set_args(a, b, sycl::local_accessor<int, 1>(group, handler));
          handler.parallel_for(sycl::nd_range<1>(count, group), bundle.ext_oneapi_get_kernel("sums"));
        });
      }
      CHECK_ALL_EQUAL(out, wanted);
    }
  }
}

TEST("the last dimension of a range is the kernel's dimension 0") {
  sycl::queue queue = e2e::make_queue();
  for (const executable& bundle : bundles(queue)) {
    sycl::buffer<sycl::int4, 2> places(sycl::range(3, 5));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(places, handler, sycl::write_only, sycl::no_init);
      handler.set_arg(0, out);
      handler.parallel_for(sycl::range(3, 5), bundle.ext_oneapi_get_kernel("places"));
    });
    const sycl::host_accessor all(places, sycl::read_only);
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 5; ++x) {
        const sycl::int4 got = all[sycl::id<2>(static_cast<std::size_t>(y), static_cast<std::size_t>(x))];
        CHECK(got[0] == x && got[1] == y && got[2] == 5 && got[3] == 3);
      }
    }
  }
}

TEST("atomics count, and functions of numbers are right") {
  sycl::queue queue = e2e::make_queue();
  for (const executable& bundle : bundles(queue)) {
    constexpr std::size_t count = 10000;
    int* evens = sycl::malloc_shared<int>(1, queue);
    unsigned* numbers = sycl::malloc_shared<unsigned>(count, queue);
    *evens = 0;
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<unsigned>(i * 7 / 3);
    const auto wanted = std::count_if(numbers, numbers + count, [](unsigned each) { return each % 2 == 0; });
    queue
        .submit([&](sycl::handler& handler) {
          handler.set_args(evens, numbers);
          handler.parallel_for(sycl::range(count), bundle.ext_oneapi_get_kernel("evens"));
        })
        .wait_and_throw();
    CHECK(*evens == wanted);
    sycl::free(evens, queue);
    sycl::free(numbers, queue);

    float* in = sycl::malloc_shared<float>(100, queue);
    sycl::float4* out = sycl::malloc_shared<sycl::float4>(100, queue);
    for (int i = 0; i < 100; ++i) in[i] = static_cast<float>(i) * 0.3f;
    queue
        .submit([&](sycl::handler& handler) {
          handler.set_args(in, out);
          handler.parallel_for(sycl::range(100), bundle.ext_oneapi_get_kernel("functions"));
        })
        .wait_and_throw();
    for (int i = 0; i < 100; ++i) {
      const float x = in[i];
      CHECK(std::fabs(out[i][0] - (std::sqrt(x) + std::exp(-x))) < 1e-4f);
      CHECK(out[i][1] == std::clamp(x, 1.0f, 3.0f));
      CHECK(std::fabs(out[i][2] - (std::fmod(x, 1.5f) + std::cbrt(x))) < 1e-4f);
      CHECK(std::fabs(out[i][3] - 5 * x) < 1e-3f);
    }
    sycl::free(in, queue);
    sycl::free(out, queue);
  }
}

TEST("specialization constants of SPIR-V are set by their numbers") {
  sycl::queue queue = e2e::make_queue();
  if (!takes(queue, source_language::spirv)) return;
  const auto source = from::create_kernel_bundle_from_source(queue.get_context(), source_language::spirv,
                                                             bytes_of(e2e::spirv_specialized));
  float* out = sycl::malloc_shared<float>(1, queue);
  const auto run = [&](const executable& bundle) {
    queue
        .submit([&](sycl::handler& handler) {
          handler.set_arg(0, out);
          handler.single_task(bundle.ext_oneapi_get_kernel("chosen"));
        })
        .wait_and_throw();
    return *out;
  };
  using sycl::ext::sinter::spec_ids;
  CHECK(run(from::build(source)) == 3.5f);
  CHECK(run(from::build(source, from::properties{spec_ids(7, 20u)})) == 20.5f);
  CHECK(run(from::build(source, from::properties{spec_ids(8, true).set(9, 0.25f)})) == 103.25f);
  const auto build = [&](const spec_ids& values) { return [&] { from::build(source, from::properties{values}); }; };
  CHECK(has(refusal(sycl::errc::invalid, build(spec_ids(10, 1))), "constant 10"));
  CHECK(has(refusal(sycl::errc::invalid, build(spec_ids(7, 1.0))), "has 4 bytes, its value 8"));
  sycl::free(out, queue);
}

TEST("mistakes in source are errc::build with what the compiler says") {
  sycl::queue queue = e2e::make_queue();
  const sycl::context context = queue.get_context();
  CHECK(has(
      refusal(sycl::errc::feature_not_supported,
              [&] { from::create_kernel_bundle_from_source(context, source_language::sycl, std::string("int x;")); }),
      "SYCL"));
  CHECK(!from::is_source_kernel_bundle_supported(context, source_language::sycl));
  CHECK(!from::is_source_kernel_bundle_supported(queue.get_backend(), source_language::sycl));
  if (!takes(queue, source_language::opencl)) {
    refusal(sycl::errc::feature_not_supported, [&] {
      from::create_kernel_bundle_from_source(context, source_language::opencl, std::string(e2e::opencl_c));
    });
    return;
  }
  CHECK(from::is_source_kernel_bundle_supported(queue.get_backend(), source_language::opencl));
  std::string log;
  const auto wrong = from::create_kernel_bundle_from_source(context, source_language::opencl,
                                                            std::string("__kernel void k() { undeclared_name = 1; }"));
  CHECK(has(refusal(sycl::errc::build, [&] { from::build(wrong, from::properties{from::save_log{&log}}); }),
            "undeclared_name"));
  CHECK(has(log, "undeclared_name"));
  const auto optional = from::create_kernel_bundle_from_source(
      context, source_language::opencl, std::string("__kernel void k(__global int* out) { *out = VALUE; }"));
  const auto bundle =
      from::build(optional, from::properties{from::build_options{std::vector<std::string>{"-DVALUE=42", "-w"}}});
  int* out = sycl::malloc_shared<int>(1, queue);
  queue
      .submit([&](sycl::handler& handler) {
        handler.set_arg(0, out);
        handler.single_task(bundle.ext_oneapi_get_kernel("k"));
      })
      .wait_and_throw();
  CHECK(*out == 42);
  sycl::free(out, queue);
}

TEST("modules that are no SPIR-V for OpenCL are refused with the place") {
  sycl::queue queue = e2e::make_queue();
  if (!takes(queue, source_language::spirv)) return;
  const auto check = [&](std::vector<std::byte> module, const char* words) {
    const std::string said = refusal(sycl::errc::invalid, [&] {
      from::create_kernel_bundle_from_source(queue.get_context(), source_language::spirv, module);
    });
    if (!has(said, words)) e2e::fail(__FILE__, __LINE__, "other words: " + said);
  };
  const auto changed = [](std::size_t word, std::uint32_t to) {
    std::vector<std::byte> module = bytes_of(e2e::spirv_specialized);
    std::memcpy(module.data() + 4 * word, &to, 4);
    return module;
  };
  check({}, "word 0: ");
  check(std::vector<std::byte>(7), "word 1: the module ends within a word");
  check(changed(0, 0x12345678), "word 0: ");
  check(changed(1, 0x00020000), "word 1: version 2.0");
  check(changed(3, 0), "word 3: ");
  check(changed(5, 0), "word 5: an instruction has no words");
  check(changed(5, 0xffff0011), "word 5: an instruction has 65535 words");
  check(changed(6, 1), "capability Kernel");
  std::vector<std::byte> cut = bytes_of(e2e::spirv_specialized);
  cut.resize(cut.size() - 20);
  cut.resize(12);
  check(cut, "word 3: the module ends within its header");
}

TEST("modules with wrong words are refused, or built as they are, and end nothing but their translator") {
  sycl::queue queue = e2e::make_queue();
  // Some drivers end the process when they get modules that they don't understand.
  if (driver_reads_modules(queue) || !takes(queue, source_language::spirv)) return;
  int built = 0, refused = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<std::byte> module = round % 2 == 0 ? bytes_of(e2e::spirv_kernels) : bytes_of(e2e::spirv_specialized);
    for (int changes = 0; changes < 1 + round % 3; ++changes) {
      module[20 + e2e::random()() % (module.size() - 20)] = static_cast<std::byte>(e2e::random()());
    }
    try {
      from::build(from::create_kernel_bundle_from_source(queue.get_context(), source_language::spirv, module));
      ++built;
    } catch (const sycl::exception& error) {
      if (error.code() != sycl::errc::invalid && error.code() != sycl::errc::build) throw;
      ++refused;
    }
  }
  std::printf("%d modules were built, %d refused\n", built, refused);
}

TEST("arguments that do not fit are refused at the launch") {
  sycl::queue queue = e2e::make_queue();
  for (const executable& bundle : bundles(queue)) {
    const sycl::kernel kernel = bundle.ext_oneapi_get_kernel("axpy");
    CHECK(has(refusal(sycl::errc::invalid, [&] { bundle.ext_oneapi_get_kernel("nothing"); }), "axpy"));
    float* memory = sycl::malloc_shared<float>(10, queue);
    const auto launch = [&](const auto&... arguments) {
      return [&, arguments...] {
        queue
            .submit([&](sycl::handler& handler) {
              handler.set_args(arguments...);
              handler.parallel_for(sycl::range(10), kernel);
            })
            .wait_and_throw();
      };
    };
    using sycl::errc;
    CHECK(has(refusal(errc::kernel_argument, launch(1.0f, memory)), "argument 2 of 3 is not set"));
    CHECK(has(refusal(errc::kernel_argument, launch(1.0f, memory, memory, memory)), "there is no argument 3"));
    CHECK(has(refusal(errc::kernel_argument, launch(1.0, memory, memory)), "argument 0"));
    sycl::queue other(sycl::context(queue.get_device()), queue.get_device());
    refusal(errc::invalid, [&] {
      other.submit([&](sycl::handler& handler) {
        handler.set_args(1.0f, memory, memory);
        handler.parallel_for(sycl::range(10), kernel);
      });
    });
    sycl::free(memory, queue);
  }
}

TEST("a bundle goes while its kernels are still to run, and graphs keep it") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t count = 5000;
  float* memory = sycl::malloc_shared<float>(2 * count, queue);
  for (std::size_t i = 0; i < count; ++i) memory[i] = static_cast<float>(i);
  std::fill(memory + count, memory + 2 * count, 0.0f);
  for (int round = 0; round < 3; ++round) {
    // All kernels add to the same numbers, so they have to wait for each other.
    sycl::event last;
    for (const executable& bundle : bundles(queue)) {
      for (int i = 0; i < 4; ++i) {
        last = queue.submit([&](sycl::handler& handler) {
          handler.depends_on(last);
          handler.set_args(1.0f, memory, memory + count);
          handler.parallel_for(sycl::range(count), bundle.ext_oneapi_get_kernel("axpy"));
        });
      }
    }
    queue.wait_and_throw();
  }
  const auto languages = static_cast<float>(bundles(queue).size());
  for (std::size_t i = 0; i < count; ++i) CHECK(memory[count + i] == 12 * languages * memory[i]);

  from::command_graph graph(queue.get_context(), queue.get_device());
  std::fill(memory + count, memory + 2 * count, 0.0f);
  graph.begin_recording(queue);
  for (const executable& bundle : bundles(queue)) {
    for (int i = 0; i < 2; ++i) {
      const sycl::event done = queue.submit([&](sycl::handler& handler) {
        handler.set_args(1.0f, memory, memory + count);
        handler.parallel_for(sycl::range(count), bundle.ext_oneapi_get_kernel("axpy"));
      });
      queue.ext_oneapi_submit_barrier({done});
    }
  }
  graph.end_recording();
  auto ready = graph.finalize();
  for (int i = 0; i < 3; ++i) queue.ext_oneapi_graph(ready).wait();
  for (std::size_t i = 0; i < count; ++i) CHECK(memory[count + i] == 6 * languages * memory[i]);
  sycl::free(memory, queue);
}

TEST("kernels of SPIR-V fuse with each other and with the program's") {
  sycl::queue queue = e2e::make_fusing_queue();
  if (!takes(queue, source_language::spirv)) return;
  const executable bundle = from::build(from::create_kernel_bundle_from_source(
      queue.get_context(), source_language::spirv, bytes_of(e2e::spirv_kernels)));
  struct terms {
    float factor;
    int offset;
  };
  // Kernels that a driver compiles are never fused. The promotion has no effect here, because such kernels get
  // pointers to their buffers.
  const bool fuses = !driver_reads_modules(queue);
  for (const std::size_t count : {1u, 64u, 1000u, 4099u}) {
    const auto in = e2e::random_values<float>(count);
    std::vector<float> result(count, 2.0f);
    cx::fusion_wrapper fusion(queue);
    std::uint64_t launched = 0;
    {
      sycl::buffer in_buffer(in);
      sycl::buffer out_buffer(result);
      sycl::buffer<float> inside(sycl::range(count), e2e::promoted_private);
      fusion.start_fusion();
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from_memory(in_buffer, handler, sycl::read_only);
        sycl::accessor to(inside, handler, sycl::write_only, sycl::no_init);
        handler.set_args(terms{0.5f, 3}, from_memory, to);
        handler.parallel_for(sycl::range(count), bundle.ext_oneapi_get_kernel("affine"));
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from_memory(inside, handler, sycl::read_only);
        sycl::accessor to(out_buffer, handler, sycl::read_write);
        handler.set_args(2.0f, from_memory, to);
        handler.parallel_for(sycl::range(count), bundle.ext_oneapi_get_kernel("axpy"));
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(out_buffer, handler, sycl::read_write);
        handler.parallel_for(sycl::range(count), [=](sycl::id<1> i) { to[i] += 1.0f; });
      });
      const e2e::launches counter;
      fusion.complete_fusion();
      queue.wait();
      launched = counter.count();
    }
    CHECK_EQUAL(launched, fuses ? 1u : 3u);
    for (std::size_t i = 0; i < count; ++i) CHECK(std::fabs(result[i] - (in[i] + 6 + 2 + 1)) <= 1e-4f);
  }
}

E2E_MAIN
