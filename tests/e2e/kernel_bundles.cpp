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
  // range, nd_range, reductions
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

TEST("code is made for the values of specialization constants, up to a number of them") {
  queue q = e2e::make_queue();
  constexpr int size = 33;
  float *in = malloc_shared<float>(size, q), *out = malloc_shared<float>(size, q);
  std::mt19937 random(5);
  for (int i = 0; i < size; ++i) in[i] = static_cast<float>(random() % 100);
  // More values than there is code for, each twice, of two kernels.
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

#ifndef SINTER_E2E_LIBRARY_MODE  // without the plugin nobody reads attributes
namespace {
class of_any_size;
class of_many_lanes;
class of_huge_group;
}  // namespace

TEST("bundles leave out kernels that ask for sizes the device does not have") {
  queue q = e2e::make_queue();
  const device d = q.get_device();
  const context c = q.get_context();
  if (c.get_devices().empty()) {  // never launched: they are only asked about
    q.parallel_for<of_many_lanes>(nd_range<1>(1, 1), [=](nd_item<1>) [[sycl::reqd_sub_group_size(4099)]] {});
    q.parallel_for<of_huge_group>(nd_range<2>({1, 1}, {1, 1}),
                                  [=](nd_item<2>) [[sycl::reqd_work_group_size(~std::size_t{0}, 2)]] {});
  }
  q.single_task<of_any_size>([=] {});
  CHECK(is_compatible<of_any_size>(d));
  CHECK(!is_compatible<of_many_lanes>(d) && !is_compatible<of_huge_group>(d));
  const kernel_id any = get_kernel_id<of_any_size>(), many = get_kernel_id<of_many_lanes>();
  CHECK(has_kernel_bundle<bundle_state::executable>(c, {any}));
  CHECK(!has_kernel_bundle<bundle_state::executable>(c, {any, many}));
  const auto named = get_kernel_bundle<bundle_state::executable>(c, {d, d}, {any, many});
  CHECK(named.has_kernel(any) && !named.has_kernel(many));
  CHECK_EQUAL(named.get_devices().size(), 1u);
  CHECK(!get_kernel_bundle<bundle_state::executable>(c).has_kernel(many));
}
#endif

TEST("what devices refuse") {
  device d;
  try {
    (void)d.create_sub_devices<info::partition_property::partition_by_affinity_domain>(
        info::partition_affinity_domain::numa);
    CHECK(false);
  } catch (const exception& e) {
    CHECK(e.code() == errc::feature_not_supported);
  }
  try {
    unsampled_image<2> i(image_format::r8g8b8a8_unorm, range<2>(2, 2));
    CHECK(false);
  } catch (const exception& e) {
    CHECK(e.code() == errc::feature_not_supported);
  }
  std::unordered_set<device> set{d};
  CHECK(set.count(d) == 1);
}

E2E_MAIN
