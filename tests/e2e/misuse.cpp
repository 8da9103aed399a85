// Calls that the specification forbids throw an exception with the error code that the specification gives. The message
// names the mistake, its place and the remedy.
#include "check.hpp"

#include <memory>

using namespace sycl;

namespace {

struct misuse {
  const char* what;
  errc code;
  std::vector<const char*> words;  ///< words that the message must contain
  void (*act)(queue& q);
};

class named_kernel;
class other_kernel;
struct keep_first {
  int operator()(int a, int) const { return a; }
};
constexpr specialization_id<int> constant(1);

template <int Dimensions>
class local_of_other_kernel;
template <int Dimensions>
void launch_with_local(queue& q, range<Dimensions> size) {
  q.submit([&](handler& h) {
    local_accessor<int, Dimensions> local(size, h);
    h.parallel_for<local_of_other_kernel<Dimensions>>(nd_range<1>(4, 4),
                                                      [=](nd_item<1>) { local[id<Dimensions>()] = 1; });
  });
}

const misuse table[] = {
    {"two commands in one group",
     errc::invalid,
     {"memset", "second_task", "second"},
     [](queue& q) {
       int* p = malloc_shared<int>(1, q);
       const std::shared_ptr<int> owner(p, [&](int* each) { free(each, q); });
       q.submit([&](handler& h) {
         h.memset(p, 0, 4);
         h.single_task<class second_task>([=] { *p = 1; });
       });
     }},
    {"a local range that does not divide",
     errc::nd_range,
     {"named_kernel", "{7}", "{100}", "round"},
     [](queue& q) { q.parallel_for<named_kernel>(nd_range<1>(100, 7), [=](nd_item<1>) {}); }},
    {"a work-group larger than the device's limit",
     errc::nd_range,
     {"max_work_group_size"},
     [](queue& q) {
       const std::size_t size = 2 * q.get_device().get_info<info::device::max_work_group_size>();
       q.parallel_for(nd_range<1>(size, size), [=](nd_item<1>) {});
     }},
    {"a local accessor in a range kernel",
     errc::kernel_argument,
     {"other_kernel", "nd_range"},
     [](queue& q) {
       q.submit([&](handler& h) {
         local_accessor<int> local(range<1>(4), h);
         h.parallel_for<other_kernel>(range<1>(4), [=](id<1> i) { local[i] = 1; });
       });
     }},
    {"a local accessor whose bytes 64 bits can't count",
     errc::memory_allocation,
     {"other_kernel", "more than 2^64", "local_mem_size"},
     [](queue& q) { launch_with_local(q, range<1>(std::size_t{1} << 62)); }},
    {"a local accessor of two dimensions whose product 64 bits can't count",
     errc::memory_allocation,
     {"other_kernel", "more than 2^64", "local_mem_size"},
     [](queue& q) { launch_with_local(q, range<2>(std::size_t{1} << 32, std::size_t{1} << 32)); }},
    {"two local accessors whose sum 64 bits can't count",
     errc::memory_allocation,
     {"other_kernel", "more than 2^64", "local_mem_size"},
     [](queue& q) {
       const range<1> half(std::size_t{1} << 61);
       q.submit([&](handler& h) {
         local_accessor<int> a(half, h), b(half, h);
         h.parallel_for<class pair_kernel_of_other_kernel>(nd_range<1>(4, 4), [=](nd_item<1>) { a[0] = b[0]; });
       });
     }},
    {"a local accessor larger than the device's local memory",
     errc::memory_allocation,
     {"other_kernel", "1048576 bytes", "local_mem_size"},
     [](queue& q) { launch_with_local(q, range<1>(std::size_t{1} << 18)); }},
    {"a buffer whose bytes 64 bits can't count",
     errc::memory_allocation,
     {"buffer"},
     [](queue&) { buffer<int, 2> none(range<2>(std::size_t{1} << 32, std::size_t{1} << 32)); }},
    {"a buffer reinterpreted to a range whose bytes come to its size in 64 bits only",
     errc::invalid,
     {"reinterpret", "bytes"},
     [](queue&) { buffer<int>(range<1>(4)).reinterpret<int>(range<1>((std::size_t{1} << 62) + 4)); }},
    {"a work-group whose size 64 bits can't count, of no work-items",
     errc::nd_range,
     {"more than 2^64", "max_work_group_size"},
     [](queue& q) {
       q.parallel_for(nd_range<3>({0, std::size_t{1} << 32, std::size_t{1} << 32},
                                  {1, std::size_t{1} << 32, std::size_t{1} << 32}),
                      [=](nd_item<3>) {});
     }},
    {"a reduction over a range whose product 64 bits can't count",
     errc::nd_range,
     {"reduction", "64 bits"},
     [](queue& q) {
       int sum = 0;
       q.parallel_for(range<2>(std::size_t{1} << 32, std::size_t{1} << 32), reduction(&sum, plus<int>()),
                      [=](id<2>, auto&) {});
     }},
    {"a hierarchical work-group larger than private_memory, though not larger than the device allows",
     errc::nd_range,
     {"1025 work-items", "1024", "private_memory"},
     [](queue& q) {
       q.submit([&](handler& h) { h.parallel_for_work_group(range<1>(1), range<1>(1025), [=](group<1>) {}); });
     }},
    {"a hierarchical work-group whose product 64 bits can't count",
     errc::nd_range,
     {"parallel_for_work_group", "more than 2^64"},
     [](queue& q) {
       // Computed with 64 bits, the product of the sizes would be 5.
       const range<2> size(~std::size_t{0}, ~std::size_t{0} - 4);
       q.submit([&](handler& h) { h.parallel_for_work_group(range<2>(1, 1), size, [=](group<2>) {}); });
     }},
    {"a copy of so many elements that their bytes come to nothing in 64 bits",
     errc::invalid,
     {"copy", "bytes"},
     [](queue& q) {
       int from = 1, to = 0;
       q.copy(&from, &to, std::size_t{1} << 62).wait();
     }},
    {"a fill of so many elements that their bytes come to nothing in 64 bits",
     errc::invalid,
     {"fill", "bytes"},
     [](queue& q) {
       int to = 0;
       q.fill(&to, 1, std::size_t{1} << 62).wait();
     }},
    {"a copy into a smaller accessor",
     errc::invalid,
     {"copy", "smaller"},
     [](queue& q) {
       buffer<int> large(range<1>(10)), small(range<1>(5));
       q.submit([&](handler& h) { h.copy(accessor(large, h, read_only), accessor(small, h, write_only)); });
     }},
    {"an accessor outside of its buffer",
     errc::invalid,
     {"accessor", "{4}", "{8}", "{10}"},
     [](queue& q) {
       buffer<int> b(range<1>(10));
       q.submit([&](handler& h) { accessor a(b, h, range<1>(4), id<1>(8)); });
     }},
    {"a host accessor outside of its buffer",
     errc::invalid,
     {"host_accessor", "{2, 9}"},
     [](queue&) {
       buffer<int, 2> b(range<2>(4, 4));
       host_accessor a(b, range<2>(2, 9));
     }},
    {"no_init for a reader",
     errc::invalid,
     {"no_init", "read"},
     [](queue&) {
       buffer<int> b(range<1>(10));
       host_accessor a(b, read_only, no_init);
     }},
    {"a sub-buffer of a sub-buffer",
     errc::invalid,
     {"sub-buffer"},
     [](queue&) { buffer<int> b(range<1>(10)), part(b, id<1>(2), range<1>(4)), none(part, id<1>(0), range<1>(1)); }},
    {"a sub-buffer outside of its buffer",
     errc::invalid,
     {"sub-buffer", "inside"},
     [](queue&) { buffer<int> b(range<1>(10)), none(b, id<1>(8), range<1>(4)); }},
    {"a sub-buffer with gaps",
     errc::invalid,
     {"contiguous"},
     [](queue&) { buffer<int, 2> b(range<2>(4, 4)), none(b, id<2>(0, 0), range<2>(2, 2)); }},
    {"a buffer reinterpreted to another size",
     errc::invalid,
     {"reinterpret", "bytes"},
     [](queue&) { buffer<int>(range<1>(10)).reinterpret<char>(range<1>(10)); }},
    {"a buffer reinterpreted to elements that do not fit",
     errc::invalid,
     {"reinterpret"},
     [](queue&) { buffer<int>(range<1>(3)).reinterpret<double>(); }},
    {"profiling of a queue without the property",
     errc::invalid,
     {"get_profiling_info", "enable_profiling"},
     [](queue& q) { q.single_task([=] {}).get_profiling_info<info::event_profiling::command_end>(); }},
    {"a reduction into a buffer of several elements",
     errc::invalid,
     {"reduction", "one element"},
     [](queue& q) {
       buffer<int> b(range<1>(2));
       q.submit([&](handler& h) { (void)reduction(b, h, plus<int>()); });
     }},
    {"initialize_to_identity without an identity",
     errc::invalid,
     {"initialize_to_identity", "identity"},
     [](queue& q) {
       buffer<int> b(range<1>(1));
       q.submit(
           [&](handler& h) { (void)reduction(b, h, keep_first(), {property::reduction::initialize_to_identity()}); });
     }},
    {"a property that was not given",
     errc::invalid,
     {"property"},
     [](queue& q) { (void)q.get_property<property::queue::in_order>(); }},
    {"the context of an exception without one",
     errc::invalid,
     {"context"},
     [](queue&) { (void)exception(make_error_code(errc::runtime)).get_context(); }},
    {"the device of memory that is no USM",
     errc::invalid,
     {"USM"},
     [](queue& q) {
       int local = 0;
       (void)get_pointer_device(&local, q.get_context());
     }},
    {"freeing what is no USM",
     errc::invalid,
     {"free", "USM"},
     [](queue& q) {
       int local = 0;
       free(&local, q);
     }},
    {"a context of no devices",
     errc::invalid,
     {"context", "empty"},
     [](queue&) { context none{std::vector<device>()}; }},
    {"a selector that takes none",
     errc::runtime,
     {"selector", "default_selector_v"},
     [](queue&) { device none([](const device&) { return -1; }); }},
    {"the parent of a root device",
     errc::invalid,
     {"parent_device", "sub-device"},
     [](queue& q) { (void)q.get_device().get_info<info::device::parent_device>(); }},
    {"partitioning along caches",
     errc::feature_not_supported,
     {"create_sub_devices", "partition_properties"},
     [](queue& q) {
       (void)q.get_device().create_sub_devices<info::partition_property::partition_by_affinity_domain>(
           info::partition_affinity_domain::L3_cache);
     }},
    {"a bundle for no devices",
     errc::invalid,
     {"get_kernel_bundle", "empty"},
     [](queue& q) { (void)get_kernel_bundle<bundle_state::executable>(q.get_context(), std::vector<device>()); }},
    {"a bundle of another context",
     errc::invalid,
     {"use_kernel_bundle", "context"},
     [](queue& q) {
       const auto bundle = get_kernel_bundle<bundle_state::executable>(context(q.get_device()));
       q.submit([&](handler& h) { h.use_kernel_bundle(bundle); });
     }},
    {"a bundle behind a specialization constant",
     errc::invalid,
     {"use_kernel_bundle", "specialization"},
     [](queue& q) {
       const auto bundle = get_kernel_bundle<bundle_state::executable>(q.get_context());
       q.submit([&](handler& h) {
         h.set_specialization_constant<constant>(3);
         h.use_kernel_bundle(bundle);
       });
     }},
    {"a kernel that is not in the bundle",
     errc::kernel_not_supported,
     {"other_kernel", "kernel_id"},
     [](queue& q) {
       const auto bundle = get_kernel_bundle<named_kernel, bundle_state::executable>(q.get_context());
       q.submit([&](handler& h) {
         h.use_kernel_bundle(bundle);
         h.single_task<class other_kernel_task>([=] {});
       });
     }},
    {"a group of a hierarchical kernel that is too large",
     errc::nd_range,
     {"parallel_for_work_group", "1024"},
     [](queue& q) {
       q.submit([&](handler& h) { h.parallel_for_work_group(range<1>(1), range<1>(5000), [=](group<1>) {}); });
     }},
    {"an image without texels",
     errc::invalid,
     {"unsampled_image", "zero texels"},
     [](queue&) { unsampled_image<2> none(image_format::r8g8b8a8_unorm, range<2>(2, 0)); }},
};

}  // namespace

TEST("each misuse throws its code with a helpful message") {
  NOT_ON_CUDA_OR_HIP;
  queue q = e2e::make_queue();
  for (const misuse& each : table) {
    const std::string name = each.what;
    try {
      each.act(q);
      e2e::fail(__FILE__, __LINE__, name + ": nothing was thrown");
    } catch (const exception& error) {
      if (error.code() != each.code) e2e::fail(__FILE__, __LINE__, name + ": wrong code: " + error.what());
      for (const char* word : each.words) {
        if (std::string(error.what()).find(word) == std::string::npos) {
          e2e::fail(__FILE__, __LINE__, name + ": no '" + word + "' in: " + error.what());
        }
      }
    }
    q.wait_and_throw();
  }
}

TEST("a refused command leaves the queue as it was") {
  queue q = e2e::make_queue({property::queue::in_order()});
  int* p = malloc_shared<int>(1, q);
  q.single_task([=] { *p = 1; });
  try {
    q.submit([&](handler& h) { h.parallel_for(nd_range<1>(10, 3), [=](nd_item<1>) { *p = 100; }); });
    CHECK(false);
  } catch (const exception&) {
  }
  q.single_task([=] { *p += 1; }).wait();
  CHECK_EQUAL(*p, 2);
  free(p, q);
}

TEST("exceptions of host tasks reach the handler, each once and in the order of their tasks") {
  std::vector<std::string> got;
  queue q(default_selector_v,
          [&](exception_list list) {
            for (const std::exception_ptr& each : list) {
              try {
                std::rethrow_exception(each);
              } catch (const std::exception& error) {
                got.push_back(error.what());
              } catch (int number) {
                got.push_back(std::to_string(number));
              }
            }
          },
          {property::queue::in_order()});
  std::vector<std::string> wanted;
  for (int i = 0; i < 20; ++i) {
    q.submit([&](handler& h) {
      h.host_task([=] {
        if (i % 3 == 0) throw std::runtime_error("error " + std::to_string(i));
        if (i % 3 == 1) throw i;
      });
    });
    if (i % 3 != 2) wanted.push_back((i % 3 == 0 ? "error " : "") + std::to_string(i));
  }
  q.wait();
  CHECK(got.empty());
  q.wait_and_throw();
  CHECK_ALL_EQUAL(got, wanted);
  q.throw_asynchronous();
  CHECK_EQUAL(got.size(), wanted.size());
}

E2E_MAIN
