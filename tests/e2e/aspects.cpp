/// Optional kernel features (SYCL 2020 5.7): submitting a kernel checks the features that the kernel uses or declares,
/// and no other features. The CPU device has fp16, fp64 and atomic64, and no images.
#include "check.hpp"

using namespace sycl;

SYCL_EXTERNAL [[sycl::device_has(sycl::aspect::custom)]] int samples_elsewhere(int x);
SYCL_EXTERNAL int adds_elsewhere(int x);
SYCL_EXTERNAL int samples_unsaid(int x);
SYCL_EXTERNAL int samples_behind(int x);
SYCL_EXTERNAL void meets_all_elsewhere(sycl::nd_item<1> item);

namespace {

class [[__sycl_detail__::__uses_aspects__(aspect::custom)]] texture {
public:
  int texel = 0;
};
[[__sycl_detail__::__uses_aspects__(aspect::custom)]] int sample(int x) { return x; }
int samples(int x) { return sample(x) + 1; }
int holds(int x) {
  texture local{x};
  return local.texel;
}
[[sycl::device_has(aspect::custom)]] int promises(int x) { return x; }

template <aspect... Aspects>
[[sycl::device_has(Aspects...)]] int promises_these(int x) {
  return x;
}

class calls;
class sibling;
class calls_unsaid;

/// Launches the kernel in four ways, for example over a range. Either each submission throws, or none does.
template <class Body>
void submit_all(queue& q, bool throws, const Body& body) {
  int* out = malloc_shared<int>(1, q);
  const auto check = [&](const char* form, auto&& submit) {
    *out = 0;
    bool thrown = false;
    try {
      submit();
      q.wait_and_throw();
    } catch (const exception& error) {
      thrown = true;
      CHECK(error.code() == errc::kernel_not_supported);
      CHECK(std::strstr(error.what(),
                        "Kernel uses optional feature corresponding to 'aspect::custom' but device does not "
                        "support this aspect."));
    }
    if (thrown != throws) e2e::fail(__FILE__, __LINE__, std::string("wrong: ") + form);
    CHECK_EQUAL(*out, throws ? 0 : body(4));
  };
  check("single_task", [&] { q.single_task([=] { *out = body(4); }); });
  check("range", [&] { q.parallel_for(range<1>(1), [=](id<1>) { *out = body(4); }); });
  check("nd_range", [&] { q.parallel_for(nd_range<1>(1, 1), [=](nd_item<1>) { *out = body(4); }); });
  check("hierarchical", [&] {
    q.submit(
        [&](handler& h) { h.parallel_for_work_group(range<1>(1), range<1>(1), [=](group<1>) { *out = body(4); }); });
  });
  free(out, q);
}

}  // namespace

TEST("kernels that use what the device lacks are refused when they are submitted, whatever leads there") {
  NOT_ON_CUDA_OR_HIP;
  queue q = e2e::make_queue();
  CHECK(!q.get_device().has(aspect::custom));
  const bool is_cpu = q.get_device().has(aspect::cpu);
#ifndef SINTER_E2E_LIBRARY_MODE
  submit_all(q, true, [](int x) { return sample(x); });
  submit_all(q, true, [](int x) { return samples(x); });
  submit_all(q, true, [](int x) { return holds(x); });
  submit_all(q, true, [](int x) { return promises(x); });
  if (is_cpu) submit_all(q, true, [](int x) { return promises_these<aspect::cpu, aspect::custom>(x); });
  submit_all(q, true, [](int x) { return samples_elsewhere(x); });
#endif
  if (is_cpu) submit_all(q, false, [](int x) { return promises_these<aspect::cpu, aspect::fp64>(x); });
  submit_all(q, false, [](int x) { return adds_elsewhere(x); });
}

TEST("double, half and 64-bit atomics run where the device has them; others of the file do not disturb") {
  queue q = e2e::make_queue();
  const device where = q.get_device();
  double* d = malloc_shared<double>(1, q);
  half* h = malloc_shared<half>(1, q);
  long long* l = malloc_shared<long long>(1, q);
  *d = 1.5, *h = half(2.0f), *l = 5;
  if (where.has(aspect::fp64)) q.single_task([=] { *d = *d * 2.0; }).wait();
  if (where.has(aspect::fp16)) q.single_task([=] { *h = *h + half(1.0f); }).wait();
  if (where.has(aspect::atomic64)) {
    q.parallel_for(range<1>(10), [=](id<1>) {
       atomic_ref<long long, memory_order::relaxed, memory_scope::device>(*l).fetch_add(1);
     }).wait();
    CHECK_EQUAL(*l, 15LL);
  }
  if (where.has(aspect::fp64)) CHECK_EQUAL(*d, 3.0);
  if (where.has(aspect::fp16)) CHECK_EQUAL(static_cast<float>(*h), 3.0f);
  free(d, q), free(h, q), free(l, q);
}

TEST("bundles, has_kernel and is_compatible agree with submissions") {
  NOT_ON_CUDA_OR_HIP;
  queue q = e2e::make_queue();
  int* out = malloc_shared<int>(1, q);
  const auto bundle = get_kernel_bundle<bundle_state::executable>(q.get_context());
#ifndef SINTER_E2E_LIBRARY_MODE
  CHECK(!is_compatible<calls>(q.get_device()));
  CHECK(!bundle.has_kernel<calls>());
  CHECK(!(has_kernel_bundle<calls, bundle_state::executable>(q.get_context())));
#endif
  CHECK(is_compatible<sibling>(q.get_device()));
  const auto submit = [&](bool uses) {
    if (uses) {
      q.single_task<calls>([=] { *out = samples(1); }).wait();
    } else {
      q.single_task<sibling>([=] { *out = 7; }).wait();
    }
  };
  submit(false);
  CHECK_EQUAL(*out, 7);
#ifndef SINTER_E2E_LIBRARY_MODE
  try {
    submit(true);
    CHECK(!"no exception");
  } catch (const exception& error) {
    CHECK(error.code() == errc::kernel_not_supported);
  }
#endif
  CHECK_EQUAL(*out, 7);
  free(out, q);
}

TEST("what functions of other files need is asked of the device as well, whatever their declarations say") {
  NOT_ON_CUDA_OR_HIP;
  queue q = e2e::make_queue();
  CHECK(!q.get_device().has(aspect::custom));
#ifdef SINTER_E2E_LIBRARY_MODE
  constexpr bool throws = false;
#else
  constexpr bool throws = true;
#endif
  submit_all(q, throws, [](int x) { return samples_unsaid(x); });
  submit_all(q, throws, [](int x) { return samples_behind(x); });
  submit_all(q, false, [](int x) { return adds_elsewhere(x); });
  int* out = malloc_shared<int>(1, q);
  *out = 0;
  const auto bundle = get_kernel_bundle<bundle_state::executable>(q.get_context());
  // In the second round, the runtime has already found the aspects of the called functions.
  for (int i = 1; i <= 2; ++i) {
    CHECK_EQUAL(is_compatible<calls_unsaid>(q.get_device()), !throws);
    CHECK_EQUAL(bundle.has_kernel<calls_unsaid>(), !throws);
    std::string why;
    try {
      q.single_task<calls_unsaid>([=] { *out += samples_unsaid(1) + adds_elsewhere(1); }).wait();
    } catch (const exception& error) {
      CHECK(error.code() == errc::kernel_not_supported);
      why = error.what();
    }
    CHECK_EQUAL(why.find("It calls 'samples_unsaid(int)' of another file") != std::string::npos, throws);
    CHECK_EQUAL(*out, throws ? 0 : i * (4 + 3));
  }
  free(out, q);
}

TEST("sizes that the device does not have are refused in the words of the design") {
  NOT_ON_CUDA_OR_HIP;
#ifndef SINTER_E2E_LIBRARY_MODE
  queue q = e2e::make_queue();
  try {
    q.parallel_for(nd_range<1>(64, 64), [=](nd_item<1>) [[sycl::reqd_sub_group_size(4099)]] {}).wait();
    CHECK(!"no exception");
  } catch (const exception& error) {
    CHECK(error.code() == errc::kernel_not_supported);
    CHECK(
        std::strstr(error.what(),
                    "Kernel has a required sub-group size of '4099' but device does not support this sub-group size."));
  }
#endif
}

TEST("a function of another file in which all work-groups meet needs a device that starts them together") {
#ifndef SINTER_E2E_LIBRARY_MODE
  queue q = e2e::make_queue();
  for (const std::size_t groups : {1, 2}) {
    bool refused = false;
    try {
      q.parallel_for(nd_range<1>(groups * 8, 8), [=](nd_item<1> item) { meets_all_elsewhere(item); }).wait();
    } catch (const exception& error) {
      refused = error.code() == errc::nd_range;
      CHECK(std::string(error.what()).find("root_group") != std::string::npos);
    }
    CHECK_EQUAL(refused, groups > 1 && !e2e::is_cuda_or_hip(q.get_backend()));
  }
#endif
}

E2E_MAIN
