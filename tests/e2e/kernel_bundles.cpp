// Specialization constants, kernel bundles, and features that devices refuse.
#include "check.hpp"

#include <algorithm>
#include <unordered_set>

using namespace sycl;

namespace {
constexpr specialization_id<int> answer(42);
struct pair_of {
  int a;
  float b;
};
inline constexpr specialization_id<pair_of> pair_constant(pair_of{1, 2.5f});
}  // namespace

TEST("specialization constants have their default, what was set, and nothing of other command groups") {
  queue q = e2e::make_queue();
  int* out = malloc_shared<int>(4, q);
  for (int round = 0; round < 3; ++round) {
    q.submit([&](handler& h) {
       CHECK_EQUAL(h.get_specialization_constant<answer>(), 42);
       if (round == 1) {
         h.set_specialization_constant<answer>(7);
         h.set_specialization_constant<answer>(9);
         h.set_specialization_constant<pair_constant>({5, 0.5f});
         CHECK_EQUAL(h.get_specialization_constant<answer>(), 9);
       }
       h.single_task([=](kernel_handler kh) {
         out[0] = kh.get_specialization_constant<answer>();
         const pair_of p = kh.get_specialization_constant<pair_constant>();
         out[1] = p.a;
         out[2] = int(p.b * 2);
       });
       h.set_specialization_constant<answer>(1000);
     }).wait();
    CHECK_EQUAL(out[0], round == 1 ? 9 : 42);
    CHECK_EQUAL(out[1], round == 1 ? 5 : 1);
    CHECK_EQUAL(out[2], round == 1 ? 1 : 5);
  }
  // Specialization constants are read by kernels over a range, kernels over an nd_range, and kernels with reductions.
  std::vector<int> v(17);
  {
    buffer<int> b(v);
    q.submit([&](handler& h) {
      accessor a(b, h);
      h.set_specialization_constant<answer>(3);
      h.parallel_for(range<1>(17),
                     [=](id<1> i, kernel_handler kh) { a[i] = int(i) * kh.get_specialization_constant<answer>(); });
    });
    q.submit([&](handler& h) {
      accessor a(b, h);
      h.set_specialization_constant<answer>(4);
      h.parallel_for(nd_range<1>(16, 4), [=](nd_item<1> i, kernel_handler kh) {
        a[i.get_global_id()] += kh.get_specialization_constant<answer>();
      });
    });
  }
  for (int i = 0; i < 17; ++i) CHECK_EQUAL(v[i], i * 3 + (i < 16 ? 4 : 0));
  *out = 0;
  q.submit([&](handler& h) {
     h.set_specialization_constant<answer>(4);
     h.parallel_for(range<1>(100), reduction(out, plus<int>()),
                    [=](id<1>, auto& sum, kernel_handler kh) { sum += kh.get_specialization_constant<answer>(); });
   }).wait();
  CHECK_EQUAL(*out, 400);
  free(out, q);
}

namespace {
struct alignas(64) coefficients {
  float weight[7];
  int count;
};
inline constexpr specialization_id<coefficients> filter(coefficients{{1}, 1});
}  // namespace

namespace {
template <class T, int Default>
constexpr specialization_id<T> one_of_many{static_cast<T>(Default)};
}  // namespace

TEST("specialisations of a variable template are constants of their own") {
  queue q = e2e::make_queue();
  int* out = malloc_shared<int>(4, q);
  q.submit([&](handler& h) {
     h.set_specialization_constant<one_of_many<bool, 3>>(false);
     h.set_specialization_constant<one_of_many<int, 2>>(20);
     CHECK((h.get_specialization_constant<one_of_many<bool, 1>>()));
     CHECK_EQUAL((h.get_specialization_constant<one_of_many<int, 2>>()), 20);
     h.single_task([=](kernel_handler kh) {
       out[0] = kh.get_specialization_constant<one_of_many<bool, 1>>();
       out[1] = kh.get_specialization_constant<one_of_many<bool, 3>>();
       out[2] = kh.get_specialization_constant<one_of_many<int, 1>>();
       out[3] = kh.get_specialization_constant<one_of_many<int, 2>>();
     });
   }).wait();
  CHECK_EQUAL(out[0], 1);
  CHECK_EQUAL(out[1], 0);
  CHECK_EQUAL(out[2], 1);
  CHECK_EQUAL(out[3], 20);
  free(out, q);
}

TEST("code is made for the values of specialization constants, up to a number of them") {
  queue q = e2e::make_queue();
  constexpr int size = 33;
  float *in = malloc_shared<float>(size, q), *out = malloc_shared<float>(size, q);
  std::mt19937 random(5);
  for (int i = 0; i < size; ++i) in[i] = static_cast<float>(random() % 100);
  // The runtime does not keep code for as many sets of values as this test uses. Two kernels run with each set.
  for (int round = 0; round < 80; ++round) {
    coefficients values{{}, round % 8};
    for (float& weight : values.weight) weight = static_cast<float>((round / 2) % 40);
    const bool is_set = round % 40 != 0;
    auto submit = [&](auto launch) {
      q.submit([&](handler& h) {
         if (is_set) h.set_specialization_constant<filter>(values);
         launch(h);
       }).wait();
      const coefficients expected = is_set ? values : coefficients{{1}, 1};
      for (int i = 0; i < size; ++i) {
        float sum = 0;
        for (int k = 0; k < expected.count; ++k) sum += expected.weight[k] * in[(i + k) % size];
        CHECK_EQUAL(out[i], sum);
      }
    };
    submit([&](handler& h) {
      h.parallel_for(range<1>(size), [=](id<1> i, kernel_handler kh) {
        const coefficients c = kh.get_specialization_constant<filter>();
        float sum = 0;
        for (int k = 0; k < c.count; ++k) sum += c.weight[k] * in[(i[0] + k) % size];
        out[i] = sum;
      });
    });
    submit([&](handler& h) {
      h.parallel_for(nd_range<1>(size, 11), [=](nd_item<1> item, kernel_handler kh) {
        const std::size_t i = item.get_global_id(0);
        float sum = 0;
        for (int k = 0; k < kh.get_specialization_constant<filter>().count; ++k) {
          sum += kh.get_specialization_constant<filter>().weight[k] * in[(i + k) % size];
        }
        out[i] = sum;
      });
    });
  }
  free(in, q);
  free(out, q);
}

TEST("sets of constants that are not used any more make room, while commands with others are under way") {
  queue q = e2e::make_queue({property::queue::in_order()});  // without an order, any command could run first
  constexpr int rounds = 400;
  int* out = malloc_shared<int>(rounds, q);
  const auto submit = [&](int at, int value) {
    return q.submit([&](handler& h) {
      h.set_specialization_constant<answer>(value);
      h.single_task([=](kernel_handler kh) { out[at] = kh.get_specialization_constant<answer>(); });
    });
  };
  // The first rounds use 36 sets of values. The next rounds use one set many times, and the last rounds use three more
  // sets. When the last rounds begin, the first sets have not been used for a long time.
  const auto value_of = [](int round) { return round < 36 ? round : round < 380 ? 7 : 1000 + round % 3; };
  for (int round = 0; round < rounds; ++round) {
    event done = submit(round, value_of(round));
    if (round % 50 == 0) done.wait();
  }
  q.wait();
  for (int round = 0; round < rounds; ++round) CHECK_EQUAL(out[round], value_of(round));
  free(out, q);
}

class named;

class named;
TEST("kernel bundles in all states") {
  queue q = e2e::make_queue();
  int* out = malloc_shared<int>(1, q);
  auto input = get_kernel_bundle<named, bundle_state::input>(q.get_context());
  input.set_specialization_constant<answer>(77);
  auto exe = build(input);
  CHECK_EQUAL(exe.get_specialization_constant<answer>(), 77);
  CHECK(exe.has_kernel<named>());
  CHECK(exe.get_kernel<named>().get_kernel_bundle() == exe);
  q.submit([&](handler& h) {
     h.use_kernel_bundle(exe);
     for (int k = 0; k < 2; ++k) {
       try {
         if (k)
           (void)h.get_specialization_constant<answer>();
         else
           h.set_specialization_constant<answer>(1);
         CHECK(false);
       } catch (const exception& e) {
         CHECK(e.code() == errc::invalid);
       }
     }
     h.single_task<named>([=](kernel_handler kh) { *out = kh.get_specialization_constant<answer>(); });
   }).wait();
  CHECK_EQUAL(*out, 77);
  auto object = compile(input);
  auto linked = link(join(std::vector{object, object}));
  CHECK_EQUAL(linked.get_specialization_constant<answer>(), 77);
  try {
    q.submit([&](handler& h) {
      h.use_kernel_bundle(exe);
      h.single_task([=] { *out = 1; });
    });
    CHECK(false);
  } catch (const exception& e) {
    CHECK(e.code() == errc::kernel_not_supported);
  }
#ifndef SINTER_E2E_LIBRARY_MODE
  const auto ids = get_kernel_ids();
  CHECK(std::count(ids.begin(), ids.end(), get_kernel_id<named>()) == 1);
#endif
  auto k = exe.get_kernel<named>();
  CHECK(k.get_info<info::kernel_device_specific::work_group_size>(q.get_device()) > 0);
  free(out, q);
}

#ifndef SINTER_E2E_LIBRARY_MODE  // without the plugin, attributes have no effect
namespace {
class of_any_size;
class of_many_lanes;
class of_huge_group;
}  // namespace

TEST("bundles leave out kernels that ask for sizes the device does not have") {
  queue q = e2e::make_queue();
  const device d = q.get_device();
  const context c = q.get_context();
  if (c.get_devices().empty()) {  // this code is never launched; the program only asks for facts about the kernels
    q.parallel_for<of_many_lanes>(nd_range<1>(1, 1), [=](nd_item<1>) [[sycl::reqd_sub_group_size(4099)]] {});
    q.parallel_for<of_huge_group>(nd_range<2>({1, 1}, {1, 1}),
                                  [=](nd_item<2>) [[sycl::reqd_work_group_size(~std::size_t{0}, 2)]] {});
  }
  q.single_task<of_any_size>([=] {});
  auto refused = [&](auto submit) {
    try {
      q.submit(submit);
      CHECK(false);
    } catch (const exception& e) {
      CHECK(e.code() == errc::kernel_not_supported);
    }
  };
  refused([&](handler& h) {
    h.parallel_for<class huge_anyhow>(nd_range<1>(1, 1), [=](nd_item<1>) [[sycl::reqd_work_group_size(1 << 30)]] {});
  });
  refused([&](handler& h) {
    h.parallel_for_work_group<class huge_groups>(range<1>(1), range<1>(5000),
                                                 [=](group<1>) [[sycl::reqd_work_group_size(1 << 30)]] {});
  });
  refused([&](handler& h) {
    h.parallel_for_work_group<class many_lanes_of_groups>(range<1>(1), range<1>(5000),
                                                          [=](group<1>) [[sycl::reqd_sub_group_size(4099)]] {});
  });
  q.submit([&](handler& h) {
    h.parallel_for_work_group<class fitting_groups>(range<1>(2), range<1>(4),
                                                    [=](group<1>) [[sycl::reqd_work_group_size(4)]] {});
  });
  // The attribute must have as many sizes as the range has dimensions, even if the missing sizes would be 1.
  const auto other_count = [&](auto submit) {
    try {
      q.submit(submit);
      CHECK(false);
    } catch (const exception& e) {
      CHECK(e.code() == errc::nd_range && std::string(e.what()).find("reqd_work_group_size has ") != std::string::npos);
    }
  };
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wbackend-plugin"
  other_count([&](handler& h) {
    h.parallel_for<class too_few_sizes>(nd_range<2>({1, 8}, {1, 8}),
                                        [=](nd_item<2>) [[sycl::reqd_work_group_size(8)]] {});
  });
  other_count([&](handler& h) {
    h.parallel_for<class too_many_sizes>(nd_range<1>(8, 8), [=](nd_item<1>) [[sycl::reqd_work_group_size(1, 8)]] {});
  });
#pragma clang diagnostic pop
  CHECK(is_compatible<of_any_size>(d));
  CHECK(!is_compatible<of_many_lanes>(d) && !is_compatible<of_huge_group>(d));
  const kernel_id any = get_kernel_id<of_any_size>(), many = get_kernel_id<of_many_lanes>();
  CHECK(has_kernel_bundle<bundle_state::executable>(c, {any}));
  CHECK(!has_kernel_bundle<bundle_state::executable>(c, {any, many}));
  const auto named = get_kernel_bundle<bundle_state::executable>(c, {d, d}, {any, any});
  CHECK(named.has_kernel(any) && !named.has_kernel(many));
  CHECK_EQUAL(named.get_devices().size(), 1u);
  try {
    (void)get_kernel_bundle<bundle_state::executable>(c, {d}, {any, many});
    CHECK(false);
  } catch (const exception& e) {
    CHECK(e.code() == errc::invalid && std::string(e.what()).find("of_many_lanes") != std::string::npos);
  }
  CHECK(!get_kernel_bundle<bundle_state::executable>(c).has_kernel(many));
}

namespace {
class on_a_cpu;
class on_a_gpu;
class on_a_gpu_with_handler;
class reduces_on_a_gpu;
class groups_on_a_gpu;
class names_both;
class calls_one_that_names;
class names_none;
inline constexpr specialization_id<int> first_constant(1);
inline constexpr specialization_id<int> second_constant(2);
inline constexpr specialization_id<int> unnamed_constant(3);
[[gnu::noinline]] void names_second(kernel_handler& h) { (void)h.get_specialization_constant<second_constant>(); }
}  // namespace

TEST("kernels that require aspects the device lacks are refused, and bundles leave them out") {
  CPU_ONLY;
  queue q = e2e::make_queue();
  const device d = q.get_device();
  int* out = malloc_shared<int>(1, q);
  *out = 0;
  auto refused = [&](auto submit) {
    try {
      q.submit(submit);
      CHECK(false);
    } catch (const exception& e) {
      CHECK(e.code() == errc::kernel_not_supported);
      const std::string text = e.what();
      CHECK(text.find("on_a_gpu") != std::string::npos && text.find("aspect::gpu") != std::string::npos);
      CHECK(text.find("aspect::cpu") == std::string::npos && text.find(d.get_info<info::device::name>()) != text.npos);
    }
  };
  q.single_task<on_a_cpu>([=]() [[sycl::device_has(aspect::cpu, aspect::fp64)]] { *out += 1; }).wait();
  CHECK_EQUAL(*out, 1);
  refused([&](handler& h) {
    h.single_task<on_a_gpu>([=]() [[sycl::device_has(aspect::cpu, aspect::gpu)]] { *out += 10; });
  });
  refused([&](handler& h) {
    h.parallel_for<on_a_gpu_with_handler>(range<1>(3), [=](id<1>, kernel_handler)
                                                           [[sycl::device_has(aspect::gpu)]] { *out += 10; });
  });
  refused([&](handler& h) {
    h.parallel_for<reduces_on_a_gpu>(range<1>(3), reduction(out, plus<int>()),
                                     [=](id<1>, auto& sum) [[sycl::device_has(aspect::gpu)]] { sum += 10; });
  });
  refused([&](handler& h) {
    h.parallel_for_work_group<groups_on_a_gpu>(range<1>(2), range<1>(2),
                                               [=](group<1>) [[sycl::device_has(aspect::gpu)]] { *out += 10; });
  });
  q.wait();
  CHECK_EQUAL(*out, 1);
  CHECK(is_compatible<on_a_cpu>(d) && !is_compatible<on_a_gpu>(d) && !is_compatible<reduces_on_a_gpu>(d));
  const kernel_id cpu = get_kernel_id<on_a_cpu>(), gpu = get_kernel_id<on_a_gpu>();
  CHECK(!has_kernel_bundle<bundle_state::input>(q.get_context(), {cpu, gpu}));
  const auto some = get_kernel_bundle<bundle_state::executable>(q.get_context());
  CHECK(some.has_kernel(cpu) && !some.has_kernel(gpu));
  free(out, q);
}

TEST("bundles know which specialization constants their kernels name") {
  queue q = e2e::make_queue();
  const context c = q.get_context();
  q.submit([&](handler& h) {
    h.single_task<names_both>([=](kernel_handler kh) {
      (void)kh.get_specialization_constant<first_constant>();
      names_second(kh);
    });
  });
  q.submit([&](handler& h) { h.single_task<calls_one_that_names>([=](kernel_handler kh) { names_second(kh); }); });
  q.single_task<names_none>([=] {}).wait();
  const auto both = get_kernel_bundle<names_both, bundle_state::executable>(c);
  CHECK(both.has_specialization_constant<first_constant>() && both.has_specialization_constant<second_constant>());
  CHECK(!both.has_specialization_constant<unnamed_constant>());
  const auto one = get_kernel_bundle<calls_one_that_names, bundle_state::input>(c);
  CHECK(!one.has_specialization_constant<first_constant>() && one.has_specialization_constant<second_constant>());
  CHECK(one.contains_specialization_constants() && one.native_specialization_constant());
  const auto none = get_kernel_bundle<names_none, bundle_state::executable>(c);
  CHECK(!none.contains_specialization_constants() && !none.has_specialization_constant<first_constant>());
}
#endif

TEST("joined bundles have the device images of their parts, each once") {
  queue q = e2e::make_queue();
  const context c = q.get_context();
  q.single_task<class one_image>([=] {});
  q.single_task<class other_image>([=] {}).wait();
  const auto one = get_kernel_bundle<one_image, bundle_state::executable>(c);
  const auto other = get_kernel_bundle<other_image, bundle_state::executable>(c);
  const auto none = get_kernel_bundle<bundle_state::executable>(c, std::vector<kernel_id>());
  CHECK(none.begin() == none.end());
  const auto twice = join<bundle_state::executable>({one, none, one});
  CHECK_EQUAL(twice.end() - twice.begin(), 1);
  CHECK(*twice.begin() == *one.begin());
  CHECK(join<bundle_state::input>({}).empty());
  const auto all = join<bundle_state::executable>({twice, other});
  CHECK_EQUAL(all.end() - all.begin(), 2);
  CHECK(all.begin()[0] == *one.begin() && all.begin()[1] == *other.begin());
  CHECK(all.begin()[0].has_kernel(get_kernel_id<one_image>()));
  CHECK(!all.begin()[0].has_kernel(get_kernel_id<other_image>()));
  CHECK(all.has_kernel<one_image>() && all.has_kernel<other_image>());
}

TEST("what devices refuse") {
  device d;
  try {
    (void)d.create_sub_devices<info::partition_property::partition_by_affinity_domain>(
        info::partition_affinity_domain::numa);
    CHECK(false);
  } catch (const exception& e) {
    CHECK(e.code() == errc::feature_not_supported);
  }
  std::unordered_set<device> set{d};
  CHECK(set.count(d) == 1);
}

E2E_MAIN
