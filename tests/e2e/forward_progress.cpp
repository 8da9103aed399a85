// sycl_ext_oneapi_forward_progress: what devices guarantee, what kernels demand, and work-groups that wait for others.
#include <sycl/ext/oneapi/experimental/forward_progress.hpp>
#include <sycl/ext/oneapi/experimental/root_group.hpp>

#include "check.hpp"

#include <algorithm>
#include <string>
#include <vector>

#if SYCL_EXT_ONEAPI_FORWARD_PROGRESS != 1
#error "the feature-test macro is missing"
#endif

namespace ex = sycl::ext::oneapi::experimental;
using ex::execution_scope, ex::forward_progress_guarantee;

namespace {

constexpr auto concurrent = forward_progress_guarantee::concurrent;
constexpr auto parallel = forward_progress_guarantee::parallel;
constexpr auto weakly_parallel = forward_progress_guarantee::weakly_parallel;
constexpr auto work_item = execution_scope::work_item, sub_group = execution_scope::sub_group;
constexpr auto work_group = execution_scope::work_group, root_group = execution_scope::root_group;

static_assert(ex::work_group_progress<parallel, root_group>.guarantee == parallel);
static_assert(ex::work_item_progress<parallel, sub_group>.coordinationScope == sub_group);
static_assert(ex::is_property_key_v<ex::sub_group_progress_key> &&
              ex::is_property_value_v<ex::sub_group_progress_key::value_t<parallel, work_group>> &&
              ex::has_compile_time_kernel_effect_v<ex::work_group_progress_key::value_t<concurrent, root_group>>);

using guarantees = std::vector<forward_progress_guarantee>;

template <execution_scope Scope, execution_scope Among>
guarantees given(const sycl::device& by) {
  if constexpr (Scope == work_item) {
    return by.get_info<ex::info::device::work_item_progress_capabilities<Among>>();
  } else if constexpr (Scope == sub_group) {
    return by.get_info<ex::info::device::sub_group_progress_capabilities<Among>>();
  } else {
    return by.get_info<ex::info::device::work_group_progress_capabilities<Among>>();
  }
}
template <execution_scope Scope, forward_progress_guarantee Guarantee, execution_scope Among>
constexpr auto property_of() {
  if constexpr (Scope == work_item) {
    return ex::properties{ex::work_item_progress<Guarantee, Among>};
  } else if constexpr (Scope == sub_group) {
    return ex::properties{ex::sub_group_progress<Guarantee, Among>};
  } else {
    return ex::properties{ex::work_group_progress<Guarantee, Among>};
  }
}

template <execution_scope Scope, forward_progress_guarantee Guarantee, execution_scope Among>
struct demanding {
  int* out;
  auto get(ex::properties_tag) const { return property_of<Scope, Guarantee, Among>(); }
  void operator()(sycl::nd_item<1> item) const { out[item.get_global_id(0)] += static_cast<int>(item.get_local_id(0)); }
  void operator()() const { out[0] += 1000; }
};

/// Launches a group of 24 work-items and a single task whose properties demand the guarantee, once by the property list
/// of the launch and once by the kernel's own. Returns whether all of them ran, or all were refused.
template <execution_scope Scope, forward_progress_guarantee Guarantee, execution_scope Among>
bool runs(sycl::queue& queue) {
  int* const out = sycl::malloc_shared<int>(24, queue);
  for (int i = 0; i < 24; ++i) out[i] = 0;
  const demanding<Scope, Guarantee, Among> own{out};
  int refused = 0;
  const auto launch = [&](const auto& how) {
    try {
      how();
      queue.wait();
    } catch (const sycl::exception& error) {
      CHECK(error.code() == sycl::errc::feature_not_supported);
      CHECK(std::string(error.what()).find("_progress") != std::string::npos);
      ++refused;
    }
  };
  const sycl::nd_range<1> size(24, 24);
  launch([&] { queue.parallel_for(size, own); });
  launch([&] { queue.single_task(own); });
  launch([&] {
    queue.parallel_for(size, property_of<Scope, Guarantee, Among>(),
                       [=](sycl::nd_item<1> item) { out[item.get_global_id(0)] += 7; });
  });
  launch([&] { queue.single_task(property_of<Scope, Guarantee, Among>(), [=] { out[0] += 500; }); });
  CHECK(refused == 0 || refused == 4);
  for (int i = 0; i < 24; ++i) CHECK_EQUAL(out[i], refused != 0 ? 0 : i + 7 + (i == 0 ? 1500 : 0));
  sycl::free(out, queue);
  return refused == 0;
}

template <execution_scope Scope, execution_scope Among>
void agrees(sycl::queue& queue) {
  const guarantees all = given<Scope, Among>(queue.get_device());
  const auto has = [&](forward_progress_guarantee wanted) {
    return std::find(all.begin(), all.end(), wanted) != all.end();
  };
  CHECK(has(weakly_parallel));
  CHECK(has(parallel) || !has(concurrent));
  CHECK_EQUAL((runs<Scope, concurrent, Among>(queue)), has(concurrent));
  CHECK_EQUAL((runs<Scope, parallel, Among>(queue)), has(parallel));
  CHECK((runs<Scope, weakly_parallel, Among>(queue)));
}

/// Each work-group but the first waits for the group before it, and each but the last for the group after it.
struct waits_for_neighbours {
  unsigned* steps;
  std::size_t rounds;
  auto get(ex::properties_tag) const { return ex::properties{ex::work_group_progress<concurrent, root_group>}; }
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t group = item.get_group(0), groups = item.get_group_range(0);
    const auto step_of = [&](std::size_t which) {
      return sycl::atomic_ref<unsigned, sycl::memory_order::acq_rel, sycl::memory_scope::device>(steps[which]);
    };
    for (unsigned round = 1; round <= rounds; ++round) {
      if (item.get_local_linear_id() == 0) {
        step_of(group).fetch_add(1);
        while (group > 0 && step_of(group - 1).load() < round) {
        }
        while (group + 1 < groups && step_of(group + 1).load() < round) {
        }
      }
      sycl::group_barrier(item.get_group());
    }
  }
};

}  // namespace

TEST("kernels run if they demand progress that the device guarantees, and are refused otherwise") {
  sycl::queue queue = e2e::make_queue();
  agrees<work_group, root_group>(queue);
  agrees<sub_group, work_group>(queue);
  agrees<sub_group, root_group>(queue);
  agrees<work_item, sub_group>(queue);
  agrees<work_item, work_group>(queue);
  agrees<work_item, root_group>(queue);
}

TEST("a device runs work-groups concurrently, and the CPU's sub-groups wait only at barriers") {
  sycl::queue queue = e2e::make_queue();
  CHECK((given<work_group, root_group>(queue.get_device()) == guarantees{concurrent, parallel, weakly_parallel}));
  if (queue.get_backend() == sycl::backend::sinter_cpu) {
    CHECK((given<sub_group, work_group>(queue.get_device()) == guarantees{weakly_parallel}));
  }
}

TEST("work-groups wait for each other if as many are launched as make progress concurrently, and more are refused") {
  sycl::queue queue = e2e::make_queue();
  const auto kernel = sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context())
                          .get_kernel(sycl::get_kernel_id<waits_for_neighbours>());
  using most_groups = ex::info::kernel_queue_specific::max_num_work_groups;
  const std::size_t most = kernel.ext_oneapi_get_info<most_groups>(queue, sycl::range<1>(48));
  CHECK(most >= 1);
  unsigned* const steps = sycl::malloc_shared<unsigned>(most + 1, queue);
  for (const std::size_t groups : {std::size_t{1}, (most + 1) / 2, most}) {
    for (const std::size_t rounds : {0, 1, 9}) {
      for (std::size_t i = 0; i <= most; ++i) steps[i] = 0;
      queue.parallel_for(sycl::nd_range<1>(groups * 48, 48), waits_for_neighbours{steps, rounds}).wait();
      for (std::size_t i = 0; i <= most; ++i) CHECK_EQUAL(steps[i], i < groups ? rounds : 0);
    }
  }
  try {
    queue.parallel_for(sycl::nd_range<1>((most + 1) * 48, 48), waits_for_neighbours{steps, 1}).wait();
    CHECK(!"refused");
  } catch (const sycl::exception& error) {
    CHECK(error.code() == sycl::errc::nd_range);
    CHECK(std::string(error.what()).find("work_group_progress") != std::string::npos);
  }
  sycl::free(steps, queue);
}

TEST("kernels over a range demand weaker guarantees, for any number of work-items") {
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t size : e2e::sizes()) {
    int* const out = sycl::malloc_shared<int>(size + 1, queue);
    for (std::size_t i = 0; i <= size; ++i) out[i] = -1;
    queue.parallel_for(sycl::range<1>(size), ex::properties{ex::work_group_progress<parallel, root_group>},
                       [=](sycl::item<1> item) { out[item.get_id(0)] = static_cast<int>(item.get_id(0)); });
    queue.wait();
    for (std::size_t i = 0; i <= size; ++i) CHECK_EQUAL(out[i], i == size ? -1 : static_cast<int>(i));
    sycl::free(out, queue);
  }
}

E2E_MAIN
