// sycl_ext_oneapi_kernel_properties and sycl_ext_oneapi_properties.
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>

#include "check.hpp"

#if !SYCL_EXT_ONEAPI_KERNEL_PROPERTIES || !SYCL_EXT_ONEAPI_PROPERTIES
#error "a feature-test macro is missing"
#endif

namespace ex = sycl::ext::oneapi::experimental;
using ex::device_has, ex::sub_group_size, ex::work_group_size, ex::work_group_size_hint;

namespace {

constexpr ex::properties both{work_group_size<16>, sub_group_size<8>};
static_assert(decltype(both)::has_property<ex::work_group_size_key>());
static_assert(!decltype(both)::has_property<ex::device_has_key>());
static_assert(decltype(both)::get_property<ex::sub_group_size_key>().value == 8);
static_assert(work_group_size<4, 5>[0] == 4 && work_group_size<4, 5>[1] == 5);
static_assert(device_has<sycl::aspect::fp64>.value[0] == sycl::aspect::fp64);
static_assert(work_group_size<8> == work_group_size<8> && work_group_size<8> != work_group_size_hint<8>);
static_assert(ex::is_property_list_v<decltype(both)> && ex::is_property_value_v<decltype(sub_group_size<8>)> &&
              ex::is_property_key_v<ex::sub_group_size_key> && !ex::is_property_list_v<int>);
static_assert(ex::has_compile_time_kernel_effect_v<ex::sub_group_size_key::value_t<8>>);

struct embedded {
  int* out;
  void operator()(sycl::nd_item<1> item) const {
    out[item.get_global_id(0)] = static_cast<int>(item.get_sub_group().get_max_local_range()[0]);
  }
  auto get(ex::properties_tag) const { return ex::properties{sub_group_size<4>}; }
};
struct not_const {
  int* out;
  void operator()() const { *out = 1; }
  auto get(ex::properties_tag) { return ex::properties{work_group_size_hint<1>}; }
};
class named;

struct ints {
  explicit ints(sycl::queue its, std::size_t count) : queue(its), data(sycl::malloc_shared<int>(count, queue)) {
    for (std::size_t i = 0; i < count; ++i) data[i] = 0;
  }
  ~ints() { sycl::free(data, queue); }
  sycl::queue queue;
  int* data;
};

template <class Call>
sycl::errc code_of(Call call) {
  try {
    call();
  } catch (const sycl::exception& failure) {
    return static_cast<sycl::errc>(failure.code().value());
  }
  return sycl::errc::success;
}

/// Whether the device supports sub-groups of this size. GPUs support other sizes than the CPU.
bool offers(const sycl::queue& queue, std::size_t size) {
  for (std::size_t each : queue.get_device().get_info<sycl::info::device::sub_group_sizes>()) {
    if (each == size) return true;
  }
  return false;
}

}  // namespace

#ifdef SINTER_E2E_LIBRARY_MODE
constexpr bool sees_attributes = false;  // without the plugin, the attribute has no effect either
#else
constexpr bool sees_attributes = true;
#endif

TEST("the sub-group size of the list is that of the kernel") {
  sycl::queue queue = e2e::make_queue();
  if (!offers(queue, 4) || !offers(queue, 8)) return;
  ints found(queue, 64);
  int* out = found.data;
  const auto kernel = [=](sycl::nd_item<1> item) {
    out[item.get_global_id(0)] = static_cast<int>(item.get_sub_group().get_max_local_range()[0]);
  };
  queue.parallel_for(sycl::nd_range<1>(64, 16), both, kernel).wait();
  if (sees_attributes) CHECK_EQUAL(out[5], 8);
  // With other properties, a function object becomes another kernel.
  queue.parallel_for(sycl::nd_range<1>(64, 16), ex::properties{sub_group_size<4>}, kernel).wait();
  if (sees_attributes) CHECK_EQUAL(out[5], 4);
  queue.parallel_for(sycl::nd_range<1>(64, 16), ex::properties{sub_group_size<8>, work_group_size<16>}, kernel).wait();
  if (sees_attributes) CHECK_EQUAL(out[5], 8);
  queue.parallel_for(sycl::nd_range<1>(64, 16), embedded{out}).wait();
  if (sees_attributes) CHECK_EQUAL(out[5], 4);
  queue.parallel_for(sycl::nd_range<1>(64, 16), ex::properties{work_group_size<16>}, embedded{out}).wait();
  if (sees_attributes) CHECK_EQUAL(out[5], 4);
}

TEST("a work-group of another size is refused") {
  sycl::queue queue = e2e::make_queue();
  ints found(queue, 64);
  int* out = found.data;
  const auto launch = [&](std::size_t local) {
    queue.parallel_for<named>(sycl::nd_range<2>({4, 16}, {2, local}), ex::properties{work_group_size<2, 8>},
                              [=](sycl::nd_item<2> item) { out[item.get_global_linear_id()] = 1; });
    queue.wait_and_throw();
  };
  CHECK(code_of([&] { launch(8); }) == sycl::errc::success);
  CHECK_EQUAL(out[63], 1);
  if (sees_attributes) CHECK(code_of([&] { launch(4); }) == sycl::errc::nd_range);
}

TEST("device_has refuses devices without the aspect") {
  sycl::queue queue = e2e::make_queue();
  ints found(queue, 1);
  int* out = found.data;
  const auto launch = [&](auto properties) {
    return code_of([&] { queue.single_task(properties, [=] { *out += 1; }).wait(); });
  };
  CHECK(launch(ex::properties{device_has<sycl::aspect::usm_shared_allocations>}) == sycl::errc::success);
  if (sees_attributes) {
    CHECK(launch(ex::properties{device_has<sycl::aspect::custom>}) == sycl::errc::kernel_not_supported);
  }
}

TEST("ranges, dependencies, reductions, kernel handlers, hints and empty lists") {
  sycl::queue queue = e2e::make_queue();
  ints found(queue, 100);
  int* out = found.data;
  const ex::properties hint{work_group_size_hint<64>};
  sycl::event first = queue.parallel_for(100, hint, [=](sycl::id<1> i) { out[i] = static_cast<int>(i); });
  sycl::event second = queue.parallel_for(sycl::range(10, 10), first, ex::properties{},
                                          [=](sycl::id<2> i) { out[i[0] * 10 + i[1]] += 1; });
  queue.parallel_for(sycl::range(2, 5, 10), std::vector<sycl::event>{second}, hint,
                     [=](sycl::item<3> i) { out[i.get_linear_id()] += 1; }).wait();
  CHECK_EQUAL(out[99], 101);
  ints sum(queue, 1);
  queue.parallel_for(100, ex::properties{device_has<sycl::aspect::usm_shared_allocations>},
                     sycl::reduction(sum.data, sycl::plus<int>()), [=](sycl::id<1> i, auto& to) { to += out[i]; })
      .wait();
  CHECK_EQUAL(*sum.data, 99 * 50 + 200);
  queue.single_task(hint, [=](sycl::kernel_handler) { out[0] = -7; }).wait();
  CHECK_EQUAL(out[0], -7);
  queue.submit([&](sycl::handler& handler) { handler.single_task(ex::properties{}, not_const{out}); }).wait();
  CHECK_EQUAL(out[0], 1);
  // Sub-groups of GPUs have 32 work-items.
  const auto five = [=](sycl::nd_item<1> item) { out[item.get_global_id(0)] = 5; };
  if (queue.get_backend() == sycl::backend::ext_oneapi_cuda) {
    ex::nd_launch(queue, ex::launch_config(sycl::nd_range<1>(64, 16), ex::properties{work_group_size<16>}), five);
  } else {
    ex::nd_launch(queue, ex::launch_config(sycl::nd_range<1>(64, 16), both), five);
  }
  ex::parallel_for(queue, ex::launch_config(sycl::range<1>(100), hint), [=](sycl::id<1> i) { out[i] += 5; });
  queue.wait();
  CHECK_EQUAL(out[64] - 64, 7);
}

E2E_MAIN
