// sycl_ext_oneapi_group_load_store, and small extensions: sums of products of bytes, loads of constant memory, device
// information, pointers that name kinds of memory.
#include <sycl/ext/intel/device_info.hpp>
#include <sycl/ext/intel/usm_pointers.hpp>
#include <sycl/ext/oneapi/device_info.hpp>
#include <sycl/ext/oneapi/dot_product.hpp>
#include <sycl/ext/oneapi/experimental/cuda/builtins.hpp>
#include <sycl/ext/oneapi/experimental/device_architecture.hpp>
#include <sycl/ext/oneapi/experimental/group_load_store.hpp>
#include <sycl/ext/oneapi/experimental/opportunistic_group.hpp>
#include <sycl/ext/oneapi/experimental/root_group.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>

#include "check.hpp"

#include <algorithm>
#include <climits>
#include <span>
#include <vector>

#if !SYCL_EXT_ONEAPI_GROUP_LOAD_STORE || !SYCL_EXT_ONEAPI_NUM_COMPUTE_UNITS || !SYCL_EXT_ONEAPI_DOT_ACCUMULATE || \
    !SYCL_EXT_ONEAPI_CUDA_TEX_CACHE_READ || !SYCL_EXT_ONEAPI_MAX_WORK_GROUP_QUERY ||                              \
    !SYCL_EXT_INTEL_USM_ADDRESS_SPACES || !SYCL_EXT_ONEAPI_DEVICE_ARCHITECTURE || !SYCL_EXT_ONEAPI_ROOT_GROUP
#error "a feature-test macro is missing"
#endif

namespace oneapi = sycl::ext::oneapi::experimental;

namespace {

constexpr std::size_t each = 4;

/// Each group of `local` work-items loads its part of the numbers 0, 1, ... Returns the numbers that `kernel` stored.
template <class Kernel>
std::vector<int> run(std::size_t groups, std::size_t local, Kernel kernel) {
  sycl::queue queue = e2e::make_queue();
  const std::size_t count = groups * local * each;
  int* const in = sycl::malloc_shared<int>(count, queue);
  int* const out = sycl::malloc_shared<int>(count, queue);
  for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<int>(i), out[i] = -1;
  queue.parallel_for(sycl::nd_range<1>(groups * local, local), [=](sycl::nd_item<1> item) { kernel(item, in, out); })
      .wait();
  std::vector<int> result(out, out + count);
  sycl::free(in, queue), sycl::free(out, queue);
  return result;
}

template <class Expected>
void check_all(const std::vector<int>& found, Expected expected) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] != expected(i)) return CHECK_EQUAL(found[i], expected(i));
  }
}

}  // namespace

TEST("a group loads and stores elements one behind the other, or striped") {
  for (const std::size_t local : {1u, 7u, 32u, 64u}) {
    const std::size_t part = local * each;
    // The loads are blocked and the stores are striped, so element i of work-item w moves from w * each + i to i *
    // local + w.
    const auto moved = run(3, local, [part](sycl::nd_item<1> item, const int* in, int* out) {
      const std::size_t first = item.get_group(0) * part;
      int mine[each];
      oneapi::group_load(item.get_group(), in + first, std::span<int, each>(mine));
      oneapi::group_store(item.get_group(), std::span<int, each>(mine), out + first,
                          oneapi::properties(oneapi::data_placement_striped, oneapi::full_group));
    });
    check_all(moved, [&](std::size_t at) {
      const std::size_t in_group = at % part, item = in_group % local, i = in_group / local;
      return static_cast<int>(at - in_group + item * each + i);
    });
    // The loads are striped and the stores are blocked, so the elements move back.
    const auto back = run(3, local, [part](sycl::nd_item<1> item, const int* in, int* out) {
      const std::size_t first = item.get_group(0) * part;
      sycl::vec<int, each> mine;
      oneapi::group_load(item.get_group(), in + first, mine,
                         oneapi::properties(oneapi::contiguous_memory, oneapi::data_placement_striped));
      oneapi::group_store(item.get_group(), mine, out + first, oneapi::properties(oneapi::data_placement_blocked));
    });
    check_all(back, [&](std::size_t at) {
      const std::size_t in_group = at % part, item = in_group / each, i = in_group % each;
      return static_cast<int>(at - in_group + i * local + item);
    });
  }
}

TEST("groups load and store one element each, and convert it") {
  const auto found = run(2, 16, [](sycl::nd_item<1> item, const int* in, int* out) {
    const std::size_t first = item.get_group(0) * 16;
    double mine = 0.5;
    oneapi::group_load(item.get_group(), in + first, mine);
    oneapi::group_store(item.get_group(), mine * 2, out + first);
  });
  check_all(found, [](std::size_t at) { return at < 32 ? static_cast<int>(at) * 2 : -1; });
}

TEST("sub-groups load and store") {
  const auto found = run(2, 64, [](sycl::nd_item<1> item, const int* in, int* out) {
    const sycl::sub_group group = item.get_sub_group();
    const std::size_t first =
        (item.get_group(0) * 64 + group.get_group_linear_id() * group.get_max_local_range()[0]) * each;
    int mine[each];
    oneapi::group_load(group, in + first, std::span<int, each>(mine),
                       oneapi::properties(oneapi::data_placement_striped));
    for (int& value : mine) value += 1;
    oneapi::group_store(group, std::span<int, each>(mine), out + first,
                        oneapi::properties(oneapi::data_placement_striped));
  });
  check_all(found, [](std::size_t at) { return static_cast<int>(at) + 1; });
}

TEST("products of bytes are added with the signs of their types") {
  sycl::queue queue = e2e::make_queue();
  const auto numbers = e2e::random_values<std::int32_t>(1000, -2e9, 2e9);
  int* const memory = sycl::malloc_shared<int>(1000, queue);
  int* const sums = sycl::malloc_shared<int>(3000, queue);
  for (int i = 0; i < 1000; ++i) memory[i] = numbers[static_cast<std::size_t>(i)];
  queue
      .parallel_for(sycl::range<1>(999),
                    [=](sycl::id<1> at) {
                      const std::size_t i = at[0];
                      const std::int32_t a = oneapi::cuda::ldg(memory + i), b = memory[i + 1];
                      sums[3 * i] = sycl::ext::oneapi::dot_acc(a, b, 5);
                      sums[3 * i + 1] = sycl::ext::oneapi::dot_acc(static_cast<std::uint32_t>(a), b, -5);
                      const sycl::vec<std::uint8_t, 4> c(sycl::bit_cast<sycl::vec<std::uint8_t, 4>>(a));
                      sums[3 * i + 2] = sycl::ext::oneapi::dot_acc(c, sycl::bit_cast<sycl::vec<std::uint8_t, 4>>(b), 0);
                    })
      .wait();
  for (std::size_t i = 0; i < 999; ++i) {
    std::int8_t a[4], b[4];
    std::memcpy(a, &numbers[i], 4), std::memcpy(b, &numbers[i + 1], 4);
    int expected[3] = {5, -5, 0};
    for (int k = 0; k < 4; ++k) {
      expected[0] += a[k] * b[k];
      expected[1] += static_cast<std::uint8_t>(a[k]) * b[k];
      expected[2] += static_cast<std::uint8_t>(a[k]) * static_cast<std::uint8_t>(b[k]);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      if (sums[3 * i + k] != expected[k]) CHECK_EQUAL(sums[3 * i + k], expected[k]);
    }
  }
  sycl::free(memory, queue), sycl::free(sums, queue);
}

/// Sums of products of bytes, as programs with quantised numbers write them. Some of these sums do not use all bytes of
/// a word.
constexpr std::size_t dot_forms = 9;
inline void add_dots(const std::uint32_t* words, std::size_t at, std::size_t i, std::int32_t* sums) {
  const auto byte = [](std::uint32_t word, int k) { return static_cast<std::int8_t>(word >> 8 * k); };
  const auto plain = [](std::uint32_t word, int k) { return static_cast<int>(word >> 8 * k & 255); };
  const std::uint32_t a = words[i], b = words[i + 1];
  std::uint64_t c = 0, d = 0;
  std::memcpy(&c, words + i, 8), std::memcpy(&d, words + i + 3, 8);
  std::int32_t* const sum = sums + at * dot_forms;
  for (std::size_t form = 0; form < dot_forms; ++form) sum[form] = static_cast<std::int32_t>(form);
  for (int k = 0; k < 4; ++k) {
    sum[0] += byte(a, k) * byte(b, k);
    sum[1] += plain(a, k) * byte(b, k);
    sum[2] += plain(a, k) * plain(b, k);
    // Multiplies 4-bit parts of one word by bytes of another word, in equal and in opposite order.
    sum[3] += static_cast<int>(a >> (8 * k + 4) & 15) * byte(b, k) + static_cast<int>(a >> 8 * k & 15) * byte(b, 3 - k);
    // The last byte has another signedness than the first three.
    sum[4] += (k == 3 ? plain(a, k) : byte(a, k)) * byte(b, k);
    // The first factors begin at an odd byte, and one byte is a factor of two products.
    sum[5] += byte(static_cast<std::uint32_t>(c >> 8), k) * plain(b, k) + plain(b, k) * byte(a, k);
  }
  for (int k = 0; k < 8; ++k) {
    sum[6] += static_cast<std::int8_t>(c >> 8 * k) * static_cast<std::int8_t>(d >> 8 * k);
    const auto factor = static_cast<std::int8_t>(d >> 8 * k);
    sum[7] += static_cast<std::int32_t>(c >> 8 * k & 15) * factor;
    sum[7] += static_cast<std::int32_t>(c >> (8 * k + 4) & 15) * factor;
  }
  // One product is used a second time.
  const int shared = byte(a, 1) * byte(b, 1);
  sum[8] += byte(a, 0) * byte(b, 0) + shared + byte(a, 2) * byte(b, 2) + byte(a, 3) * byte(b, 3) - (shared ^ 5);
}

TEST("bytes of words are multiplied with their signs, wherever they lie") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t count = 1003;
  const auto numbers = e2e::random_values<std::int64_t>(count + 8, 0, 0xffffffff);
  auto* const words = sycl::malloc_shared<std::uint32_t>(count + 8, queue);
  for (std::size_t i = 0; i < count + 8; ++i) words[i] = static_cast<std::uint32_t>(numbers[i]);
  for (std::size_t i = 0; i < 16; ++i) words[i] = i % 3 == 0 ? 0x80808080 : i % 3 == 1 ? 0xffffffff : 0x7f007f80;
  auto* const sums = sycl::malloc_shared<std::int32_t>(2 * count * dot_forms, queue);
  std::int32_t* const in_groups = sums + count * dot_forms;
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { add_dots(words, i[0], i[0], sums); }).wait();
  queue
      .parallel_for(sycl::nd_range<1>(1024, 64),
                    [=](sycl::nd_item<1> item) {
                      const std::size_t i = item.get_global_id(0);
                      if (i >= count) return;
                      // Each lane of a sub-group reads another word. `turn` is 0, which the compiler does not know.
                      const sycl::sub_group group = item.get_sub_group();
                      const int turn = sycl::reduce_over_group(group, 0, sycl::plus<>());
                      add_dots(words, i, i + static_cast<std::size_t>(turn), in_groups);
                    })
      .wait();
  std::vector<std::int32_t> expected(count * dot_forms);
  for (std::size_t i = 0; i < count; ++i) add_dots(words, i, i, expected.data());
  for (std::size_t i = 0; i < count * dot_forms; ++i) {
    if (sums[i] != expected[i]) CHECK_EQUAL(sums[i], expected[i]);
    if (in_groups[i] != expected[i]) CHECK_EQUAL(in_groups[i], expected[i]);
  }
  sycl::free(words, queue), sycl::free(sums, queue);
}

TEST("a device says how many compute units it has and work-groups it takes") {
  const sycl::device device = e2e::make_queue().get_device();
  const std::size_t units = device.get_info<sycl::ext::oneapi::info::device::num_compute_units>();
  CHECK(units > 0);
  CHECK_EQUAL(units, std::size_t{device.get_info<sycl::info::device::max_compute_units>()});
  const sycl::id<2> groups = device.get_info<oneapi::info::device::max_work_groups<2>>();
  CHECK(groups[0] > 1000 && groups[1] > 1000);
  CHECK(groups[0] <= INT_MAX && groups[1] <= INT_MAX);  // programs keep the numbers in an int
  CHECK(device.get_info<oneapi::info::device::max_global_work_groups>() >= groups[1]);
}

TEST("what Intel's queries say, the aspects of the same names tell before") {
  const sycl::device device = e2e::make_queue().get_device();
  namespace info = sycl::ext::intel::info::device;
  if (device.get_backend() == sycl::backend::sinter_cpu) CHECK(device.has(sycl::aspect::ext_intel_free_memory));
  if (device.has(sycl::aspect::ext_intel_free_memory)) {
    const std::uint64_t free = device.get_info<info::free_memory>();
    CHECK(free > 0 && free <= device.get_info<sycl::info::device::global_mem_size>());
  }
  using sycl::aspect;
  const auto agrees = [&]<class Descriptor>(Descriptor, aspect which) {
    const bool known = device.has(which);
    const auto all = device.get_info<sycl::info::device::aspects>();
    CHECK_EQUAL(known, std::find(all.begin(), all.end(), which) != all.end());
    try {
      CHECK(device.get_info<Descriptor>() != typename Descriptor::return_type());
      return known;
    } catch (const sycl::exception& error) {
      return !known && error.code() == sycl::errc::feature_not_supported;
    }
  };
  CHECK(agrees(info::free_memory(), aspect::ext_intel_free_memory));
  CHECK(agrees(info::device_id(), aspect::ext_intel_device_id));
  CHECK(agrees(info::uuid(), aspect::ext_intel_device_info_uuid));
  CHECK(agrees(info::pci_address(), aspect::ext_intel_pci_address));
  CHECK(agrees(info::memory_clock_rate(), aspect::ext_intel_memory_clock_rate));
  CHECK(agrees(info::memory_bus_width(), aspect::ext_intel_memory_bus_width));
  CHECK(agrees(info::max_mem_bandwidth(), aspect::ext_intel_max_mem_bandwidth));
  CHECK(agrees(info::gpu_eu_count(), aspect::ext_intel_gpu_eu_count));
  CHECK(!device.has(aspect::ext_intel_esimd) && !device.has(aspect::ext_intel_gpu_slices));
  if (device.get_backend() == sycl::backend::sinter_cpu) CHECK(device.has(aspect::ext_intel_device_id));
  const bool apart = device.get_info<sycl::info::device::sub_group_independent_forward_progress>();
  CHECK_EQUAL(apart, device.get_backend() == sycl::backend::ext_oneapi_cuda);
}

TEST("the work-items of an opportunistic group take one place each in an array") {
  sycl::queue queue = e2e::make_queue();
  int* const taken = sycl::malloc_shared<int>(101, queue);
  std::fill(taken, taken + 101, 0);
  queue
      .parallel_for(
          sycl::nd_range<1>(200, 20),
          [=](sycl::nd_item<1> item) {
            if (item.get_global_id(0) % 2 != 0) return;
            const auto group = oneapi::this_kernel::get_opportunistic_group();
            int first = 0;
            if (group.leader()) {
              sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> count(taken[100]);
              first = count.fetch_add(static_cast<int>(group.get_local_linear_range()));
            }
            taken[sycl::group_broadcast(group, first) + static_cast<int>(group.get_local_linear_id())] += 1;
          })
      .wait();
  CHECK_EQUAL(taken[100], 100);
  CHECK(std::all_of(taken, taken + 100, [](int count) { return count == 1; }));
  sycl::free(taken, queue);
}

TEST("root groups have as many work-groups as can meet, and their work-items meet") {
  sycl::queue queue = e2e::make_queue();
  int* const values = sycl::malloc_shared<int>(97, queue);
  values[96] = 1;
  const auto kernel = [=](sycl::nd_item<2> item) {
    const oneapi::root_group<2> all = item.ext_oneapi_get_root_group();
    const auto place = static_cast<int>(all.get_local_linear_id());
    values[place] = all.leader() ? 100 : place;
    sycl::group_barrier(all);
    values[48 + place] = values[47 - place];
    const bool fits = all.get_local_range() == sycl::range<2>(4, 12) && all.get_group_range() == sycl::range<2>(1, 1) &&
                      all.get_local_id()[1] == item.get_local_id(1) && all.get_group_linear_range() == 1 &&
                      oneapi::this_work_item::get_root_group<2>().get_local_linear_id() == all.get_local_linear_id() &&
                      oneapi::get_child_group(all).get_local_linear_range() == 48 &&
                      oneapi::get_child_group(oneapi::get_child_group(all)).get_group_id() ==
                          item.get_sub_group().get_group_id();
    if (!fits) values[96] = 0;
  };
  queue.parallel_for(sycl::nd_range<2>({4, 12}, {4, 12}), oneapi::properties{oneapi::use_root_sync}, kernel).wait();
  for (int i = 0; i < 48; ++i) CHECK_EQUAL(values[48 + i], i == 47 ? 100 : 47 - i);
  CHECK_EQUAL(values[96], 1);
  sycl::free(values, queue);
}

namespace {
struct meets_all {
  auto get(oneapi::properties_tag) const { return oneapi::properties{oneapi::use_root_sync}; }
  void operator()(sycl::nd_item<1> item) const { sycl::group_barrier(item.ext_oneapi_get_root_group()); }
};
}  // namespace

TEST("more work-groups than can meet are refused where they are launched, and the kernel says how many can") {
  sycl::queue queue = e2e::make_queue();
  const auto refused = [&](std::size_t groups, bool by_list) {
    const sycl::nd_range<1> size(groups * 16, 16);
    try {
      if (by_list) {
        queue.parallel_for(size, oneapi::properties{oneapi::work_group_size<16>, oneapi::use_root_sync}, meets_all());
      } else {
        queue.parallel_for(size, meets_all());
      }
      queue.wait();
      return false;
    } catch (const sycl::exception& error) {
      CHECK(error.code() == sycl::errc::nd_range);
      return true;
    }
  };
  const auto kernel = sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context())
                          .get_kernel(sycl::get_kernel_id<meets_all>());
  namespace queries = oneapi::info::kernel_queue_specific;
  const std::size_t most = kernel.ext_oneapi_get_info<queries::max_num_work_groups>(queue, sycl::range<1>(16), 64);
  const bool has_many = e2e::is_cuda_or_hip(queue.get_backend());
  CHECK_EQUAL(most > 1, has_many);
  CHECK_EQUAL(kernel.ext_oneapi_get_info<queries::max_num_work_group_sync>(queue) > 1, has_many);
  CHECK_EQUAL(kernel.ext_oneapi_get_info<queries::max_num_work_groups>(queue, 1 << 20), 0u);
  CHECK_EQUAL(kernel.ext_oneapi_get_info<queries::max_num_work_groups>(queue, sycl::range<3>(1, 4, 4), 64), most);
  try {
    kernel.ext_oneapi_get_info<queries::max_num_work_groups>(queue, sycl::range<2>(4, 0));
    CHECK(!"refused");
  } catch (const sycl::exception& error) {
    CHECK(error.code() == sycl::errc::invalid);
  }
  for (const bool by_list : {false, true}) {
    CHECK(!refused(most, by_list));
    CHECK(refused(most + 1, by_list));
  }
}

TEST("a kernel that has local accessors says how many of its groups fit before it is launched") {
  sycl::queue queue = e2e::make_queue();
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context());
  const auto kernel = bundle.get_kernel(sycl::get_kernel_id<class mirrors_in_groups>());
  using most_groups = oneapi::info::kernel_queue_specific::max_num_work_groups;
  const std::size_t most = kernel.ext_oneapi_get_info<most_groups>(queue, sycl::range<1>(16), 16 * sizeof(int));
  CHECK(most >= 1 && most < 100'000);
  int* values = sycl::malloc_shared<int>(64, queue);
  queue.submit([&](sycl::handler& handler) {
    const sycl::local_accessor<int, 1> mirror(16, handler);
    handler.parallel_for<class mirrors_in_groups>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> item) {
      const std::size_t at = item.get_local_id(0);
      mirror[15 - at] = static_cast<int>(item.get_global_id(0));
      sycl::group_barrier(item.get_group());
      values[item.get_global_id(0)] = mirror[at];
    });
  });
  queue.wait();
  for (int i = 0; i < 64; ++i) CHECK_EQUAL(values[i], i / 16 * 16 + 15 - i % 16);
  CHECK_EQUAL(kernel.ext_oneapi_get_info<most_groups>(queue, sycl::range<1>(16), 16 * sizeof(int)), most);
  sycl::free(values, queue);
}

TEST("use_root_sync alone asks for nothing: migrated programs give it to every launch") {
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t size : e2e::sizes()) {
    int* const values = sycl::malloc_shared<int>(size * 4 + 1, queue);
    const auto kernel = [=](sycl::nd_item<1> item) {
      sycl::group_barrier(item.get_group());
      values[item.get_global_id(0)] = static_cast<int>(item.get_group(0));
    };
    queue.parallel_for(sycl::nd_range<1>(size * 4, 4), oneapi::properties{oneapi::use_root_sync}, kernel).wait();
    for (std::size_t i = 0; i < size * 4; ++i) CHECK_EQUAL(values[i], static_cast<int>(i / 4));
    sycl::free(values, queue);
  }
}

namespace {
/// In each round, each work-group reads the numbers that the next group wrote in the round before.
struct passes_on {
  unsigned *values, *taken;
  std::size_t rounds;
  auto get(oneapi::properties_tag) const { return oneapi::properties{oneapi::use_root_sync}; }
  void operator()(sycl::nd_item<1> item) const {
    const auto all = item.ext_oneapi_get_root_group();
    const std::size_t place = all.get_local_linear_id(), count = all.get_local_linear_range();
    const std::size_t behind = (place + item.get_local_range(0)) % count;
    for (std::size_t round = 0; round < rounds; ++round) {
      values[place] = values[place] * 3 + static_cast<unsigned>(place);
      sycl::group_barrier(all);
      const unsigned theirs = values[behind];
      sycl::group_barrier(all);
      values[place] += theirs;
    }
    taken[place] = values[place];
  }
};
}  // namespace

TEST("all work-groups that can meet do, again and again") {
  sycl::queue queue = e2e::make_queue();
  const auto kernel = sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context())
                          .get_kernel(sycl::get_kernel_id<passes_on>());
  namespace queries = oneapi::info::kernel_queue_specific;
  constexpr std::size_t size = 96;
  const std::size_t most = kernel.ext_oneapi_get_info<queries::max_num_work_groups>(queue, sycl::range<1>(size));
  for (const std::size_t groups : {std::size_t{1}, (most + 1) / 2, most}) {
    for (const std::size_t rounds : {0, 1, 7}) {
      const std::size_t count = groups * size;
      unsigned* const values = sycl::malloc_shared<unsigned>(2 * count, queue);
      for (std::size_t i = 0; i < 2 * count; ++i) values[i] = static_cast<unsigned>(i);
      std::vector<unsigned> expected(values, values + count);
      for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < count; ++i) expected[i] = expected[i] * 3 + static_cast<unsigned>(i);
        const std::vector<unsigned> before = expected;
        for (std::size_t i = 0; i < count; ++i) expected[i] += before[(i + size) % count];
      }
      queue.parallel_for(sycl::nd_range<1>(count, size), passes_on{values, values + count, rounds}).wait();
      CHECK(std::equal(expected.begin(), expected.end(), values + count));
      sycl::free(values, queue);
    }
  }
}

TEST("a device says its architecture") {
  const sycl::device device = e2e::make_queue().get_device();
  const oneapi::architecture its = device.get_info<oneapi::info::device::architecture>();
  [[maybe_unused]] const bool on_cpu = device.get_backend() == sycl::backend::sinter_cpu;
  const bool on_nvidia = device.get_backend() == sycl::backend::ext_oneapi_cuda;
#if defined(__x86_64__)
  const bool is_named = on_cpu;
#else
  const bool is_named = false;
#endif
  CHECK_EQUAL(its == oneapi::architecture::x86_64, is_named);
  CHECK_EQUAL(its == oneapi::architecture::unknown, !is_named && !on_nvidia);
  CHECK(device.ext_oneapi_architecture_is(its));
  CHECK(!device.ext_oneapi_architecture_is(oneapi::architecture::intel_gpu_pvc));
  CHECK_EQUAL(device.ext_oneapi_architecture_is(oneapi::arch_category::nvidia_gpu), on_nvidia);
}

TEST("pointers that name a kind of USM memory are global pointers") {
  sycl::queue queue = e2e::make_queue();
  int* const memory = sycl::malloc_device<int>(2, queue);
  queue
      .single_task([=] {
        const sycl::ext::intel::device_ptr<int> first(memory);
        const sycl::ext::intel::raw_host_ptr<int> second(memory + 1);
        const sycl::global_ptr<int> same = first;
        same[0] = 3;
        *second = 4;
      })
      .wait();
  int found[2] = {};
  queue.memcpy(found, memory, sizeof(found)).wait();
  CHECK_EQUAL(found[0], 3);
  CHECK_EQUAL(found[1], 4);
  sycl::free(memory, queue);
}

E2E_MAIN
