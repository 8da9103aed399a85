/// Programs with specialization constants (CP015) and launches of kernel objects. The first two tests are the programs
/// of the proposal, with their mistakes corrected: buffer::get_access takes the handler, names of templates are
/// declared, and the two variables for block sizes have different names.
#include "check.hpp"

#include <CL/sycl.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/experimental/kernel_compiler.hpp>

namespace experimental = cl::sycl::experimental;

class specialized_kernel;
class runtime_const;

namespace {

float get_value() { return 0.5f + static_cast<float>(e2e::random()() % 8); }

cl::sycl::errc code_of(const cl::sycl::exception& error) { return static_cast<cl::sycl::errc>(error.code().value()); }

/// Returns the message of the exception that `call` throws. The result is "" if `call` throws nothing, or an exception
/// of another class.
template <class Error = experimental::spec_const_error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  } catch (...) {
  }
  return {};
}

template <class Call>
void check_code(cl::sycl::errc wanted, const char* words, const Call& call) {
  try {
    call();
    CHECK(!"no exception");
  } catch (const cl::sycl::exception& error) {
    CHECK(code_of(error) == wanted);
    if (!std::strstr(error.what(), words)) e2e::fail(__FILE__, __LINE__, std::string("other words: ") + error.what());
  }
}

}  // namespace

TEST("the proposal's first program: a constant is bound to a program and read in its kernel") {
  cl::sycl::queue queue;
  cl::sycl::program program(queue.get_context());
  const float value = get_value();

  cl::sycl::experimental::spec_constant<float, runtime_const> my_constant =
      program.set_spec_constant<runtime_const>(value);
  program.build_with_kernel_type<specialized_kernel>();

  std::vector<float> vec(1);
  {
    cl::sycl::buffer<float, 1> buffer(vec.data(), vec.size());

    queue.submit([&](cl::sycl::handler& cgh) {
      auto acc = buffer.get_access<cl::sycl::access::mode::write>(cgh);
      cgh.single_task<specialized_kernel>(program.get_kernel<specialized_kernel>(),
                                          [=]() { acc[0] = my_constant.get(); });
    });
  }
  CHECK_EQUAL(vec[0], value);
}

namespace tiles {
using namespace cl::sycl;

template <typename T>
class mxm_kernel;

int prevPowerOfTwo(double x) {
  int power = 1;
  while (2 * power <= x) power *= 2;
  return power;
}

template <typename T>
void mat_multiply(cl::sycl::queue& q, T* MA, T* MB, T* MC, int matSize) {
  auto device = q.get_device();
  // Choose a block size based on some information about the device.
  auto maxBlockSize = device.get_info<cl::sycl::info::device::max_work_group_size>();
  auto blockSizeCst = prevPowerOfTwo(std::sqrt(maxBlockSize));
  blockSizeCst = std::min(matSize, std::min(blockSizeCst, 16));

  cl::sycl::program program(q.get_context());

  // Create a specialization constant to encapsulate blockSize.
  auto blockSize = program.set_spec_constant<class block_size>(blockSizeCst);
  program.build_with_kernel_type<class mxm_kernel<T>>();

  {
    range<1> dimensions(matSize * matSize);
    buffer<T> bA(MA, dimensions);
    buffer<T> bB(MB, dimensions);
    buffer<T> bC(MC, dimensions);

    q.submit([&](handler& cgh) {
      auto pA = bA.template get_access<access::mode::read>(cgh);
      auto pB = bB.template get_access<access::mode::read>(cgh);
      auto pC = bC.template get_access<access::mode::write>(cgh);
      auto localRange = range<1>(blockSize * blockSize);

      accessor<T, 1, access::mode::read_write, access::target::local> pBA(localRange, cgh);
      accessor<T, 1, access::mode::read_write, access::target::local> pBB(localRange, cgh);

      cgh.parallel_for<class mxm_kernel<T>>(
          program.get_kernel<class mxm_kernel<T>>(),
          nd_range<2>{range<2>(matSize, matSize), range<2>(blockSize, blockSize)}, [=](nd_item<2> it) {
            int blockX = it.get_group(0), blockY = it.get_group(1);
            int localX = it.get_local_id(0), localY = it.get_local_id(1);
            int a_start = matSize * blockSize * blockY;
            int a_end = a_start + matSize - 1;
            int b_start = blockSize * blockX;
            T tmp = 0.0f;
            for (int a = a_start, b = b_start; a <= a_end; a += blockSize, b += (blockSize * matSize)) {
              pBA[localY * blockSize + localX] = pA[a + matSize * localY + localX];
              // Note the swap of X/Y to maintain contiguous access
              pBB[localX * blockSize + localY] = pB[b + matSize * localY + localX];
              it.barrier(access::fence_space::local_space);
              for (int k = 0; k < blockSize; k++) {
                tmp += pBA[localY * blockSize + k] * pBB[localX * blockSize + k];
              }
              it.barrier(access::fence_space::local_space);
            }
            auto elemIndex = it.get_global_id(1) * it.get_global_range()[0] + it.get_global_id(0);
            pC[elemIndex] = tmp;
          });
    });
  }
}

}  // namespace tiles

TEST("the proposal's second program: the block size of a matrix product is a constant of its kernel") {
  cl::sycl::queue queue;
  for (int size : {1, 2, 16, 64}) {
    const std::size_t count = static_cast<std::size_t>(size * size);
    const auto multiply = [&](auto zero) {
      using value = decltype(zero);
      std::vector<value> a(count), b(count), c(count);
      for (value& each : a) each = static_cast<value>(e2e::random()() % 7);
      for (value& each : b) each = static_cast<value>(e2e::random()() % 7);
      tiles::mat_multiply(queue, a.data(), b.data(), c.data(), size);
      for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
          value sum = 0;
          for (int k = 0; k < size; ++k)
            sum += a[static_cast<std::size_t>(y * size + k)] * b[static_cast<std::size_t>(k * size + x)];
          CHECK_EQUAL(c[static_cast<std::size_t>(y * size + x)], sum);
        }
      }
    };
    multiply(0.0f);
    multiply(0.0);
  }
}

namespace {
class first;
class second;
class of_program;
class two_constants;
class numbered;
class of_range;
struct pair_of {
  short a;
  float b[3];
};
}  // namespace

/// A kernel that stores the values of its specialization constants. All tests of states and errors use this kernel.
namespace {
template <class... Constants>
void run_two(cl::sycl::queue& queue, const cl::sycl::kernel& built, float* out, const Constants&... constants) {
  queue
      .submit([&](cl::sycl::handler& cgh) {
        cgh.single_task<two_constants>(built, [=] {
          int i = 0;
          ((out[i++] = static_cast<float>(constants)), ...);
        });
      })
      .wait();
}
}  // namespace

TEST("what is missing, late, or of another type is a spec_const_error that says so") {
  cl::sycl::queue queue = e2e::make_queue();
  float* out = cl::sycl::malloc_shared<float>(2, queue);
  cl::sycl::program program(queue.get_context());
  CHECK(program.get_state() == cl::sycl::program_state::none && program.native_spec_constant());
  CHECK(!program.has_kernel<two_constants>());
  (void)program.set_spec_constant<first>(3);
#ifndef SINTER_E2E_LIBRARY_MODE
  const std::string missing = message_of([&] { program.build_with_kernel_type<two_constants>(); });
  CHECK(missing.find("reads 2 specialization constants, and 1 of them has no value") != std::string::npos);
  CHECK(missing.find("(int)") != std::string::npos);
  CHECK(
      !message_of<cl::sycl::compile_program_error>([&] { program.compile_with_kernel_type<two_constants>(); }).empty());
#endif
  CHECK(message_of([&] { (void)program.set_spec_constant<first>(3.0f); }).find("has been set as int") !=
        std::string::npos);
  const auto one = program.set_spec_constant<first>(4);  // this value replaces the value that was set before
  const auto other = program.set_spec_constant<second>(1.5f);
  check_code(cl::sycl::errc::invalid, "state none", [&] { (void)program.get_kernel<two_constants>(); });
  check_code(cl::sycl::errc::invalid, "state none", [&] { program.link(); });
  program.build_with_kernel_type<two_constants>("-some -options");
  CHECK_EQUAL(program.get_build_options(), std::string("-some -options"));
  CHECK(program.get_state() == cl::sycl::program_state::linked && program.has_kernel<two_constants>());
  CHECK(message_of([&] { (void)program.set_spec_constant<first>(5); }).find("after the program was built") !=
        std::string::npos);
  check_code(cl::sycl::errc::invalid, "state linked", [&] { program.build_with_kernel_type<two_constants>(); });
  check_code(cl::sycl::errc::invalid, "not in the program", [&] { (void)program.get_kernel<of_program>(); });
  check_code(cl::sycl::errc::feature_not_supported, "other languages",
             [&] { program.compile_with_source("kernel void k() {}"); });
  run_two(queue, program.get_kernel<two_constants>(), out, one, other);
  CHECK_EQUAL(out[0], 4.0f);
  CHECK_EQUAL(out[1], 1.5f);
  // A kernel that does not come from this program reads the value from the object `one` itself.
  queue.single_task([=] { out[0] = static_cast<float>(one.get()) + other; }).wait();
  CHECK_EQUAL(out[0], 5.5f);
  free(out, queue);
}

TEST("each program has values of its own; linked programs keep theirs") {
  cl::sycl::queue queue = e2e::make_queue();
  int* out = cl::sycl::malloc_shared<int>(1, queue);
  std::vector<cl::sycl::program> programs;
  std::vector<experimental::spec_constant<pair_of, first>> constants;
  for (int i = 0; i < 3; ++i) {
    cl::sycl::program& made = programs.emplace_back(queue.get_context(), std::vector{queue.get_device()});
    constants.push_back(
        made.set_spec_constant<first>(pair_of{static_cast<short>(i), {1, 2, 0.5f * static_cast<float>(i)}}));
  }
  const auto launch = [&](const cl::sycl::kernel& built, experimental::spec_constant<pair_of, first> value) {
    queue
        .submit([&](cl::sycl::handler& cgh) {
          cgh.parallel_for<of_program>(built, cl::sycl::range<1>(1), [=](cl::sycl::id<1>) {
            const pair_of pair = value;
            *out = pair.a + static_cast<int>(100 * pair.b[2]);
          });
        })
        .wait();
  };
  programs[0].build_with_kernel_type<of_program>();
  programs[1].compile_with_kernel_type<of_program>("-c");
  CHECK(programs[1].get_state() == cl::sycl::program_state::compiled);
  CHECK_EQUAL(programs[1].get_compile_options(), std::string("-c"));
  CHECK(!message_of([&] { (void)programs[1].set_spec_constant<first>(pair_of{}); }).empty());
  const cl::sycl::program linked(std::vector{programs[1]}, "-l");
  CHECK(linked.get_state() == cl::sycl::program_state::linked);
  programs[2].compile_with_kernel_type<of_program>();
  programs[2].link();
  launch(programs[0].get_kernel<of_program>(), constants[0]);
  CHECK_EQUAL(*out, 0);
  launch(linked.get_kernel<of_program>(), constants[1]);
  CHECK_EQUAL(*out, 51);
  launch(
      programs[2].get_kernel(programs[2].get_kernel<of_program>().get_kernel_bundle().get_kernel_ids()[0].get_name()),
      constants[2]);
  CHECK_EQUAL(*out, 102);
  check_code(cl::sycl::errc::invalid, "state compiled", [&] { (void)cl::sycl::program(std::vector{programs[0]}); });
  check_code(cl::sycl::errc::invalid, "empty", [&] { (void)cl::sycl::program(std::vector<cl::sycl::program>()); });
  free(out, queue);
}

TEST("numbers of constants name those of the module; others are refused") {
  cl::sycl::queue queue = e2e::make_queue();
  int* out = cl::sycl::malloc_shared<int>(1, queue);
  cl::sycl::program program(queue.get_context());
#ifndef SINTER_E2E_LIBRARY_MODE
  const auto is_refused = [&](const std::string& text) {
    return text.find("no kernel of the program has a constant") != std::string::npos;
  };
  CHECK(is_refused(message_of([&] { (void)program.set_spec_constant<experimental::spec_constant_id<41>>(1); })));
  CHECK(is_refused(message_of([&] { (void)program.set_spec_constant<experimental::spec_constant_id<42>>(1.0f); })));
#endif
  const auto constant = program.set_spec_constant<experimental::spec_constant_id<42>>(17);
  program.build_with_kernel_type<numbered>();
  queue
      .submit([&](cl::sycl::handler& cgh) {
        cgh.single_task<numbered>(program.get_kernel<numbered>(), [=] { *out = constant; });
      })
      .wait();
  CHECK_EQUAL(*out, 17);
  free(out, queue);
}

namespace {
constexpr experimental::spec_id<int> scale(3);
constexpr cl::sycl::specialization_id<float> offset(0.5f);
class of_form_two;
class of_form_three;
}  // namespace

TEST("second form: objects of the handler, and programs that set a spec_id") {
  cl::sycl::queue queue = e2e::make_queue();
  float* out = cl::sycl::malloc_shared<float>(2, queue);
  for (int value : {0, 5, 6}) {
    queue
        .submit([&](cl::sycl::handler& cgh) {
          if (value) cgh.set_spec_constant<int, scale>(value);
          const auto read = cgh.get_spec_constant<int, scale>();
          cgh.single_task<of_form_two>([=] { out[0] = static_cast<float>(read.get()); });
        })
        .wait();
    CHECK_EQUAL(out[0], value ? static_cast<float>(value) : 3.0f);
  }
  cl::sycl::program program(queue.get_context());
  program.set_spec_constant<int, scale>(8);
  program.set_specialization_constant<offset>(1.5f);
  program.set_specialization_constant<float, offset>(2.5f);
  program.build_with_kernel_type<of_form_three>();
  queue
      .submit([&](cl::sycl::handler& cgh) {
        cgh.use_kernel_bundle(program.get_kernel<of_form_three>().get_kernel_bundle());
        const auto read = cgh.get_spec_constant<int, scale>();
        cgh.single_task<of_form_three>([=](cl::sycl::kernel_handler values) {
          out[0] = static_cast<float>(read);
          out[1] = values.get_specialization_constant<float, offset>() +
                   static_cast<float>(values.get_specialization_constant<scale>());
        });
      })
      .wait();
  CHECK_EQUAL(out[0], 8.0f);
  CHECK_EQUAL(out[1], 10.5f);
  // The runtime refuses a command group that sets a constant itself and also launches a kernel of a program.
  check_code(cl::sycl::errc::invalid, "specialization constants itself", [&] {
    queue.submit([&](cl::sycl::handler& cgh) {
      cgh.set_specialization_constant<int, scale>(1);
      cgh.single_task<of_form_three>(program.get_kernel<of_form_three>(), [](cl::sycl::kernel_handler) {});
    });
  });
  free(out, queue);
}

namespace {
class fused_first;
class fused_second;
class recorded;
}  // namespace

TEST("fused kernels and graphs see the values of their programs") {
  using namespace cl::sycl;
  namespace graphs = cl::sycl::ext::oneapi::experimental;
  queue q =
      e2e::make_queue({property::queue::in_order(), ext::codeplay::experimental::property::queue::enable_fusion()});
  constexpr std::size_t size = 100;
  int* data = malloc_shared<int>(size, q);
  int* temporary = malloc_shared<int>(size, q);
  for (int value : {2, 3, 2}) {
    program made(q.get_context());
    const auto factor = made.set_spec_constant<first>(value);
    const auto shift = made.set_spec_constant<second>(static_cast<short>(10 * value));
    made.compile_with_kernel_type<fused_first>();
    made.compile_with_kernel_type<fused_second>();
    made.compile_with_kernel_type<recorded>();
    made.link();
    for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<int>(i);
    ext::codeplay::experimental::fusion_wrapper fusion(q);
    fusion.start_fusion();
    q.submit([&](handler& h) {
      h.parallel_for<fused_first>(made.get_kernel<fused_first>(), range<1>(size),
                                  [=](id<1> i) { temporary[i] = data[i] * factor; });
    });
    q.submit([&](handler& h) {
      h.parallel_for<fused_second>(made.get_kernel<fused_second>(), range<1>(size),
                                   [=](id<1> i) { data[i] = temporary[i] + shift; });
    });
    fusion.complete_fusion();
    q.wait();
    for (std::size_t i = 0; i < size; ++i) CHECK_EQUAL(data[i], static_cast<int>(i) * value + 10 * value);
    graphs::command_graph graph(q.get_context(), q.get_device());
    graph.add([&](handler& h) {
      h.parallel_for<recorded>(made.get_kernel<recorded>(), range<1>(size), [=](id<1> i) { data[i] -= shift; });
    });
    auto ready = graph.finalize();
    q.ext_oneapi_graph(ready);
    q.ext_oneapi_graph(ready).wait();
    for (std::size_t i = 0; i < size; ++i) CHECK_EQUAL(data[i], static_cast<int>(i) * value - 10 * value);
  }
  free(data, q);
  free(temporary, q);
}

#ifndef SINTER_E2E_LIBRARY_MODE
namespace {
class axpy;
class tiled_sum;
class of_structure;
class constant_times;
struct line {
  float factor;
  int offset;
};
}  // namespace

TEST("kernel objects are launched with arguments in the place of captures") {
  using namespace cl::sycl;
  queue q = e2e::make_queue();
  const auto bundle = get_kernel_bundle<bundle_state::executable>(q.get_context());
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{37}, std::size_t{1000}}) {
    std::vector<float> x = e2e::random_values<float>(size), y = e2e::random_values<float>(size), expected = y;
    for (std::size_t i = 0; i < size; ++i) expected[i] = 2.0f * x[i] + y[i];
    buffer<float> bx(x), by(y);
    q.submit([&](handler& h) {
      accessor in(bx, h, read_only);
      accessor out(by, h);
      h.set_args(2.0f, in, out);
      h.parallel_for(range<1>(size), bundle.get_kernel<axpy>());
    });
    host_accessor result(by, read_only);
    for (std::size_t i = 0; i < size; ++i) CHECK_EQUAL(result[i], expected[i]);
  }
  // Launches the kernel and passes its function object, too.
  if (std::vector<float> x(4, 1.0f), y(4, 1.0f); true) {
    buffer<float> bx(x), by(y);
    q.submit([&](handler& h) {
      float a = 3.0f;  // a lambda would not capture a constant
      accessor in(bx, h, read_only);
      accessor out(by, h);
      h.parallel_for<axpy>(range<1>(4), [a, in, out](id<1> i) { out[i] = a * in[i] + out[i]; });
    });
    CHECK_EQUAL((host_accessor(by, read_only)[3]), 4.0f);
  }
}

TEST("arguments may be pointers, structures and local memory; several in any order") {
  using namespace cl::sycl;
  queue q = e2e::make_queue();
  const auto bundle = get_kernel_bundle<bundle_state::executable>(q.get_context());
  int* data = malloc_shared<int>(64, q);
  for (int i = 0; i < 64; ++i) data[i] = i;
  const auto launch_sum = [&](auto&& more, bool by_object) {
    q.submit([&](handler& h) {
       local_accessor<int, 1> local(8, h);
       if (by_object) {
         h.set_arg(1, local);
         h.set_arg(0, data);
         h.parallel_for(nd_range<1>(64, 8), bundle.get_kernel<tiled_sum>());
       } else {
         h.parallel_for<tiled_sum>(nd_range<1>(64, 8), more(local));
       }
     }).wait();
  };
  const auto function = [&](const local_accessor<int, 1>& local) {
    return [data, local](nd_item<1> item) {
      local[item.get_local_id()] = data[item.get_global_id()];
      group_barrier(item.get_group());
      int sum = 0;
      for (std::size_t i = 0; i < 8; ++i) sum += local[i];
      data[item.get_global_id()] = sum;
    };
  };
  launch_sum(function, true);
  for (int i = 0; i < 64; ++i) CHECK_EQUAL(data[i], 8 * (i / 8 * 8) + 28);
  launch_sum(function, false);
  CHECK_EQUAL(data[63], 8 * (8 * 56 + 28));
  line shape{0.5f, 7};
  const auto structure = [shape, data](item<2> at) {
    data[at.get_linear_id()] = static_cast<int>(shape.factor * 10) + shape.offset;
  };
  q.submit([&](handler& h) {
     h.set_arg(0, shape);
     h.set_arg(2, data);
     h.parallel_for(range<2>(2, 2), bundle.get_kernel<of_structure>());
   }).wait();
  CHECK_EQUAL(data[3], 12);
  CHECK_EQUAL(data[4], 8 * (8 * 0 + 28));
  q.parallel_for<of_structure>(range<2>(1, 1), structure).wait();
  free(data, q);
}

TEST("kernel objects see the specialization constants of their bundle") {
  using namespace cl::sycl;
  queue q = e2e::make_queue();
  float* out = malloc_shared<float>(1, q);
  auto input = get_kernel_bundle<constant_times, bundle_state::input>(q.get_context());
  input.set_specialization_constant<offset>(4.0f);
  const auto built = build(input);
  q.submit([&](handler& h) {
     h.set_args(out, 2.0f);
     h.single_task(built.get_kernel<constant_times>());
   }).wait();
  CHECK_EQUAL(*out, 8.0f);
  float factor = 3.0f;
  q.single_task<constant_times>([out, factor](kernel_handler values) {
     *out = factor * values.get_specialization_constant<offset>();
   }).wait();
  CHECK_EQUAL(*out, 1.5f);
  free(out, q);
}

TEST("kernel objects that are launched wrongly say what is wrong") {
  using namespace cl::sycl;
  queue q = e2e::make_queue();
  const auto bundle = get_kernel_bundle<bundle_state::executable>(q.get_context());
  int value = 0;
  const auto refuses = [&](errc code, const char* words, auto&& group) {
    check_code(code, words, [&] { q.submit(group); });
  };
  refuses(errc::kernel_argument, "argument 1 of 2 (a local accessor) is not set", [&](handler& h) {
    h.set_arg(0, &value);
    h.parallel_for(nd_range<1>(8, 8), bundle.get_kernel<tiled_sum>());
  });
  refuses(errc::kernel_argument, "argument 0 is a pointer, the value a number", [&](handler& h) {
    h.set_args(7);
    h.parallel_for(nd_range<1>(8, 8), bundle.get_kernel<tiled_sum>());
  });
  refuses(errc::kernel_argument, "argument 0 has 4 bytes, the value 8", [&](handler& h) {
    h.set_arg(0, 7.0);
    h.parallel_for(range<1>(8), bundle.get_kernel<axpy>());
  });
  refuses(errc::kernel_argument, "there is no argument 2; it has 2", [&](handler& h) {
    h.set_arg(2, 7.0);
    h.single_task(bundle.get_kernel<constant_times>());
  });
  refuses(errc::kernel_argument, "accessor with other elements", [&](handler& h) {
    buffer<double> wrong(range<1>(8));
    accessor in(wrong, h, read_only);
    h.set_arg(1, in);
    h.parallel_for(range<1>(8), bundle.get_kernel<axpy>());
  });
  refuses(errc::invalid, "index", [&](handler& h) { h.set_arg(-1, 7.0); });
  refuses(errc::invalid, "with a range of 1 dimension, not for single_task",
          [&](handler& h) { h.single_task(bundle.get_kernel<axpy>()); });
  refuses(errc::invalid, "the function beside it is that of kernel",
          [&](handler& h) { h.single_task<second>(bundle.get_kernel<constant_times>(), [] {}); });
  refuses(errc::invalid, "another kernel bundle", [&](handler& h) {
    h.use_kernel_bundle(bundle);
    const auto other = get_kernel_bundle<constant_times, bundle_state::executable>(q.get_context());
    h.single_task(other.get_kernel<constant_times>());
  });
}
#endif

E2E_MAIN
