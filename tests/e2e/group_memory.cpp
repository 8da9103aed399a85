// Memory of work-groups that is not passed as an argument: sycl_ext_oneapi_work_group_static and
// sycl_ext_oneapi_work_group_scratch_memory; and the properties that limit the size of work-groups.
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
#include <sycl/ext/oneapi/work_group_static.hpp>

#include "check.hpp"

#include <numeric>

#if SYCL_EXT_ONEAPI_WORK_GROUP_STATIC != 1 || SYCL_EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY != 1
#error "a feature-test macro is missing"
#endif

namespace x = sycl::ext::oneapi::experimental;

namespace {

constexpr std::size_t most = 64;

x::work_group_static<int[most]> of_namespace;
x::work_group_static<int> second_of_namespace, third_of_namespace;
struct holder {
  static inline x::work_group_static<long> of_class;
};

std::vector<int> random_ints(std::size_t count) { return e2e::random_values<int>(count, -1000, 1000); }

/// Runs kernel(nd_item, in, out) on groups of `local` work-items; each work-item reads one int and writes one int.
template <class Properties, class Kernel>
std::vector<int> run(const std::vector<int>& in, std::size_t local, const Properties& properties, Kernel kernel) {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> out(in.size(), -1);
  {
    sycl::buffer<int> buffer_in(in.data(), in.size()), buffer_out(out.data(), out.size());
    queue.submit([&](sycl::handler& group) {
      sycl::accessor from(buffer_in, group, sycl::read_only);
      sycl::accessor to(buffer_out, group, sycl::write_only);
      group.parallel_for(sycl::nd_range<1>(in.size(), local), properties,
                         [=](sycl::nd_item<1> item) { kernel(item, from, to); });
    });
  }
  return out;
}

template <class In>
int opposite(const sycl::nd_item<1>& item, const In& in) {
#ifdef SINTER_E2E_LIBRARY_MODE
  static
#endif
      x::work_group_static<int[most]> values;  // static even without the keyword `static`
  const std::size_t mine = item.get_local_id(0), last = item.get_local_range(0) - 1;
  sycl::group_barrier(item.get_group());
  values[mine] = in[item.get_global_id(0)];
  sycl::group_barrier(item.get_group());
  return values[last - mine];
}

std::size_t opposite_of(std::size_t i, std::size_t local) { return i / local * local + (local - 1 - i % local); }

template <class Action>
void check_throws(sycl::errc expected, const char* word, Action action) {
  try {
    action();
    e2e::fail("no exception", 0, word);
  } catch (const sycl::exception& error) {
    CHECK(error.code() == expected);
    if (!std::strstr(error.what(), word)) e2e::fail("message", 0, error.what());
  }
}

constexpr std::size_t local_sizes[] = {1, 7, 32, most};

}  // namespace

TEST("a work_group_static of a block is one array for each group, however often its function is called") {
  for (const std::size_t local : local_sizes) {
    const std::vector<int> in = random_ints(local * 5);
    const auto out = run(in, local, x::properties{}, [](const sycl::nd_item<1>& item, auto& from, auto& to) {
      const int once = opposite(item, from);
      to[item.get_global_id(0)] = once * 3 - opposite(item, from);
    });
    for (std::size_t i = 0; i < in.size(); ++i) CHECK_EQUAL(out[i], 2 * in[opposite_of(i, local)]);
  }
}

TEST("variables of one type and line, of templates, namespaces and classes are each their own") {
  for (const std::size_t local : local_sizes) {
    const std::vector<int> in = random_ints(local * 3);
    const auto out = run(in, local, x::properties{}, [](const sycl::nd_item<1>& item, auto& from, auto& to) {
      static x::work_group_static<int> a, b;
      const std::size_t mine = item.get_local_id(0), i = item.get_global_id(0);
      if (mine == 0) {
        a = from[i], b = from[i] + 1;
        second_of_namespace = from[i] + 2;
        third_of_namespace = from[i] + 3;
        holder::of_class = from[i] + 4;
      }
      of_namespace[mine] = from[i];
      sycl::group_barrier(item.get_group());
      if (mine == 0) a += 10, *&b += 20;  // accesses `a` by its conversion to int&, and `b` by its address
      sycl::group_barrier(item.get_group());
      to[i] = of_namespace[item.get_local_range(0) - 1 - mine] - a + b * 2 - second_of_namespace * 3 +
              third_of_namespace * 5 - static_cast<int>(holder::of_class);
    });
    for (std::size_t i = 0; i < in.size(); ++i) {
      const int first = in[i / local * local];
      const int expected = in[opposite_of(i, local)] - (first + 10) + (first + 21) * 2 - (first + 2) * 3 +
                           (first + 3) * 5 - (first + 4);
      CHECK_EQUAL(out[i], expected);
    }
  }
}

TEST("scratch memory has the size that the launch says, beside local accessors and other variables of the group") {
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t local : local_sizes) {
    const std::vector<int> in = random_ints(local * 4);
    std::vector<int> out(in.size(), -1);
    sycl::buffer<int> buffer_in(in.data(), in.size());
    sycl::buffer<int> buffer_out(out.data(), out.size());
    x::submit(queue, [&](sycl::handler& group) {
      sycl::accessor from(buffer_in, group, sycl::read_only);
      sycl::accessor to(buffer_out, group, sycl::write_only);
      sycl::local_accessor<int> beside(local, group);
      const x::launch_config size(sycl::nd_range<1>(in.size(), local),
                                  x::properties{x::work_group_scratch_size(local * 2 * sizeof(int)),
                                                x::sub_group_size<32>});
      x::nd_launch(group, size, [=](sycl::nd_item<1> item) {
        const std::size_t mine = item.get_local_id(0), i = item.get_global_id(0);
        int* const scratch = static_cast<int*>(x::get_work_group_scratch_memory());
        scratch[mine] = from[i];
        beside[mine] = -1;
        static_cast<int*>(x::get_work_group_scratch_memory())[local + mine] = from[i] * 2;
        sycl::group_barrier(item.get_group());
        const std::size_t other = local - 1 - mine;
        to[i] = scratch[other] + scratch[local + other] * 10 + beside[other];
      });
    });
    const sycl::host_accessor found(buffer_out, sycl::read_only);
    for (std::size_t i = 0; i < in.size(); ++i) CHECK_EQUAL(found[i], in[opposite_of(i, local)] * 21 - 1);
  }
}

TEST("a launch that asks for more local memory than the device has is refused") {
  sycl::queue queue = e2e::make_queue();
  const std::size_t all = queue.get_device().get_info<sycl::info::device::local_mem_size>();
  check_throws(sycl::errc::memory_allocation, "local memory", [&] {
    queue.parallel_for(sycl::nd_range<1>(4, 4), x::properties{x::work_group_scratch_size(all + 64)},
                       [](sycl::nd_item<1>) { *static_cast<int*>(x::get_work_group_scratch_memory()) = 0; });
  });
}

namespace {
struct limited_function {
  void operator()(sycl::nd_item<2>) const {}
  auto get(x::properties_tag) const { return x::properties{x::max_work_group_size<4, 8>}; }
};
}  // namespace

TEST("work-groups larger than a kernel's property allows are refused, others run") {
  sycl::queue queue = e2e::make_queue();
  const x::properties sizes{x::max_work_group_size<8>, x::max_linear_work_group_size<6>};
  static_assert(x::max_work_group_size<2, 3>[1] == 3 && decltype(x::max_linear_work_group_size<6>)::value == 6);
  const std::vector<int> in = random_ints(18);
  const auto out = run(in, 6, sizes, [](const sycl::nd_item<1>& item, auto& from, auto& to) {
    to[item.get_global_id(0)] = from[item.get_global_id(0)] + 1;
  });
  for (std::size_t i = 0; i < in.size(); ++i) CHECK_EQUAL(out[i], in[i] + 1);
  check_throws(sycl::errc::nd_range, "max_linear_work_group_size", [&] {
    queue.parallel_for(sycl::nd_range<1>(7, 7), sizes, [](sycl::nd_item<1>) {});
  });
  check_throws(sycl::errc::nd_range, "max_work_group_size", [&] {
    queue.parallel_for(sycl::nd_range<1>(9, 9), sizes, [](sycl::nd_item<1>) {});
  });
  queue.parallel_for(sycl::nd_range<2>({8, 8}, {4, 8}), limited_function()).wait();
  check_throws(sycl::errc::nd_range, "{8, 4}", [&] {
    queue.parallel_for(sycl::nd_range<2>({8, 8}, {8, 4}), limited_function());
  });
}

E2E_MAIN
