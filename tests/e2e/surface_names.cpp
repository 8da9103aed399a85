// Names every member of SYCL 2020's classes with its type, as the specification's synopses declare it. Nothing runs:
// if a member is missing or has another type, the file does not compile. Images are in images.cpp. The file is long
// because the synopses are long.
#include <sycl/backend.hpp>
#include <sycl/sycl.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

namespace {

#define HAS_TYPE(type, ...) static_assert(std::is_same_v<decltype(__VA_ARGS__), type>)
#define CAN(...) static_assert(requires { __VA_ARGS__; })

template <class T>
T make();  // a shorter std::declval
template <class T>
constexpr bool by_reference = std::is_copy_constructible_v<T> && std::is_move_constructible_v<T> &&
                              std::is_copy_assignable_v<T> && std::is_move_assignable_v<T> &&
                              requires(const T& a, const T& b) {
                                { a == b } -> std::same_as<bool>;
                                { a != b } -> std::same_as<bool>;
                                { std::hash<T>()(a) } -> std::same_as<std::size_t>;
                              };
template <class T>
constexpr bool by_value = std::is_copy_constructible_v<T> && std::is_copy_assignable_v<T> &&
                          std::is_trivially_copyable_v<T> && requires(const T& a, const T& b) {
                            { a == b } -> std::same_as<bool>;
                            { a != b } -> std::same_as<bool>;
                          };
/// The property interface (4.5.4.2).
template <class T, class Property>
constexpr bool with_properties = sycl::is_property_of_v<Property, T> && requires(const T& object) {
  { object.template has_property<Property>() } -> std::same_as<bool>;
  { object.template get_property<Property>() } -> std::same_as<Property>;
};

using sycl::access_mode;
using sycl::target;
namespace info = sycl::info;
using context_bound = sycl::property::buffer::context_bound;

// 4.5.2: common reference semantics.
static_assert(by_reference<sycl::platform> && by_reference<sycl::device> && by_reference<sycl::context>);
static_assert(by_reference<sycl::queue> && by_reference<sycl::event> && by_reference<sycl::kernel>);
static_assert(by_reference<sycl::kernel_id> && by_reference<sycl::buffer<int, 3>> && by_reference<sycl::stream>);
static_assert(by_reference<sycl::kernel_bundle<sycl::bundle_state::executable>>);
static_assert(by_reference<sycl::kernel_bundle<sycl::bundle_state::input>>);
static_assert(by_reference<sycl::device_image<sycl::bundle_state::object>>);
static_assert(by_reference<sycl::accessor<int, 2>> && by_reference<sycl::accessor<const int>>);
static_assert(by_reference<sycl::host_accessor<int>> && by_reference<sycl::local_accessor<int, 3>>);
// 4.5.3: by value.
static_assert(by_value<sycl::id<>> && by_value<sycl::range<2>> && by_value<sycl::item<>> && by_value<sycl::nd_item<>>);
static_assert(by_value<sycl::h_item<>> && by_value<sycl::group<>> && by_value<sycl::sub_group>);
static_assert(by_value<sycl::nd_range<>>);
// 4.5.4: properties.
static_assert(with_properties<sycl::buffer<int>, sycl::property::buffer::use_host_ptr>);
static_assert(with_properties<sycl::buffer<int>, context_bound>);
static_assert(with_properties<sycl::buffer<int>, sycl::property::buffer::use_mutex>);
static_assert(with_properties<sycl::queue, sycl::property::queue::in_order>);
static_assert(with_properties<sycl::queue, sycl::property::queue::enable_profiling>);
static_assert(with_properties<sycl::accessor<int>, sycl::property::no_init>);
static_assert(with_properties<sycl::host_accessor<int>, sycl::property::no_init>);
static_assert(with_properties<sycl::local_accessor<int>, sycl::property::no_init>);
static_assert(with_properties<sycl::context, sycl::property::no_init>);
static_assert(with_properties<sycl::stream, sycl::property::no_init>);
static_assert(with_properties<sycl::usm_allocator<int, sycl::usm::alloc::host>, sycl::property::no_init>);
static_assert(sycl::is_property<sycl::property::reduction::initialize_to_identity>::value);
static_assert(!sycl::is_property_v<int> && !sycl::is_property_of<int, sycl::queue>::value);
HAS_TYPE(std::mutex*, make<sycl::property::buffer::use_mutex>().get_mutex_ptr());
HAS_TYPE(sycl::context, make<context_bound>().get_context());
CAN(sycl::property_list{}, sycl::property_list{sycl::no_init, sycl::property::queue::in_order()});

// 4.5.1: backends.
static_assert(std::is_same_v<sycl::errc_for<sycl::backend::opencl>, sycl::backend_traits<sycl::backend::opencl>::errc>);
HAS_TYPE(const std::error_category&, sycl::error_category_for<sycl::backend::opencl>());
static_assert(std::is_pointer_v<sycl::backend_input_t<sycl::backend::opencl, sycl::device>>);
static_assert(std::is_pointer_v<sycl::backend_return_t<sycl::backend::opencl, sycl::device>>);

// 4.6.1: selection.
CAN(sycl::device(sycl::default_selector_v), sycl::device(sycl::cpu_selector_v), sycl::device(sycl::gpu_selector_v));
constexpr auto own_selector = [](const sycl::device&) { return 1; };
CAN(sycl::device(sycl::accelerator_selector_v), sycl::device(own_selector));
CAN(sycl::aspect_selector(std::vector{sycl::aspect::fp16}), sycl::aspect_selector<sycl::aspect::fp16>());
CAN(sycl::aspect_selector(std::vector<sycl::aspect>(), std::vector{sycl::aspect::fp16}));
CAN(sycl::aspect_selector(sycl::aspect::fp16, sycl::aspect::gpu));
CAN(sycl::default_selector(), sycl::cpu_selector(), sycl::gpu_selector(), sycl::accelerator_selector());
static_assert(sycl::any_device_has<sycl::aspect::cpu>::value && !sycl::all_devices_have_v<sycl::aspect::image>);
static_assert(std::is_same_v<decltype(sycl::any_device_has_v<sycl::aspect::cpu>), const bool>);

// 4.6.2: platform.
static_assert(std::is_default_constructible_v<sycl::platform>);
CAN(sycl::platform(sycl::cpu_selector_v));
HAS_TYPE(sycl::backend, make<const sycl::platform&>().get_backend());
HAS_TYPE(std::vector<sycl::device>, make<const sycl::platform&>().get_devices(info::device_type::all));
HAS_TYPE(std::vector<sycl::device>, make<const sycl::platform&>().get_devices());
HAS_TYPE(bool, make<const sycl::platform&>().has(sycl::aspect::cpu));
HAS_TYPE(bool, make<const sycl::platform&>().has_extension(std::string()));
HAS_TYPE(std::vector<sycl::platform>, sycl::platform::get_platforms());
#define INFO(object, descriptor, type) HAS_TYPE(type, make<const object&>().get_info<descriptor>())
INFO(sycl::platform, info::platform::version, std::string);
INFO(sycl::platform, info::platform::name, std::string);
INFO(sycl::platform, info::platform::vendor, std::string);
INFO(sycl::platform, info::platform::extensions, std::vector<std::string>);

// 4.6.3: context.
static_assert(!std::is_convertible_v<sycl::device, sycl::context>);
CAN(sycl::context(), sycl::context(make<sycl::async_handler>()), sycl::context(make<sycl::device>()));
CAN(sycl::context(make<sycl::device>(), make<sycl::async_handler>()), sycl::context(make<sycl::platform>()));
CAN(sycl::context(make<sycl::platform>(), make<sycl::async_handler>(), sycl::property_list{}));
CAN(sycl::context(std::vector<sycl::device>(), sycl::property_list{}));
CAN(sycl::context(std::vector<sycl::device>(), make<sycl::async_handler>(), sycl::property_list{}));
HAS_TYPE(sycl::backend, make<const sycl::context&>().get_backend());
HAS_TYPE(sycl::platform, make<const sycl::context&>().get_platform());
HAS_TYPE(std::vector<sycl::device>, make<const sycl::context&>().get_devices());
INFO(sycl::context, info::context::platform, sycl::platform);
INFO(sycl::context, info::context::devices, std::vector<sycl::device>);
INFO(sycl::context, info::context::atomic_memory_order_capabilities, std::vector<sycl::memory_order>);
INFO(sycl::context, info::context::atomic_fence_order_capabilities, std::vector<sycl::memory_order>);
INFO(sycl::context, info::context::atomic_memory_scope_capabilities, std::vector<sycl::memory_scope>);
INFO(sycl::context, info::context::atomic_fence_scope_capabilities, std::vector<sycl::memory_scope>);

// 4.6.4: device.
HAS_TYPE(bool, make<const sycl::device&>().is_cpu());
HAS_TYPE(bool, make<const sycl::device&>().is_gpu());
HAS_TYPE(bool, make<const sycl::device&>().is_accelerator());
HAS_TYPE(sycl::platform, make<const sycl::device&>().get_platform());
HAS_TYPE(sycl::backend, make<const sycl::device&>().get_backend());
HAS_TYPE(bool, make<const sycl::device&>().has(sycl::aspect::usm_device_allocations));
HAS_TYPE(bool, make<const sycl::device&>().has_extension(std::string()));
HAS_TYPE(std::vector<sycl::device>,
         make<const sycl::device&>().create_sub_devices<info::partition_property::partition_equally>(std::size_t{1}));
HAS_TYPE(std::vector<sycl::device>,
         make<const sycl::device&>().create_sub_devices<info::partition_property::partition_by_counts>(
             std::vector<std::size_t>()));
HAS_TYPE(std::vector<sycl::device>,
         make<const sycl::device&>().create_sub_devices<info::partition_property::partition_by_affinity_domain>(
             info::partition_affinity_domain::next_partitionable));
HAS_TYPE(std::vector<sycl::device>, sycl::device::get_devices());
HAS_TYPE(std::vector<sycl::device>, sycl::device::get_devices(info::device_type::gpu));
#define DEVICE_INFO(descriptor, type) INFO(sycl::device, info::device::descriptor, type)
DEVICE_INFO(device_type, info::device_type);
DEVICE_INFO(vendor_id, std::uint32_t);
DEVICE_INFO(max_compute_units, std::uint32_t);
DEVICE_INFO(max_work_item_dimensions, std::uint32_t);
DEVICE_INFO(max_work_item_sizes<1>, sycl::range<1>);
DEVICE_INFO(max_work_item_sizes<2>, sycl::range<2>);
DEVICE_INFO(max_work_item_sizes<>, sycl::range<3>);
DEVICE_INFO(max_work_group_size, std::size_t);
DEVICE_INFO(max_num_sub_groups, std::uint32_t);
DEVICE_INFO(sub_group_sizes, std::vector<std::size_t>);
#define WIDTHS(type)                                         \
  DEVICE_INFO(preferred_vector_width_##type, std::uint32_t); \
  DEVICE_INFO(native_vector_width_##type, std::uint32_t)
WIDTHS(char);
WIDTHS(short);
WIDTHS(int);
WIDTHS(long);
WIDTHS(float);
WIDTHS(double);
WIDTHS(half);
DEVICE_INFO(max_clock_frequency, std::uint32_t);
DEVICE_INFO(address_bits, std::uint32_t);
DEVICE_INFO(max_mem_alloc_size, std::uint64_t);
DEVICE_INFO(image_support, bool);
DEVICE_INFO(max_read_image_args, std::uint32_t);
DEVICE_INFO(max_write_image_args, std::uint32_t);
DEVICE_INFO(image2d_max_width, std::size_t);
DEVICE_INFO(image2d_max_height, std::size_t);
DEVICE_INFO(image3d_max_width, std::size_t);
DEVICE_INFO(image3d_max_height, std::size_t);
DEVICE_INFO(image3d_max_depth, std::size_t);
DEVICE_INFO(image_max_buffer_size, std::size_t);
DEVICE_INFO(max_samplers, std::uint32_t);
DEVICE_INFO(max_parameter_size, std::size_t);
DEVICE_INFO(mem_base_addr_align, std::uint32_t);
DEVICE_INFO(half_fp_config, std::vector<info::fp_config>);
DEVICE_INFO(single_fp_config, std::vector<info::fp_config>);
DEVICE_INFO(double_fp_config, std::vector<info::fp_config>);
DEVICE_INFO(global_mem_cache_type, info::global_mem_cache_type);
DEVICE_INFO(global_mem_cache_line_size, std::uint32_t);
DEVICE_INFO(global_mem_cache_size, std::uint64_t);
DEVICE_INFO(global_mem_size, std::uint64_t);
DEVICE_INFO(max_constant_buffer_size, std::uint64_t);
DEVICE_INFO(max_constant_args, std::uint32_t);
DEVICE_INFO(local_mem_type, info::local_mem_type);
DEVICE_INFO(local_mem_size, std::uint64_t);
DEVICE_INFO(error_correction_support, bool);
DEVICE_INFO(host_unified_memory, bool);
DEVICE_INFO(atomic_memory_order_capabilities, std::vector<sycl::memory_order>);
DEVICE_INFO(atomic_fence_order_capabilities, std::vector<sycl::memory_order>);
DEVICE_INFO(atomic_memory_scope_capabilities, std::vector<sycl::memory_scope>);
DEVICE_INFO(atomic_fence_scope_capabilities, std::vector<sycl::memory_scope>);
DEVICE_INFO(profiling_timer_resolution, std::size_t);
DEVICE_INFO(is_endian_little, bool);
DEVICE_INFO(is_available, bool);
DEVICE_INFO(is_compiler_available, bool);
DEVICE_INFO(is_linker_available, bool);
DEVICE_INFO(execution_capabilities, std::vector<info::execution_capability>);
DEVICE_INFO(queue_profiling, bool);
DEVICE_INFO(built_in_kernel_ids, std::vector<sycl::kernel_id>);
DEVICE_INFO(built_in_kernels, std::vector<std::string>);
DEVICE_INFO(platform, sycl::platform);
DEVICE_INFO(name, std::string);
DEVICE_INFO(vendor, std::string);
DEVICE_INFO(driver_version, std::string);
DEVICE_INFO(profile, std::string);
DEVICE_INFO(version, std::string);
DEVICE_INFO(backend_version, std::string);
DEVICE_INFO(aspects, std::vector<sycl::aspect>);
DEVICE_INFO(extensions, std::vector<std::string>);
DEVICE_INFO(printf_buffer_size, std::size_t);
DEVICE_INFO(preferred_interop_user_sync, bool);
DEVICE_INFO(parent_device, sycl::device);
DEVICE_INFO(partition_max_sub_devices, std::uint32_t);
DEVICE_INFO(partition_properties, std::vector<info::partition_property>);
DEVICE_INFO(partition_affinity_domains, std::vector<info::partition_affinity_domain>);
DEVICE_INFO(partition_type_property, info::partition_property);
DEVICE_INFO(partition_type_affinity_domain, info::partition_affinity_domain);

#define ONE_OF(type, ...)                         \
  static_assert([] {                              \
    using enum type;                              \
    for (type each : {__VA_ARGS__}) (void)each;   \
    return true;                                  \
  }())
ONE_OF(info::device_type, cpu, gpu, accelerator, custom, automatic, all);
ONE_OF(info::partition_property, no_partition, partition_equally, partition_by_counts, partition_by_affinity_domain);
ONE_OF(info::partition_affinity_domain, not_applicable, numa, L4_cache, L3_cache, L2_cache, L1_cache);
ONE_OF(info::local_mem_type, none, local, global);
ONE_OF(info::fp_config, denorm, inf_nan, round_to_nearest, round_to_zero, round_to_inf, fma,
       correctly_rounded_divide_sqrt, soft_float);
ONE_OF(info::global_mem_cache_type, none, read_only, read_write);
ONE_OF(info::execution_capability, exec_kernel, exec_native_kernel);
ONE_OF(info::event_command_status, submitted, running, complete);
ONE_OF(sycl::aspect, cpu, gpu, accelerator, custom, emulated, host_debuggable, fp16, fp64, atomic64, image,
       online_compiler, online_linker, queue_profiling, usm_device_allocations, usm_host_allocations,
       usm_atomic_host_allocations, usm_shared_allocations, usm_atomic_shared_allocations, usm_system_allocations);
ONE_OF(sycl::errc, success, runtime, kernel, accessor, nd_range, event, kernel_argument, build, invalid,
       memory_allocation, platform, profiling, feature_not_supported, kernel_not_supported, backend_mismatch);
ONE_OF(access_mode, read, write, read_write);
ONE_OF(target, device, host_task);
ONE_OF(sycl::bundle_state, input, object, executable);
ONE_OF(sycl::memory_order, relaxed, acquire, release, acq_rel, seq_cst);
ONE_OF(sycl::memory_scope, work_item, sub_group, work_group, device, system);
ONE_OF(sycl::rounding_mode, automatic, rte, rtz, rtp, rtn);
ONE_OF(sycl::usm::alloc, host, device, shared, unknown);
ONE_OF(sycl::access::address_space, global_space, local_space, constant_space, private_space, generic_space);
ONE_OF(sycl::access::decorated, no, yes, legacy);

// 4.6.5: queue.
using sycl::queue;
CAN(queue(), queue(sycl::property_list{}), queue(make<sycl::async_handler>(), sycl::property_list{}));
CAN(queue(sycl::cpu_selector_v), queue(sycl::cpu_selector_v, make<sycl::async_handler>(), sycl::property_list{}));
CAN(queue(make<sycl::device>()), queue(make<sycl::device>(), make<sycl::async_handler>(), sycl::property_list{}));
CAN(queue(make<sycl::context>(), sycl::cpu_selector_v));
CAN(queue(make<sycl::context>(), sycl::cpu_selector_v, make<sycl::async_handler>(), sycl::property_list{}));
CAN(queue(make<sycl::context>(), make<sycl::device>(), sycl::property_list{}));
CAN(queue(make<sycl::context>(), make<sycl::device>(), make<sycl::async_handler>(), sycl::property_list{}));
CAN(queue(sycl::cpu_selector_v, {sycl::property::queue::in_order()}));
CAN(queue(make<sycl::device>(), {sycl::property::queue::in_order()}));
HAS_TYPE(sycl::backend, make<const queue&>().get_backend());
HAS_TYPE(sycl::context, make<const queue&>().get_context());
HAS_TYPE(sycl::device, make<const queue&>().get_device());
HAS_TYPE(bool, make<const queue&>().is_in_order());
INFO(queue, info::queue::context, sycl::context);
INFO(queue, info::queue::device, sycl::device);
constexpr auto nothing = [](sycl::handler&) {};
HAS_TYPE(sycl::event, make<queue&>().submit(nothing));
HAS_TYPE(sycl::event, make<queue&>().submit(nothing, make<queue&>()));
HAS_TYPE(void, make<queue&>().wait());
HAS_TYPE(void, make<queue&>().wait_and_throw());
HAS_TYPE(void, make<queue&>().throw_asynchronous());
using events = const std::vector<sycl::event>&;
// Each shortcut is called alone, with one event, and with several.
#define SHORTCUT(name, ...)                                                              \
  HAS_TYPE(sycl::event, make<queue&>().name(__VA_ARGS__));                               \
  HAS_TYPE(sycl::event, make<queue&>().name(__VA_ARGS__, make<sycl::event>()));          \
  HAS_TYPE(sycl::event, make<queue&>().name(__VA_ARGS__, make<events>()))
SHORTCUT(memcpy, make<void*>(), make<const void*>(), std::size_t{1});
SHORTCUT(copy, make<const int*>(), make<int*>(), std::size_t{1});
SHORTCUT(memset, make<void*>(), 1, std::size_t{1});
SHORTCUT(fill, make<int*>(), 1, std::size_t{1});
SHORTCUT(prefetch, make<void*>(), std::size_t{1});
SHORTCUT(mem_advise, make<void*>(), std::size_t{1}, 0);
using reads = sycl::accessor<int, 1, access_mode::read>;
using writes = sycl::accessor<int, 1, access_mode::write>;
HAS_TYPE(sycl::event, make<queue&>().copy(make<reads>(), std::shared_ptr<int>()));
HAS_TYPE(sycl::event, make<queue&>().copy(std::shared_ptr<int>(), make<writes>()));
HAS_TYPE(sycl::event, make<queue&>().copy(make<reads>(), make<int*>()));
HAS_TYPE(sycl::event, make<queue&>().copy(make<const int*>(), make<writes>()));
HAS_TYPE(sycl::event, make<queue&>().copy(make<reads>(), make<writes>()));
HAS_TYPE(sycl::event, make<queue&>().update_host(make<writes>()));
HAS_TYPE(sycl::event, make<queue&>().fill(make<writes>(), 1));

// 4.6.6: event.
HAS_TYPE(sycl::backend, make<const sycl::event&>().get_backend());
HAS_TYPE(std::vector<sycl::event>, make<sycl::event&>().get_wait_list());
HAS_TYPE(void, make<sycl::event&>().wait());
HAS_TYPE(void, sycl::event::wait(make<events>()));
HAS_TYPE(void, make<sycl::event&>().wait_and_throw());
HAS_TYPE(void, sycl::event::wait_and_throw(make<events>()));
INFO(sycl::event, info::event::command_execution_status, info::event_command_status);
#define PROFILE(name) \
  HAS_TYPE(std::uint64_t, make<const sycl::event&>().get_profiling_info<info::event_profiling::name>())
PROFILE(command_submit);
PROFILE(command_start);
PROFILE(command_end);

// 4.7.2: buffer.
template <class T, int D>
using buffer = sycl::buffer<T, D>;
using allocator = std::allocator<int>;
// Arguments are an allocator, properties, or both. The variable `none` stands for empty properties, because {}
// could also mean an allocator.
const sycl::property_list none;
CAN(buffer<int, 2>(sycl::range<2>(1, 1), none), buffer<int, 2>(sycl::range<2>(1, 1), allocator(), {}));
CAN(buffer<int, 1>(make<int*>(), sycl::range<1>(1), none), buffer<int, 1>(make<int*>(), 1, allocator(), {}));
CAN(buffer<int, 1>(make<const int*>(), 1, none), buffer<int, 1>(make<const int*>(), 1, allocator(), {}));
CAN(buffer<int, 1>(make<std::vector<int>&>(), none), buffer<int, 1>(make<std::vector<int>&>(), allocator(), {}));
CAN(buffer<int, 1>(make<std::shared_ptr<int>>(), 1, none));
CAN(buffer<int, 1>(make<std::shared_ptr<int[]>>(), 1, allocator(), {}));
CAN(buffer<int, 1>(make<int*>(), make<int*>(), none), buffer<int, 1>(make<int*>(), make<int*>(), allocator(), {}));
CAN(buffer<int, 1>(make<buffer<int, 1>&>(), sycl::id<1>(), sycl::range<1>(1)));
CAN(buffer<int, 1>(sycl::range<1>(1), {sycl::property::buffer::use_host_ptr()}));
static_assert(std::is_same_v<decltype(sycl::buffer(make<int*>(), sycl::range<2>(1, 1))), buffer<int, 2>>);
static_assert(std::is_same_v<decltype(sycl::buffer(make<std::vector<int>&>())), buffer<int, 1>>);
static_assert(std::is_same_v<decltype(sycl::buffer(make<int*>(), make<int*>())), buffer<int, 1>>);
static_assert(std::is_same_v<buffer<int, 1>::value_type, int> && std::is_same_v<buffer<int, 1>::reference, int&>);
static_assert(std::is_same_v<buffer<int, 1>::const_reference, const int&>);
static_assert(std::is_same_v<buffer<int, 1>::allocator_type, allocator>);
HAS_TYPE(sycl::range<3>, (make<const buffer<int, 3>&>().get_range()));
HAS_TYPE(std::size_t, (make<const buffer<int, 3>&>().byte_size()));
HAS_TYPE(std::size_t, (make<const buffer<int, 3>&>().size()));
HAS_TYPE(std::size_t, (make<const buffer<int, 3>&>().get_count()));
HAS_TYPE(std::size_t, (make<const buffer<int, 3>&>().get_size()));
HAS_TYPE(allocator, (make<const buffer<int, 3>&>().get_allocator()));
HAS_TYPE(bool, (make<const buffer<int, 3>&>().is_sub_buffer()));
#define GET_ACCESS(type, ...) HAS_TYPE(type, (make<buffer<int, 1>&>().__VA_ARGS__))
using whole = sycl::accessor<int, 1>;
using host_writes = sycl::accessor<int, 1, access_mode::write, target::host_task>;
GET_ACCESS(whole, get_access(make<sycl::handler&>()));
GET_ACCESS(writes, get_access<access_mode::write>(make<sycl::handler&>()));
GET_ACCESS(host_writes, get_access<access_mode::write, target::host_task>(make<sycl::handler&>()));
GET_ACCESS(writes, get_access<access_mode::write>(make<sycl::handler&>(), sycl::range<1>(1), sycl::id<1>()));
GET_ACCESS(writes, get_access<access_mode::write>(make<sycl::handler&>(), sycl::range<1>(1)));
GET_ACCESS(whole, get_access());
GET_ACCESS(writes, get_access(sycl::write_only));
GET_ACCESS(writes, get_access(make<sycl::handler&>(), sycl::write_only, sycl::no_init));
GET_ACCESS(reads, get_access(make<sycl::handler&>(), sycl::range<1>(1), sycl::id<1>(), sycl::read_only));
GET_ACCESS(sycl::host_accessor<int>, get_host_access());
using host_reads = sycl::host_accessor<int, 1, access_mode::read>;
GET_ACCESS(host_reads, get_host_access(sycl::range<1>(1), sycl::read_only));
GET_ACCESS(void, set_final_data());
GET_ACCESS(void, set_final_data(std::shared_ptr<int>()));
GET_ACCESS(void, set_final_data(std::weak_ptr<int>()));
GET_ACCESS(void, set_final_data(make<std::vector<int>::iterator>()));
GET_ACCESS(void, set_write_back());
GET_ACCESS(void, set_write_back(false));
using floats = buffer<float, 2>;
GET_ACCESS(floats, reinterpret<float, 2>(sycl::range<2>(1, 1)));
using shorts = buffer<short, 1>;
GET_ACCESS(shorts, reinterpret<short>());
GET_ACCESS(shorts, reinterpret<short, 1>());

// 4.7.6: accessors. Each constructor also accepts properties in braces as the last parameter of the synopsis.
#define ACCESSOR(type, ...)                                                                                         \
  static_assert(std::is_same_v<decltype(sycl::accessor(make<buffer<int, 1>&>() __VA_OPT__(, ) __VA_ARGS__)), type>); \
  CAN(type(make<buffer<int, 1>&>() __VA_OPT__(, ) __VA_ARGS__))
#define ACCESSORS(...)                                                          \
  ACCESSOR(whole, __VA_ARGS__);                                                 \
  ACCESSOR(whole, __VA_ARGS__ __VA_OPT__(, ){sycl::no_init});                   \
  ACCESSOR(whole, __VA_ARGS__ __VA_OPT__(, ) sycl::no_init);                    \
  ACCESSOR(writes, __VA_ARGS__ __VA_OPT__(, ) sycl::write_only);                \
  ACCESSOR(writes, __VA_ARGS__ __VA_OPT__(, ) sycl::write_only, {sycl::no_init}); \
  ACCESSOR(writes, __VA_ARGS__ __VA_OPT__(, ) sycl::write_only, sycl::property_list{}); \
  ACCESSOR(host_writes, __VA_ARGS__ __VA_OPT__(, ) sycl::write_only_host_task, {sycl::no_init})
ACCESSORS();
ACCESSORS(make<sycl::handler&>());
ACCESSORS(sycl::range<1>(1));
ACCESSORS(sycl::range<1>(1), sycl::id<1>());
ACCESSORS(make<sycl::handler&>(), sycl::range<1>(1));
ACCESSORS(make<sycl::handler&>(), sycl::range<1>(1), sycl::id<1>());
CAN(sycl::accessor<int, 0>(make<buffer<int, 1>&>(), {sycl::no_init}));
CAN(sycl::accessor<int, 0>(make<buffer<int, 1>&>(), make<sycl::handler&>(), {sycl::no_init}));
#define HOST_ACCESSORS(...)                                                                           \
  CAN(sycl::host_accessor(make<buffer<int, 1>&>() __VA_OPT__(, ) __VA_ARGS__));                       \
  CAN(sycl::host_accessor(make<buffer<int, 1>&>() __VA_OPT__(, ) __VA_ARGS__, {sycl::no_init}));      \
  CAN(sycl::host_accessor(make<buffer<int, 1>&>() __VA_OPT__(, ) __VA_ARGS__, sycl::write_only));     \
  CAN(sycl::host_accessor(make<buffer<int, 1>&>() __VA_OPT__(, ) __VA_ARGS__, sycl::write_only, {sycl::no_init}))
HOST_ACCESSORS();
HOST_ACCESSORS(sycl::range<1>(1));
HOST_ACCESSORS(sycl::range<1>(1), sycl::id<1>());
CAN(sycl::local_accessor<int, 0>(make<sycl::handler&>(), {}));
CAN(sycl::local_accessor<int, 1>(1, make<sycl::handler&>(), {}));
template <class A, class Element>
constexpr bool accesses = requires(const A& a) {
  requires std::is_same_v<typename A::value_type, Element>;
  requires std::is_same_v<typename A::reference, Element&>;
  requires std::is_same_v<typename A::const_reference, const Element&>;
  typename A::iterator;
  typename A::const_iterator;
  typename A::reverse_iterator;
  typename A::const_reverse_iterator;
  requires std::is_same_v<typename A::size_type, std::size_t>;
  typename A::difference_type;
  a.begin(), a.end(), a.cbegin(), a.cend(), a.rbegin(), a.rend(), a.crbegin(), a.crend();
  { a.byte_size() } -> std::same_as<std::size_t>;
  { a.size() } -> std::same_as<std::size_t>;
  { a.max_size() } -> std::same_as<std::size_t>;
  { a.get_count() } -> std::same_as<std::size_t>;
  { a.get_size() } -> std::same_as<std::size_t>;
  { a.empty() } -> std::same_as<bool>;
  make<A&>().swap(make<A&>());
  a.get_pointer();
};
static_assert(accesses<whole, int> && accesses<reads, const int> && accesses<host_reads, const int>);
static_assert(accesses<sycl::accessor<int, 0>, int> && accesses<sycl::accessor<int, 3>, int>);
static_assert(accesses<sycl::host_accessor<int, 2>, int> && accesses<sycl::local_accessor<int, 2>, int>);
static_assert(accesses<sycl::local_accessor<const int, 1>, const int>);
template <class A, int D>
constexpr bool has_range = requires(const A& a) {
  { a.get_range() } -> std::same_as<sycl::range<D>>;
  { a[sycl::id<D>()] } -> std::same_as<typename A::reference>;
};
static_assert(has_range<sycl::accessor<int, 3>, 3> && has_range<sycl::host_accessor<int, 2>, 2>);
static_assert(has_range<sycl::local_accessor<int, 2>, 2>);
HAS_TYPE(sycl::id<2>, make<const sycl::accessor<int, 2>&>().get_offset());
HAS_TYPE(sycl::id<2>, make<const sycl::host_accessor<int, 2>&>().get_offset());
HAS_TYPE(bool, make<const whole&>().is_placeholder());
HAS_TYPE(int&, make<const whole&>()[std::size_t{1}]);
HAS_TYPE(int&, make<const sycl::accessor<int, 3>&>()[1][1][1]);
HAS_TYPE(int&, make<const sycl::local_accessor<int, 2>&>()[1][1]);
CAN(make<const sycl::accessor<int, 0>&>() = 1, static_cast<int&>(make<const sycl::accessor<int, 0>&>()));
CAN(make<const sycl::local_accessor<int, 0>&>() = 1, make<const sycl::host_accessor<int, 0>&>() = 1);
HAS_TYPE(whole::accessor_ptr<sycl::access::decorated::yes>,
         make<const whole&>().get_multi_ptr<sycl::access::decorated::yes>());
HAS_TYPE(sycl::local_accessor<int>::accessor_ptr<sycl::access::decorated::no>,
         make<const sycl::local_accessor<int>&>().get_multi_ptr<sycl::access::decorated::no>());
static_assert(std::is_convertible_v<whole, sycl::accessor<const int>> && std::is_convertible_v<whole, reads>);
static_assert(std::is_convertible_v<sycl::host_accessor<int>, host_reads>);

// 4.7.7: multi_ptr.
namespace access = sycl::access;
template <class T, access::address_space Space, access::decorated Decorated>
constexpr bool is_multi_ptr = requires(sycl::multi_ptr<T, Space, Decorated> p, std::ptrdiff_t n) {
  requires decltype(p)::is_decorated == (Decorated == access::decorated::yes);
  requires decltype(p)::address_space == Space;
  requires std::is_same_v<typename decltype(p)::value_type, T>;
  requires std::is_same_v<typename decltype(p)::difference_type, std::ptrdiff_t>;
  typename decltype(p)::pointer;
  typename decltype(p)::reference;
  typename decltype(p)::iterator_category;
  *p, p[n], p.operator->();
  { p.get_raw() } -> std::same_as<T*>;
  p.get(), p.get_decorated();
  ++p, p++, --p, p--, p += n, p -= n, p + n, p - n, *(n + p) = 1;
  p == p, p != p, p < p, p > p, p <= p, p >= p, p == nullptr, nullptr != p, p < nullptr, nullptr >= p;
  p = nullptr;
  p.prefetch(1);
};
static_assert(is_multi_ptr<int, access::address_space::global_space, access::decorated::no>);
static_assert(is_multi_ptr<int, access::address_space::global_space, access::decorated::yes>);
CAN(sycl::address_space_cast<access::address_space::global_space, access::decorated::no>(make<int*>()));
CAN(sycl::global_ptr<int, access::decorated::no>(), sycl::local_ptr<int, access::decorated::no>());
CAN(sycl::private_ptr<int, access::decorated::no>(), sycl::generic_ptr<int, access::decorated::no>());
CAN(sycl::raw_global_ptr<int>(), sycl::raw_local_ptr<int>(), sycl::raw_private_ptr<int>());
CAN(sycl::raw_generic_ptr<int>());
CAN(sycl::decorated_global_ptr<int>(), sycl::decorated_local_ptr<int>(), sycl::decorated_private_ptr<int>());
CAN(sycl::decorated_generic_ptr<int>(), sycl::constant_ptr<int>());
static_assert(sycl::remove_decoration_t<int*>() == nullptr);

// 4.8: unified shared memory.
using sycl::usm::alloc;
#define ALLOCATIONS(kind)                                                                                   \
  HAS_TYPE(void*, sycl::malloc_##kind(1, make<sycl::device>(), make<sycl::context>(), {}));                 \
  HAS_TYPE(int*, sycl::malloc_##kind<int>(1, make<sycl::device>(), make<sycl::context>(), {}));             \
  HAS_TYPE(void*, sycl::aligned_alloc_##kind(8, 1, make<sycl::device>(), make<sycl::context>(), {}));       \
  HAS_TYPE(int*, sycl::aligned_alloc_##kind<int>(8, 1, make<sycl::device>(), make<sycl::context>(), {}))
#define ALLOCATIONS_OF_QUEUE(kind)                                               \
  HAS_TYPE(void*, sycl::malloc_##kind(1, make<queue>(), {}));                    \
  HAS_TYPE(int*, sycl::malloc_##kind<int>(1, make<queue>(), {}));                \
  HAS_TYPE(void*, sycl::aligned_alloc_##kind(8, 1, make<queue>(), {}));          \
  HAS_TYPE(int*, sycl::aligned_alloc_##kind<int>(8, 1, make<queue>(), {}))
ALLOCATIONS(device);
ALLOCATIONS(shared);
ALLOCATIONS_OF_QUEUE(device);
ALLOCATIONS_OF_QUEUE(shared);
ALLOCATIONS_OF_QUEUE(host);
HAS_TYPE(void*, sycl::malloc_host(1, make<sycl::context>(), {}));
HAS_TYPE(int*, sycl::malloc_host<int>(1, make<sycl::context>(), {}));
HAS_TYPE(void*, sycl::aligned_alloc_host(8, 1, make<sycl::context>(), {}));
HAS_TYPE(int*, sycl::aligned_alloc_host<int>(8, 1, make<sycl::context>(), {}));
HAS_TYPE(void*, sycl::malloc(1, make<sycl::device>(), make<sycl::context>(), alloc::host, {}));
HAS_TYPE(int*, sycl::malloc<int>(1, make<sycl::device>(), make<sycl::context>(), alloc::host, {}));
HAS_TYPE(void*, sycl::malloc(1, make<queue>(), alloc::host, {}));
HAS_TYPE(int*, sycl::malloc<int>(1, make<queue>(), alloc::host, {}));
HAS_TYPE(void*, sycl::aligned_alloc(8, 1, make<sycl::device>(), make<sycl::context>(), alloc::host, {}));
HAS_TYPE(int*, sycl::aligned_alloc<int>(8, 1, make<sycl::device>(), make<sycl::context>(), alloc::host, {}));
HAS_TYPE(void*, sycl::aligned_alloc(8, 1, make<queue>(), alloc::host, {}));
HAS_TYPE(int*, sycl::aligned_alloc<int>(8, 1, make<queue>(), alloc::host, {}));
HAS_TYPE(void, sycl::free(make<void*>(), make<sycl::context>()));
HAS_TYPE(void, sycl::free(make<void*>(), make<queue>()));
HAS_TYPE(alloc, sycl::get_pointer_type(make<const void*>(), make<sycl::context>()));
HAS_TYPE(sycl::device, sycl::get_pointer_device(make<const void*>(), make<sycl::context>()));
using usm_allocator = sycl::usm_allocator<int, alloc::shared, 16>;
CAN(usm_allocator(make<sycl::context>(), make<sycl::device>(), {}), usm_allocator(make<queue>(), {}));
HAS_TYPE(int*, make<usm_allocator&>().allocate(1));
HAS_TYPE(void, make<usm_allocator&>().deallocate(make<int*>(), 1));
static_assert(std::is_same_v<usm_allocator::value_type, int> && usm_allocator::propagate_on_container_swap::value);
static_assert(usm_allocator::propagate_on_container_copy_assignment::value);
static_assert(usm_allocator::propagate_on_container_move_assignment::value);

// 4.9.1: ranges and identifiers, one dimension by default.
template <class T>
constexpr bool counts = requires(T a, const T b, std::size_t n) {
  { b.get(0) } -> std::same_as<std::size_t>;
  { a[0] } -> std::same_as<std::size_t&>;
  { b[0] } -> std::same_as<std::size_t>;
  b + b, b - b, b * b, b / b, b % b, b << b, b >> b, b & b, b | b, b ^ b, b && b, b || b, b < b, b > b, b <= b, b >= b;
  b + n, b - n, b * n, b / n, b % n, b << n, b >> n, b & n, b | n, b ^ n, b && n, b || n, b < n, b > n, b <= n, b >= n;
  n + b, n - b, n * b, n / b, n % b, n << b, n >> b, n & b, n | b, n ^ b, n && b, n || b, n < b, n > b, n <= b, n >= b;
  a += b, a -= b, a *= b, a /= b, a %= b, a <<= b, a >>= b, a &= b, a |= b, a ^= b;
  a += n, a -= n, a *= n, a /= n, a %= n, a <<= n, a >>= n, a &= n, a |= n, a ^= n;
  +b, -b, ++a, a++, --a, a--;
  requires T::dimensions >= 1;
};
static_assert(counts<sycl::range<3>> && counts<sycl::id<3>> && counts<sycl::range<>> && counts<sycl::id<>>);
HAS_TYPE(std::size_t, make<const sycl::range<2>&>().size());
CAN(sycl::id<2>(make<const sycl::range<2>&>()), sycl::id<2>(make<const sycl::item<2>&>()), sycl::id<3>(1, 2, 3));
static_assert(std::is_convertible_v<sycl::id<1>, std::size_t> && std::is_convertible_v<sycl::item<1>, std::size_t>);
static_assert(std::is_same_v<decltype(sycl::range(1, 2)), sycl::range<2>>);
static_assert(std::is_same_v<decltype(sycl::id(1, 2, 3)), sycl::id<3>>);
CAN(sycl::nd_range<2>({1, 1}, {1, 1}), sycl::nd_range<2>({1, 1}, {1, 1}, {0, 0}));
HAS_TYPE(sycl::range<2>, make<const sycl::nd_range<2>&>().get_global_range());
HAS_TYPE(sycl::range<2>, make<const sycl::nd_range<2>&>().get_local_range());
HAS_TYPE(sycl::range<2>, make<const sycl::nd_range<2>&>().get_group_range());
HAS_TYPE(sycl::id<2>, make<const sycl::nd_range<2>&>().get_offset());
#define MEMBER_OF(object, type, name) HAS_TYPE(type, make<const object&>().name)
// Tests whole ids and ranges, and their elements.
#define PARTS_OF(object, type, name) \
  MEMBER_OF(object, type, name());   \
  MEMBER_OF(object, std::size_t, name(0))
using item2 = sycl::item<2>;
PARTS_OF(item2, sycl::id<2>, get_id);
PARTS_OF(item2, sycl::range<2>, get_range);
MEMBER_OF(item2, std::size_t, operator[](0));
MEMBER_OF(item2, sycl::id<2>, get_offset());
MEMBER_OF(item2, std::size_t, get_linear_id());
static_assert(std::is_convertible_v<sycl::item<2, false>, item2>);
using nd_item2 = sycl::nd_item<2>;
PARTS_OF(nd_item2, sycl::id<2>, get_global_id);
PARTS_OF(nd_item2, sycl::id<2>, get_local_id);
PARTS_OF(nd_item2, sycl::range<2>, get_group_range);
PARTS_OF(nd_item2, sycl::range<2>, get_global_range);
PARTS_OF(nd_item2, sycl::range<2>, get_local_range);
PARTS_OF(nd_item2, sycl::id<2>, get_global);  // SYCL 1.2
PARTS_OF(nd_item2, sycl::id<2>, get_local);
PARTS_OF(nd_item2, sycl::range<2>, get_num_groups);
MEMBER_OF(nd_item2, std::size_t, get_global_linear_id());
MEMBER_OF(nd_item2, std::size_t, get_local_linear_id());
MEMBER_OF(nd_item2, sycl::group<2>, get_group());
MEMBER_OF(nd_item2, sycl::sub_group, get_sub_group());
MEMBER_OF(nd_item2, std::size_t, get_group(0));
MEMBER_OF(nd_item2, std::size_t, get_group_linear_id());
MEMBER_OF(nd_item2, sycl::id<2>, get_offset());
MEMBER_OF(nd_item2, sycl::nd_range<2>, get_nd_range());
using local_memory = sycl::decorated_local_ptr<int>;
using global_memory = sycl::decorated_global_ptr<int>;
#define COPIES(object)                                                                                        \
  MEMBER_OF(object, sycl::device_event, async_work_group_copy(make<local_memory>(), make<global_memory>(), 1));   \
  MEMBER_OF(object, sycl::device_event, async_work_group_copy(make<global_memory>(), make<local_memory>(), 1));   \
  MEMBER_OF(object, sycl::device_event, async_work_group_copy(make<local_memory>(), make<global_memory>(), 1, 2)); \
  MEMBER_OF(object, sycl::device_event, async_work_group_copy(make<global_memory>(), make<local_memory>(), 1, 2)); \
  MEMBER_OF(object, void, wait_for(make<sycl::device_event>(), make<sycl::device_event>()))
COPIES(nd_item2);
HAS_TYPE(void, make<sycl::device_event&>().wait());
using h_item2 = sycl::h_item<2>;
using plain_item = sycl::item<2, false>;
MEMBER_OF(h_item2, plain_item, get_global());
MEMBER_OF(h_item2, plain_item, get_local());
MEMBER_OF(h_item2, plain_item, get_logical_local());
MEMBER_OF(h_item2, plain_item, get_physical_local());
PARTS_OF(h_item2, sycl::range<2>, get_global_range);
PARTS_OF(h_item2, sycl::id<2>, get_global_id);
PARTS_OF(h_item2, sycl::range<2>, get_local_range);
PARTS_OF(h_item2, sycl::id<2>, get_local_id);
PARTS_OF(h_item2, sycl::range<2>, get_logical_local_range);
PARTS_OF(h_item2, sycl::id<2>, get_logical_local_id);
PARTS_OF(h_item2, sycl::range<2>, get_physical_local_range);
PARTS_OF(h_item2, sycl::id<2>, get_physical_local_id);
using group2 = sycl::group<2>;
template <class G>
constexpr bool is_group_class = requires(const G& g) {
  typename G::id_type;
  typename G::range_type;
  typename G::linear_id_type;
  G::dimensions;
  G::fence_scope;
  { g.get_group_id() } -> std::same_as<typename G::id_type>;
  { g.get_local_id() } -> std::same_as<typename G::id_type>;
  { g.get_local_range() } -> std::same_as<typename G::range_type>;
  { g.get_group_range() } -> std::same_as<typename G::range_type>;
  { g.get_max_local_range() } -> std::same_as<typename G::range_type>;
  { g.get_group_linear_id() } -> std::same_as<typename G::linear_id_type>;
  { g.get_local_linear_id() } -> std::same_as<typename G::linear_id_type>;
  { g.get_group_linear_range() } -> std::same_as<typename G::linear_id_type>;
  { g.get_local_linear_range() } -> std::same_as<typename G::linear_id_type>;
  { g.leader() } -> std::same_as<bool>;
};
static_assert(is_group_class<group2> && is_group_class<sycl::group<>> && is_group_class<sycl::sub_group>);
PARTS_OF(group2, sycl::id<2>, get_group_id);
PARTS_OF(group2, sycl::id<2>, get_local_id);
PARTS_OF(group2, sycl::range<2>, get_local_range);
PARTS_OF(group2, sycl::range<2>, get_group_range);
MEMBER_OF(group2, std::size_t, operator[](0));
COPIES(group2);
static_assert(std::is_same_v<sycl::sub_group, sycl::ext::oneapi::sub_group>);

// 4.9.2: reductions.
using plus = sycl::plus<int>;
CAN(sycl::reduction(make<buffer<int, 1>&>(), make<sycl::handler&>(), plus(), {}));
CAN(sycl::reduction(make<buffer<int, 1>&>(), make<sycl::handler&>(), 0, plus(), {}));
CAN(sycl::reduction(make<int*>(), plus(), {}), sycl::reduction(make<int*>(), 0, plus(), {}));
CAN(sycl::reduction(sycl::span<int, 4>(make<int*>(), 4), plus(), {}));
CAN(sycl::reduction(sycl::span<int, 4>(make<int*>(), 4), 0, plus(), {}));
CAN(sycl::reduction(make<int*>(), plus(), {sycl::property::reduction::initialize_to_identity()}));
static_assert(sycl::known_identity<plus, int>::value == 0 && sycl::known_identity_v<sycl::multiplies<>, int> == 1);
static_assert(sycl::has_known_identity<plus, int>::value && !sycl::has_known_identity_v<std::less<>, int>);

// 4.9.4: the handler.
#define HANDLER(...) HAS_TYPE(void, make<sycl::handler&>().__VA_ARGS__)
HANDLER(require(make<whole>()));
HANDLER(depends_on(make<sycl::event>()));
HANDLER(depends_on(make<events>()));
HANDLER(set_arg(0, 1));
HANDLER(set_args(1, 2.0f, make<whole>()));
HANDLER(single_task(make<const sycl::kernel&>()));
HANDLER(parallel_for(sycl::range<2>(1, 1), make<const sycl::kernel&>()));
HANDLER(parallel_for(sycl::nd_range<1>(1, 1), make<const sycl::kernel&>()));
HANDLER(memcpy(make<void*>(), make<const void*>(), 1));
HANDLER(copy(make<const int*>(), make<int*>(), 1));
HANDLER(memset(make<void*>(), 1, 1));
HANDLER(fill(make<int*>(), 1, 1));
HANDLER(prefetch(make<void*>(), 1));
HANDLER(mem_advise(make<void*>(), 1, 0));
HANDLER(copy(make<reads>(), std::shared_ptr<int>()));
HANDLER(copy(std::shared_ptr<int>(), make<writes>()));
HANDLER(copy(make<reads>(), make<int*>()));
HANDLER(copy(make<const int*>(), make<writes>()));
HANDLER(copy(make<reads>(), make<writes>()));
HANDLER(update_host(make<writes>()));
HANDLER(fill(make<writes>(), 1));
HANDLER(use_kernel_bundle(make<const sycl::kernel_bundle<sycl::bundle_state::executable>&>()));
constexpr sycl::specialization_id<int> constant(1);
HANDLER(set_specialization_constant<constant>(2));
HAS_TYPE(int, make<sycl::handler&>().get_specialization_constant<constant>());
HAS_TYPE(int, make<sycl::kernel_handler&>().get_specialization_constant<constant>());
static_assert(!std::is_copy_constructible_v<sycl::handler> && !std::is_move_assignable_v<sycl::handler>);

// 4.10: host tasks.
using handle = sycl::interop_handle;
HAS_TYPE(sycl::backend, make<const handle&>().get_backend());
CAN(make<const handle&>().get_native_mem<sycl::backend::opencl>(make<whole>()));
CAN(make<const handle&>().get_native_queue<sycl::backend::opencl>());
CAN(make<const handle&>().get_native_device<sycl::backend::opencl>());
CAN(make<const handle&>().get_native_context<sycl::backend::opencl>());
static_assert(!std::is_default_constructible_v<handle>);

// 4.11: kernel bundles.
class a_kernel;
using sycl::bundle_state;
using sycl::kernel_bundle;
using executable = kernel_bundle<bundle_state::executable>;
using input = kernel_bundle<bundle_state::input>;
using object = kernel_bundle<bundle_state::object>;
using devices = const std::vector<sycl::device>&;
using ids = const std::vector<sycl::kernel_id>&;
HAS_TYPE(sycl::kernel_id, sycl::get_kernel_id<a_kernel>());
HAS_TYPE(std::vector<sycl::kernel_id>, sycl::get_kernel_ids());
HAS_TYPE(const char*, make<const sycl::kernel_id&>().get_name());
constexpr auto every_image = [](const sycl::device_image<bundle_state::input>&) { return true; };
#define BUNDLE(...) HAS_TYPE(input, sycl::get_kernel_bundle<__VA_ARGS__)
BUNDLE(bundle_state::input>(make<sycl::context>()));
BUNDLE(bundle_state::input>(make<sycl::context>(), make<devices>()));
BUNDLE(bundle_state::input>(make<sycl::context>(), make<ids>()));
BUNDLE(bundle_state::input>(make<sycl::context>(), make<devices>(), make<ids>()));
BUNDLE(bundle_state::input>(make<sycl::context>(), every_image));
BUNDLE(bundle_state::input>(make<sycl::context>(), make<devices>(), every_image));
BUNDLE(a_kernel, bundle_state::input>(make<sycl::context>()));
BUNDLE(a_kernel, bundle_state::input>(make<sycl::context>(), make<devices>()));
#define BUNDLE_THERE(...) HAS_TYPE(bool, sycl::has_kernel_bundle<__VA_ARGS__)
BUNDLE_THERE(bundle_state::input>(make<sycl::context>()));
BUNDLE_THERE(bundle_state::input>(make<sycl::context>(), make<devices>()));
BUNDLE_THERE(bundle_state::input>(make<sycl::context>(), make<ids>()));
BUNDLE_THERE(bundle_state::input>(make<sycl::context>(), make<devices>(), make<ids>()));
BUNDLE_THERE(a_kernel, bundle_state::input>(make<sycl::context>()));
BUNDLE_THERE(a_kernel, bundle_state::input>(make<sycl::context>(), make<devices>()));
HAS_TYPE(bool, sycl::is_compatible(make<ids>(), make<sycl::device>()));
HAS_TYPE(bool, sycl::is_compatible<a_kernel>(make<sycl::device>()));
HAS_TYPE(input, sycl::join(make<const std::vector<input>&>()));
HAS_TYPE(object, sycl::compile(make<input>(), make<devices>(), {}));
HAS_TYPE(object, sycl::compile(make<input>(), none));
HAS_TYPE(executable, sycl::link(make<const std::vector<object>&>(), make<devices>(), {}));
HAS_TYPE(executable, sycl::link(make<object>(), make<devices>(), {}));
HAS_TYPE(executable, sycl::link(make<const std::vector<object>&>(), sycl::property_list{}));
HAS_TYPE(executable, sycl::link(make<object>(), sycl::property_list{}));
HAS_TYPE(executable, sycl::build(make<input>(), make<devices>(), {}));
HAS_TYPE(executable, sycl::build(make<input>(), none));
MEMBER_OF(executable, bool, empty());
MEMBER_OF(executable, sycl::backend, get_backend());
MEMBER_OF(executable, sycl::context, get_context());
MEMBER_OF(executable, std::vector<sycl::device>, get_devices());
MEMBER_OF(executable, bool, has_kernel(make<sycl::kernel_id>()));
MEMBER_OF(executable, bool, has_kernel(make<sycl::kernel_id>(), make<sycl::device>()));
MEMBER_OF(executable, bool, has_kernel<a_kernel>());
MEMBER_OF(executable, bool, has_kernel<a_kernel>(make<sycl::device>()));
MEMBER_OF(executable, std::vector<sycl::kernel_id>, get_kernel_ids());
MEMBER_OF(executable, sycl::kernel, get_kernel(make<sycl::kernel_id>()));
MEMBER_OF(executable, sycl::kernel, get_kernel<a_kernel>());
MEMBER_OF(executable, bool, contains_specialization_constants());
MEMBER_OF(executable, bool, native_specialization_constant());
MEMBER_OF(executable, bool, has_specialization_constant<constant>());
HAS_TYPE(void, make<input&>().set_specialization_constant<constant>(1));
MEMBER_OF(executable, int, get_specialization_constant<constant>());
MEMBER_OF(executable, executable::device_image_iterator, begin());
MEMBER_OF(executable, executable::device_image_iterator, end());
using image = sycl::device_image<bundle_state::executable>;
MEMBER_OF(image, bool, has_kernel(make<sycl::kernel_id>()));
MEMBER_OF(image, bool, has_kernel(make<sycl::kernel_id>(), make<sycl::device>()));
static_assert(!std::is_default_constructible_v<sycl::kernel>);
MEMBER_OF(sycl::kernel, sycl::backend, get_backend());
MEMBER_OF(sycl::kernel, sycl::context, get_context());
MEMBER_OF(sycl::kernel, executable, get_kernel_bundle());
INFO(sycl::kernel, info::kernel::num_args, std::uint32_t);
INFO(sycl::kernel, info::kernel::attributes, std::string);
#define KERNEL_INFO(name, type) \
  MEMBER_OF(sycl::kernel, type, get_info<info::kernel_device_specific::name>(make<const sycl::device&>()))
KERNEL_INFO(global_work_size, sycl::range<3>);
KERNEL_INFO(work_group_size, std::size_t);
KERNEL_INFO(compile_work_group_size, sycl::range<3>);
KERNEL_INFO(preferred_work_group_size_multiple, std::size_t);
KERNEL_INFO(private_mem_size, std::size_t);
KERNEL_INFO(max_num_sub_groups, std::uint32_t);
KERNEL_INFO(compile_num_sub_groups, std::uint32_t);
KERNEL_INFO(max_sub_group_size, std::uint32_t);
KERNEL_INFO(compile_sub_group_size, std::uint32_t);

// 4.13: errors, and SYCL 1.2.1's exception classes.
using sycl::exception;
CAN(exception(make<std::error_code>(), std::string()), exception(make<std::error_code>(), ""));
CAN(exception(make<std::error_code>()), exception(1, sycl::sycl_category(), std::string()));
CAN(exception(1, sycl::sycl_category(), ""), exception(1, sycl::sycl_category()));
CAN(exception(make<sycl::context>(), make<std::error_code>(), std::string()));
CAN(exception(make<sycl::context>(), make<std::error_code>(), ""));
CAN(exception(make<sycl::context>(), make<std::error_code>()));
CAN(exception(make<sycl::context>(), 1, sycl::sycl_category(), std::string()));
CAN(exception(make<sycl::context>(), 1, sycl::sycl_category(), ""));
CAN(exception(make<sycl::context>(), 1, sycl::sycl_category()));
MEMBER_OF(exception, const std::error_code&, code());
MEMBER_OF(exception, const std::error_category&, category());
MEMBER_OF(exception, const char*, what());
MEMBER_OF(exception, bool, has_context());
MEMBER_OF(exception, sycl::context, get_context());
MEMBER_OF(exception, int, get_cl_code());
static_assert(std::is_error_code_enum_v<sycl::errc>);
HAS_TYPE(std::error_code, sycl::make_error_code(sycl::errc::runtime));
MEMBER_OF(sycl::exception_list, std::size_t, size());
MEMBER_OF(sycl::exception_list, sycl::exception_list::iterator, begin());
MEMBER_OF(sycl::exception_list, sycl::exception_list::iterator, end());
static_assert(std::is_same_v<sycl::exception_list::value_type, std::exception_ptr>);
template <class Derived, class Base>
constexpr bool is_error_class = std::is_base_of_v<Base, Derived> && std::is_copy_constructible_v<Derived> &&
                                requires { Derived("why"), Derived(std::string("why"), -5), Derived(); };
static_assert(is_error_class<sycl::runtime_error, exception> && is_error_class<sycl::device_error, exception>);
static_assert(is_error_class<sycl::kernel_error, sycl::runtime_error>);
static_assert(is_error_class<sycl::accessor_error, sycl::runtime_error>);
static_assert(is_error_class<sycl::nd_range_error, sycl::runtime_error>);
static_assert(is_error_class<sycl::event_error, sycl::runtime_error>);
static_assert(is_error_class<sycl::invalid_parameter_error, sycl::runtime_error>);
static_assert(is_error_class<sycl::compile_program_error, sycl::device_error>);
static_assert(is_error_class<sycl::link_program_error, sycl::device_error>);
static_assert(is_error_class<sycl::invalid_object_error, sycl::device_error>);
static_assert(is_error_class<sycl::memory_allocation_error, sycl::device_error>);
static_assert(is_error_class<sycl::platform_error, sycl::device_error>);
static_assert(is_error_class<sycl::profiling_error, sycl::device_error>);
static_assert(is_error_class<sycl::feature_not_supported, sycl::device_error>);

// 4.14: vec, marray.
using float4 = sycl::float4;
CAN(float4(1.0f), float4(sycl::float2(), 1, 2.0), float4(make<const float4&>()), sycl::vec<int, 1>(1));
static_assert(std::is_same_v<float4::element_type, float> && std::is_same_v<float4::value_type, float>);
static_assert(float4::size() == 4 && float4::byte_size() == 16 && float4::get_count() == 4 && float4::get_size() == 16);
HAS_TYPE(sycl::int4, make<const float4&>().convert<int, sycl::rounding_mode::rte>());
HAS_TYPE(sycl::int4, make<const float4&>().as<sycl::int4>());
CAN(make<float4&>().lo(), make<float4&>().hi(), make<float4&>().odd(), make<float4&>().even());
CAN(make<float4&>().swizzle<sycl::elem::x, sycl::elem::s3>() = sycl::float2());
CAN(make<float4&>().load(0, make<const float*>()), make<const float4&>().store(0, make<float*>()));
HAS_TYPE(sycl::int4, make<const float4&>() < make<const float4&>());
template <class V, class T>
constexpr bool calculates = requires(V a, const V b, T n) {
  b + b, b - b, b * b, b / b, b + n, n - b, a += b, a -= n, a *= b, a /= b, ++a, a++, --a, a--, +b, -b;
  b == b, b != n, n < b, b > b, b <= b, b >= b, b && b, b || n, !b, a[0], b[0];
  a = n;
};
template <class V, class T>
constexpr bool calculates_bits = calculates<V, T> && requires(V a, const V b, T n) {
  b % b, b & b, b | n, b ^ b, b << b, n >> b, a %= b, a &= b, a |= n, a ^= b, a <<= n, a >>= b, ~b;
};
static_assert(calculates<float4, float> && calculates_bits<sycl::int3, int> && calculates<sycl::half2, sycl::half>);
static_assert(calculates<sycl::marray<float, 5>, float> && calculates_bits<sycl::marray<int, 3>, int>);
using marray = sycl::marray<int, 3>;
static_assert(std::is_same_v<marray::value_type, int> && std::is_same_v<marray::reference, int&>);
static_assert(std::is_same_v<marray::const_reference, const int&> && std::is_same_v<marray::iterator, int*>);
static_assert(std::is_same_v<marray::const_iterator, const int*> && marray::size() == 3);
HAS_TYPE(int*, make<marray&>().begin());
HAS_TYPE(const int*, make<const marray&>().end());
CAN(marray(1), marray(1, 2, 3), marray(sycl::marray<int, 2>(), 1));
using booleans = sycl::marray<bool, 3>;
HAS_TYPE(booleans, make<const marray&>() == make<const marray&>());
static_assert(std::is_same_v<sycl::mint4, sycl::marray<std::int32_t, 4>>);
static_assert(std::is_same_v<sycl::mhalf2, sycl::marray<sycl::half, 2>>);

// 4.15: atomics.
using atomic = sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>;
static_assert(std::is_same_v<atomic::value_type, int> && atomic::required_alignment >= alignof(int));
static_assert(atomic::default_read_order == sycl::memory_order::relaxed && atomic::is_always_lock_free);
static_assert(atomic::default_write_order == sycl::memory_order::relaxed);
static_assert(atomic::default_read_modify_write_order == sycl::memory_order::relaxed);
static_assert(atomic::default_scope == sycl::memory_scope::device && !std::is_copy_assignable_v<atomic>);
template <class A, class T>
constexpr bool is_atomic = requires(const A& a, T value, T& expected, sycl::memory_order order,
                                    sycl::memory_scope scope) {
  a.store(value, order, scope), a = value, a.load(order, scope), static_cast<T>(a), a.exchange(value, order, scope);
  a.compare_exchange_weak(expected, value, order, order, scope), a.compare_exchange_weak(expected, value, order, scope);
  a.compare_exchange_strong(expected, value, order, order, scope);
  a.compare_exchange_strong(expected, value, order, scope);
  { a.is_lock_free() } -> std::same_as<bool>;
};
static_assert(is_atomic<atomic, int>);
static_assert(requires(const atomic& a, sycl::memory_order order, sycl::memory_scope scope) {
  a.fetch_add(1, order, scope), a.fetch_sub(1, order, scope), a.fetch_and(1, order, scope), a.fetch_or(1, order, scope);
  a.fetch_xor(1, order, scope), a.fetch_min(1, order, scope), a.fetch_max(1, order, scope);
  a++, a--, ++a, --a, a += 1, a -= 1, a &= 1, a |= 1, a ^= 1;
});
using atomic_pointer = sycl::atomic_ref<int*, sycl::memory_order::relaxed, sycl::memory_scope::device>;
static_assert(is_atomic<atomic_pointer, int*>);
static_assert(requires(const atomic_pointer& a) {
  a.fetch_add(1), a.fetch_sub(1), a++, a--, ++a, --a, a += 1, a -= 1;
});
HAS_TYPE(void, sycl::atomic_fence(sycl::memory_order_acq_rel, sycl::memory_scope_work_group));

// 4.16: stream.
MEMBER_OF(sycl::stream, std::size_t, size());
MEMBER_OF(sycl::stream, std::size_t, get_work_item_buffer_size());
CAN(sycl::stream(1, 1, make<sycl::handler&>(), {}));
#define PRINTED(...) HAS_TYPE(const sycl::stream&, make<const sycl::stream&>() << __VA_ARGS__)
PRINTED(sycl::flush << sycl::dec << sycl::hex << sycl::oct << sycl::noshowbase << sycl::showbase << sycl::noshowpos);
PRINTED(sycl::showpos << sycl::endl << sycl::fixed << sycl::scientific << sycl::hexfloat << sycl::defaultfloat);
PRINTED(sycl::setprecision(1) << sycl::setw(1) << 'c' << true << 1 << 1u << 1ull << 1.0f << 1.0 << sycl::half(1.0f));
PRINTED(make<const char*>() << make<void*>() << make<const int*>() << make<global_memory>());
PRINTED(make<sycl::id<2>>() << make<sycl::range<2>>() << make<item2>() << make<nd_item2>() << make<group2>());
PRINTED(make<sycl::nd_range<2>>() << make<h_item2>() << make<float4>() << make<sycl::half3>());
PRINTED(make<float4&>().swizzle<1, 0>() << make<const float4&>().swizzle<1>() << make<float4&>().lo());

// 3.13.1: types that kernels may capture.
static_assert(sycl::is_device_copyable_v<int> && sycl::is_device_copyable<std::pair<int, float>>::value);
static_assert(sycl::is_device_copyable_v<std::optional<int>> && sycl::is_device_copyable_v<std::tuple<int, float>>);
static_assert(sycl::is_device_copyable_v<std::variant<int, float>> && sycl::is_device_copyable_v<std::span<int>>);

}  // namespace
