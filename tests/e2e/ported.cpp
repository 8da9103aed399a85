// Programs written for other implementations compile unchanged: standard headers that their umbrella headers include,
// SYCL 1.2.1's namespace, selectors and atomics, and names that only other vendors' devices support.
#undef SINTER_LEAN_HEADERS
#if !defined(SINTER_E2E_LIBRARY_MODE) && !(__SYCL_UNNAMED_LAMBDA__ && __SYCL_SINGLE_SOURCE__)
#error "libraries ask for these before they include anything"
#endif
#include <CL/sycl.hpp>
#include <sycl/access/access.hpp>
#include <sycl/ext/intel/experimental/kernel_properties.hpp>
#include <sycl/info/info_desc.hpp>
#include <sycl/properties/queue_properties.hpp>
#include <sycl/usm/usm_allocator.hpp>
#include <sycl/version.hpp>
#if __SYCL_COMPILER_VERSION < 20220902
#error "libraries take names from before SYCL 2020"
#endif

static const std::map<std::string, std::vector<int>> brought = {{"sum", {1, 2, 3}}};
static const auto began = std::chrono::steady_clock::now();

#include "check.hpp"

TEST("the umbrella header brings the standard headers that others' bring") {
  std::ostringstream text;
  text << std::setw(4) << std::accumulate(brought.at("sum").begin(), brought.at("sum").end(), 0) << std::sqrt(4.0);
  CHECK_EQUAL(text.str(), std::string("   62"));
  CHECK(std::chrono::steady_clock::now() >= began);
  CHECK_EQUAL(std::max<int>(INT_MIN, std::numeric_limits<int>::max()), INT_MAX);
  assert(std::make_optional(1).value() == 1);
  std::cout << std::flush;
}

namespace {
struct prefers_cpus : cl::sycl::device_selector {
  int operator()(const sycl::device& candidate) const override { return candidate.is_cpu() ? 7 : -1; }
};
}  // namespace

TEST("selectors of SYCL 1.2.1 choose devices, derived and by reference to their base") {
  CPU_ONLY;
  CHECK(cl::sycl::queue(prefers_cpus()).get_device().is_cpu());
  const prefers_cpus own;
  const sycl::device_selector& any = own;
  CHECK(sycl::queue(any).get_device().is_cpu());
  CHECK(sycl::device(sycl::default_selector{}) == sycl::default_selector().select_device());
  CHECK(sycl::cpu_selector().select_device().is_cpu());
  struct counting_selector {
    int asked = 0;
    int operator()(const sycl::device& candidate) { return candidate.is_cpu() ? 100 + ++asked : -1; }
  };
  CHECK(sycl::queue(counting_selector()).get_device().is_cpu());
  CHECK(sycl::host_selector{}.select_device().is_cpu());
}

TEST("what became aspects is asked for by its older names") {
  const sycl::device device = e2e::make_queue().get_device();
  namespace info = sycl::info::device;
  CHECK_EQUAL(device.get_info<info::usm_device_allocations>(), device.has(sycl::aspect::usm_device_allocations));
  CHECK_EQUAL(device.get_info<info::usm_host_allocations>(), device.has(sycl::aspect::usm_host_allocations));
  CHECK_EQUAL(device.get_info<info::usm_shared_allocations>(), device.has(sycl::aspect::usm_shared_allocations));
  CHECK_EQUAL(device.get_info<info::usm_system_allocations>(), device.has(sycl::aspect::usm_system_allocations));
}

TEST("a queue is assigned a selector of SYCL 1.2.1") {
  sycl::queue queue = e2e::make_queue();
  queue = sycl::default_selector();
  CHECK(queue.get_device() == sycl::device(sycl::default_selector_v));
  static_assert(!std::is_convertible_v<decltype(sycl::default_selector_v), sycl::queue>);
}

TEST("types of OpenCL have their names outside of any namespace") {
  static_assert(std::is_same_v<::cl_ulong, sycl::opencl::cl_ulong> && sizeof(::cl_short) == 2);
  static_assert(std::is_same_v<::cl_float, float>);
}

TEST("hints and parts of other vendors' devices are known by name") {
  sycl::queue queue = e2e::make_queue();
  using partition = sycl::info::partition_property;
  const auto kinds = queue.get_device().get_info<sycl::info::device::partition_properties>();
  CHECK_EQUAL(queue.get_device().get_info<sycl::info::device::reference_count>(), 1u);
  CHECK(std::find(kinds.begin(), kinds.end(), partition::ext_intel_partition_by_cslice) == kinds.end());
  try {
    queue.get_device().create_sub_devices<partition::ext_intel_partition_by_cslice>();
    CHECK(!"no device has slices");
  } catch (const sycl::exception& error) {
    CHECK(error.code() == sycl::errc::feature_not_supported);
  }
  std::vector<int> data(100, 3);
  int* const memory = sycl::malloc_device<int>(data.size(), queue);
  sycl::ext::oneapi::experimental::prepare_for_device_copy(data.data(), data.size() * sizeof(int), queue);
  queue.copy(data.data(), memory, data.size()).wait();
  queue
      .parallel_for(sycl::range<1>(data.size()),
                    [=](sycl::id<1> i) {
                      namespace intel = sycl::ext::intel::experimental;
                      intel::set_kernel_properties(intel::kernel_properties::use_large_grf);
                      memory[i] += 1;
                    })
      .wait();
  queue.copy(memory, data.data(), data.size()).wait();
  sycl::ext::oneapi::experimental::release_from_device_copy(data.data(), queue);
  CHECK(std::all_of(data.begin(), data.end(), [](int value) { return value == 4; }));
  sycl::free(memory, queue);
}

TEST("names of other backends can be compared with") {
  CPU_ONLY;
  const sycl::backend mine = e2e::make_queue().get_backend();
  for (const sycl::backend other :
       {sycl::backend::opencl, sycl::backend::ext_oneapi_level_zero, sycl::backend::ext_oneapi_cuda,
        sycl::backend::ext_oneapi_hip, sycl::backend::ext_oneapi_native_cpu, sycl::backend::cuda, sycl::backend::hip,
        sycl::backend::level_zero, sycl::backend::omp}) {
    CHECK(mine != other);
  }
}

TEST("sycl::atomic counts, compares and exchanges, through accessors of access_mode::atomic") {
  for (const std::size_t groups : {0, 1, 5, 33}) {
    constexpr std::size_t size = 48;
    const std::vector<int> input = e2e::random_values<int>(groups * size);
    std::vector<int> expected = {0, INT_MIN, INT_MAX, 0, 0}, seen = expected;
    std::vector<int> sums(groups, 0), expected_sums(groups, 0);
    for (std::size_t i = 0; i < input.size(); ++i) {
      expected[0] += input[i];
      expected[1] = std::max(expected[1], input[i]);
      expected[2] = std::min(expected[2], input[i]);
      expected[3] |= input[i];
      if (input[i] == 5) expected[4] = 1;
      expected_sums[i / size] += input[i] & 15;
    }
    {
      sycl::queue queue = e2e::make_queue();
      sycl::buffer<int> in(input.data(), std::max<std::size_t>(1, input.size())), out(seen), per_group(sums);
      if (groups != 0) {
        queue.submit([&](sycl::handler& handler) {
          const auto values = in.get_access<sycl::access::mode::read>(handler);
          const auto results = out.get_access<sycl::access::mode::atomic>(handler);
          const auto group_sums = per_group.get_access<sycl::access::mode::write>(handler);
          const sycl::accessor<int, 1, sycl::access::mode::atomic, sycl::access::target::local> local(sycl::range<1>(1),
                                                                                                      handler);
          handler.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> item) {
            const int value = values[item.get_global_id()];
            if (item.get_local_id(0) == 0) local[0].store(0);
            item.barrier(sycl::access::fence_space::local_space);
            sycl::atomic_fetch_add(results[0], value);
            results[1].fetch_max(value);
            results[2].fetch_min(value);
            atomic_fetch_or(results[3], value);
            int none = 0;
            if (value == 5) results[4].compare_exchange_strong(none, 1);
            local[0].fetch_add(value & 15);
            item.barrier(sycl::access::fence_space::local_space);
            if (item.get_local_id(0) == 0) group_sums[item.get_group(0)] = sycl::atomic_load(local[0]);
          });
        });
      }
    }
    CHECK_ALL_EQUAL(seen, expected);
    CHECK_ALL_EQUAL(sums, expected_sums);
  }
}

TEST("sycl::atomic works on USM memory through multi_ptr") {
  sycl::queue queue = e2e::make_queue();
  float* const data = sycl::malloc_shared<float>(2, queue);
  data[0] = 1, data[1] = 0;
  queue
      .single_task([=] {
        sycl::atomic<float> first{sycl::global_ptr<float>(data)};
        data[1] = first.exchange(2.5f);
        data[1] += sycl::atomic_exchange(first, 4.0f);
      })
      .wait();
  CHECK_EQUAL(data[0], 4.0f);
  CHECK_EQUAL(data[1], 3.5f);
  sycl::free(data, queue);
}

TEST("pointers of SYCL 1.2.1 compare with raw pointers and are made from accessors of constant memory") {
  using global = sycl::multi_ptr<int, sycl::access::address_space::global_space>;
  using constant = sycl::multi_ptr<int, sycl::access::address_space::constant_space>;
  sycl::queue queue = e2e::make_queue();
  const std::vector<int> values = {3, 1, 4, 1};
  std::vector<int> seen(10, -1);
  {
    sycl::buffer<int> in(values.data(), values.size()), out(seen);
    queue.submit([&](sycl::handler& handler) {
      const auto table = in.get_access<sycl::access::mode::read, sycl::access::target::constant_buffer>(handler);
      sycl::accessor results(out, handler);
      handler.single_task([=] {
        const constant first(table);
        int* const start = &results[0];
        const void* const untyped = start;
        const global a(start), b = a + 1;
        const sycl::multi_ptr<const void, sycl::access::address_space::global_space> v(a);
        results[0] = first[2];
        results[1] = a == start && start == a && !(a != start);
        results[2] = b == start || start == b;
        results[3] = a < b && b > start && start <= a;
        results[4] = v == untyped && untyped == v;
        results[5] = v != untyped || v == nullptr;
        results[6] = a == global(start) && a != b;
        results[7] = std::is_same_v<global::const_reference_t, const int&>;
        results[8] = static_cast<int>(b - a);
      });
    });
  }
  CHECK_ALL_EQUAL(seen, (std::vector<int>{4, 1, 0, 1, 1, 0, 1, 1, 1, -1}));
}

// A program's own sub-group class. The specialization of is_sub_group below makes group functions accept it, as in
// programs for DPC++.
namespace {
template <unsigned Size>
class tile : public sycl::sub_group {
public:
  template <class Parent>
  explicit tile(const Parent&) : rank(static_cast<unsigned>(get_local_id())) {}
  void sync() const { this->barrier(); }
  bool any(bool condition) const { return sycl::any_of_group(*this, condition); }
  bool all(bool condition) const { return sycl::all_of_group(*this, condition); }
  unsigned rank;
};
}  // namespace
namespace sycl::detail {
template <unsigned Size>
struct is_sub_group<::tile<Size>> : std::true_type {};
namespace spirv {
template <class Group>
struct group_scope;
template <unsigned Size>
struct group_scope<::tile<Size>> {
  static constexpr __spv::Scope::Flag value = __spv::Scope::Flag::Subgroup;
};
}  // namespace spirv
}  // namespace sycl::detail

TEST("group functions take a program's own class of sub-groups") {
  static_assert(sycl::is_group_v<tile<8>> && !sycl::is_group_v<int>);
  static_assert(sycl::detail::spirv::group_scope<tile<8>>::value == 3);
  constexpr std::size_t per_group = 72;
  for (const std::size_t groups : {0, 1, 7}) {
    const std::size_t size = groups * per_group;
    std::vector<int> input = e2e::random_values<int>(size);
    for (int& value : input) value &= 7;
    std::vector<int> any(size, -1), all(any), sums(any), firsts(any), scans(any), expected_any(any), expected_all(any),
        expected_sums(any), expected_firsts(any), expected_scans(any);
    std::vector<unsigned> width(1, 1);
    {
      sycl::queue queue = e2e::make_queue();
      sycl::buffer<int> in(input.data(), std::max<std::size_t>(1, size));
      const auto buffer_of = [&](std::vector<int>& values) {
        return sycl::buffer<int>(values.data(), std::max<std::size_t>(1, size));
      };
      sycl::buffer<int> any_of = buffer_of(any), all_of = buffer_of(all), sum_of = buffer_of(sums),
                        first_of = buffer_of(firsts), scan_of = buffer_of(scans);
      sycl::buffer<unsigned> width_of(width);
      if (size != 0) {
        queue.submit([&](sycl::handler& handler) {
          const sycl::accessor values(in, handler, sycl::read_only);
          const sycl::accessor a(any_of, handler), b(all_of, handler), c(sum_of, handler), d(first_of, handler),
              e(scan_of, handler);
          const sycl::accessor w(width_of, handler);
          handler.parallel_for(sycl::nd_range<1>(size, per_group), [=](sycl::nd_item<1> item) {
            const tile<8> mine(item.get_group());
            const std::size_t i = item.get_global_id(0);
            a[i] = mine.any(values[i] == 7);
            mine.sync();
            b[i] = mine.all(values[i] != 7);
            c[i] = sycl::reduce_over_group(mine, values[i], sycl::plus<int>());
            d[i] = sycl::group_broadcast(mine, values[i]);
            e[i] = sycl::inclusive_scan_over_group(mine, values[i], sycl::plus<int>());
            if (i == 0) w[0] = mine.get_max_local_range()[0];
          });
        });
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t of_group = i / per_group * per_group, local = i - of_group;
      const std::size_t begin = of_group + local / width[0] * width[0];
      const std::size_t end = std::min(begin + width[0], of_group + per_group);
      const auto first = input.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = input.begin() + static_cast<std::ptrdiff_t>(end);
      expected_any[i] = std::count(first, last, 7) != 0;
      expected_all[i] = std::count(first, last, 7) == 0;
      expected_sums[i] = std::accumulate(first, last, 0);
      expected_firsts[i] = *first;
      expected_scans[i] = std::accumulate(first, input.begin() + static_cast<std::ptrdiff_t>(i) + 1, 0);
    }
    CHECK_ALL_EQUAL(any, expected_any);
    CHECK_ALL_EQUAL(all, expected_all);
    CHECK_ALL_EQUAL(sums, expected_sums);
    CHECK_ALL_EQUAL(firsts, expected_firsts);
    CHECK_ALL_EQUAL(scans, expected_scans);
  }
}

TEST("a kernel may take its item by auto&") {
  for (const std::size_t size : e2e::sizes()) {
    std::vector<int> seen(size, -1), expected(size);
    std::iota(expected.begin(), expected.end(), 0);
    if (size != 0) {
      sycl::queue queue = e2e::make_queue();
      sycl::buffer buffer(seen);
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor out(buffer, handler);
        handler.parallel_for(size, [=](auto& i) { out[i] = static_cast<int>(i); });
      });
    }
    CHECK_ALL_EQUAL(seen, expected);
  }
}

TEST("reductions combine pairs, which are device-copyable but not trivially copyable") {
  using entry = std::pair<float, int>;
  for (const std::size_t size : e2e::sizes()) {
    const std::vector<float> values = e2e::random_values<float>(size);
    const entry none = {std::numeric_limits<float>::max(), std::numeric_limits<int>::max()};
    entry expected = none;
    for (std::size_t i = 0; i < size; ++i) expected = std::min(expected, entry(values[i], static_cast<int>(i)));
    sycl::queue queue = e2e::make_queue();
    entry* const least = sycl::malloc_shared<entry>(1, queue);
    float* const data = sycl::malloc_shared<float>(size + 1, queue);
    std::copy(values.begin(), values.end(), data);
    *least = none;
    queue
        .parallel_for(sycl::range<1>(size), sycl::reduction(least, none, sycl::minimum<entry>()),
                      [=](sycl::id<1> i, auto& reducer) { reducer.combine({data[i], static_cast<int>(i[0])}); })
        .wait();
    CHECK(*least == expected);
    sycl::free(least, queue);
    sycl::free(data, queue);
  }
}

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunknown-attributes"
#else
#pragma GCC diagnostic ignored "-Wattributes"
#endif
TEST("attributes of other vendors' devices do no harm") {
  sycl::queue queue = e2e::make_queue();
  int* const data = sycl::malloc_shared<int>(64, queue);
  queue.single_task([=]() [[intel::kernel_args_restrict]] {
    [[intel::fpga_register]] int last = 0;
    [[intel::ivdep]] for (int i = 0; i < 64; ++i)
      last = data[i] = i;
    data[0] = last;
  });
  queue.wait();
  queue
      .parallel_for(sycl::nd_range<1>(64, 8),
                    [=](sycl::nd_item<1> item)
                        [[intel::max_work_group_size(1, 1, 64)]] { data[item.get_global_id(0)] *= 2; })
      .wait();
  CHECK_EQUAL(data[0], 126);
  CHECK_EQUAL(data[63], 126);
  sycl::free(data, queue);
}

E2E_MAIN
