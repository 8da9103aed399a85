#include <algorithm>
#include <base/environment.hpp>
#include <base/race_notes.hpp>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <runtime/backend_table.hpp>
#include <runtime/device_filter.hpp>
#include <runtime/object_access.hpp>
#include <runtime/test_devices.hpp>

#include <sycl/ext/codeplay/experimental/fusion_wrapper.hpp>
#include <sycl/ext/intel/device_info.hpp>
#include <sycl/ext/oneapi/experimental/current_device.hpp>
#include <sycl/half.hpp>
#include <sycl/image.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/khr/max_work_group_queries.hpp>
#include <sycl/vec.hpp>

namespace sycl::inline _V1 {
namespace {

const std::vector<memory_order> all_orders = {memory_order::relaxed, memory_order::acquire, memory_order::release,
                                              memory_order::acq_rel, memory_order::seq_cst};
const std::vector<memory_scope> all_scopes = {memory_scope::work_item, memory_scope::sub_group,
                                              memory_scope::work_group, memory_scope::device, memory_scope::system};
const std::vector<info::fp_config> ieee = {info::fp_config::denorm,           info::fp_config::inf_nan,
                                           info::fp_config::round_to_nearest, info::fp_config::round_to_zero,
                                           info::fp_config::round_to_inf,     info::fp_config::fma};

const sinter::device_facts& facts_of(const device& queried) { return detail::object_access::impl(queried)->facts(); }

std::uint32_t vector_width(std::uint32_t vector_bytes, std::size_t element_bytes) {
  return std::max(vector_bytes / static_cast<std::uint32_t>(element_bytes), 1u);
}

}  // namespace

namespace detail {

platform platform_of(const sinter::device_backend& device);

sinter::device_backend& host_device() { return sinter::cpu_backend(); }

namespace {

/// The devices that the environment variables allow.
class offered_devices {
public:
  const std::vector<device>& near() {
    std::call_once(m_near_once, [&] {
      add_backends(/*slow=*/false, m_near);
      m_all = m_near;
    });
    return m_near;
  }

  const std::vector<device>& all() {
    near();
    std::call_once(m_all_once, [&] {
      add_backends(/*slow=*/true, m_all);
    });
    if (m_all.empty()) refuse();
    return m_all;
  }

private:
  void add_backends(bool slow, std::vector<device>& to) {
    for (const sinter::backend_row& each : sinter::backend_table()) {
      // A backend with a driver is asked only if the program may want its devices, so that programs for the CPU need
      // not wait. Backends without a driver are always asked, so that their devices keep their numbers.
      const bool waits = each.state != nullptr;
      if (each.is_slow == slow && (!waits || m_filter.wants_backend(each.name))) add(each, to);
    }
  }

  void add(const sinter::backend_row& row, std::vector<device>& to) {
    const std::string_view name = row.name;
    std::size_t index = 0;
    for (sinter::device_backend* backend : row.devices()) {
      const sinter::device_facts& facts = backend->facts();
      const std::string_view kind = facts.is_cpu ? "cpu" : facts.is_gpu ? "gpu" : "accelerator";
      m_known += (m_known.empty() ? "" : ", ") + std::to_string(m_count) + " = " + std::string(name) + ":" + facts.name;
      if (m_filter.lets_through({name, kind, facts.name, m_count++, index++}) && !is_there(facts, to)) {
        to.push_back(object_access::make_device(make_counted<device_impl>(*backend)));
      }
    }
  }

  /// Returns whether an earlier backend offers the same device, such as a GPU that two drivers support. Such a device
  /// is listed only once, unless the user chooses devices.
  bool is_there(const sinter::device_facts& facts, const std::vector<device>& known) const {
    if (!m_text.empty()) return false;
    return std::any_of(known.begin(), known.end(), [&](const device& each) {
      const sinter::device_facts& its = facts_of(each);
      if (its.backend == facts.backend) return false;
      const bool same_uuid = facts.uuid == its.uuid && facts.uuid != std::array<unsigned char, 16>{};
      return same_uuid || (facts.pci_address == its.pci_address && !facts.pci_address.empty());
    });
  }

  [[noreturn]] void refuse() const {
    detail::throw_error(errc::runtime,
                    (m_chosen.device.empty() ? "ONEAPI_DEVICE_SELECTOR='" : "SINTER_DEVICE='") + m_text +
                        "' matches no device; there is: " + m_known +
                        ". Set it to cpu, gpu, an index, a part of a name or backend:device, or unset it (sinter-info "
                        "lists devices)");
  }

  const sinter::environment_values& m_chosen = sinter::environment();
  const std::string m_text = m_chosen.device.empty() ? m_chosen.device_selector : m_chosen.device;
  const sinter::device_filter m_filter{m_text, sinter::backend_table()};
  std::once_flag m_near_once, m_all_once;
  std::vector<device> m_near, m_all;
  std::string m_known;
  std::size_t m_count = 0;
};

offered_devices& offered() {
  static auto* devices = new (sinter::lasting) offered_devices;
  return *devices;
}

/// Returns whether the machine may have GPUs of other vendors. Drivers of GPUs create files in these folders.
bool may_have_other_gpus() {
  std::error_code none;
  for (const auto& each : std::filesystem::directory_iterator("/dev/dri", none)) {
    if (each.path().filename().string().starts_with("renderD")) return true;
  }
  return false;
}

}  // namespace

const std::vector<device>& near_devices() { return offered().near(); }
const std::vector<device>& all_devices() { return offered().all(); }

device select_device(int (*score)(const void* selector, const device& candidate), const void* selector, bool usual) {
  const device* best = nullptr;
  const auto choose = [&](const std::vector<device>& devices) {
    int best_score = -1;
    for (const device& candidate : devices) {
      const int value = score(selector, candidate);
      if (value <= best_score) continue;
      best = &candidate;
      best_score = value;
    }
  };
  // Slow drivers are asked only if the near devices do not suffice, because asking takes ten times as long as all the
  // rest of a program's start.
  if (usual) {
    choose(near_devices());
    if (best && (best->is_gpu() || !may_have_other_gpus())) return *best;
  }
  const std::vector<device>& devices = all_devices();
  best = nullptr;
  choose(devices);
  if (best) return *best;
  std::string names;
  for (const device& candidate : devices) names += (names.empty() ? "" : ", ") + facts_of(candidate).name;
  detail::throw_error(errc::runtime, "no device satisfies the selector; devices: " + names +
                                                      ". Use another selector, or default_selector_v for any device");
}

aspect_selector_type::aspect_selector_type(const std::vector<aspect>& required, const std::vector<aspect>& denied)
    : m_required(required), m_denied(denied) {}
aspect_selector_type::aspect_selector_type(const aspect_selector_type&) = default;
aspect_selector_type& aspect_selector_type::operator=(const aspect_selector_type&) = default;
aspect_selector_type::~aspect_selector_type() = default;

int aspect_selector_type::operator()(const device& candidate) const {
  for (aspect which : m_required) {
    if (!candidate.has(which)) return -1;
  }
  for (aspect which : m_denied) {
    if (candidate.has(which)) return -1;
  }
  return 1;
}

}  // namespace detail

detail::aspect_selector_type aspect_selector(const std::vector<aspect>& required, const std::vector<aspect>& denied) {
  return {required, denied};
}

int default_selector_v(const device& candidate) { return candidate.is_gpu() ? 2 : 1; }
int cpu_selector_v(const device& candidate) { return candidate.is_cpu() ? 1 : -1; }
int gpu_selector_v(const device& candidate) { return candidate.is_gpu() ? 1 : -1; }
int accelerator_selector_v(const device& candidate) { return candidate.is_accelerator() ? 1 : -1; }

device::device() : device(default_selector_v) {}
device::device(detail::shared<detail::device_impl> impl) noexcept : m_impl(std::move(impl)) {}
device::device(const device&) noexcept = default;
device::device(device&&) noexcept = default;
device& device::operator=(device other) noexcept {
  m_impl = std::move(other.m_impl);
  return *this;
}
device::~device() = default;

backend device::get_backend() const noexcept { return static_cast<backend>(m_impl->facts().backend); }
bool device::is_cpu() const { return m_impl->facts().is_cpu; }
bool device::is_gpu() const { return m_impl->facts().is_gpu; }
bool device::is_accelerator() const { return m_impl->facts().is_accelerator; }
bool detail::is_same_device(const device& a, const device& b) noexcept {
  const auto original = [](const device& each) {
    const auto& impl = object_access::impl(each);
    return (impl->original() ? object_access::impl(*impl->original()) : impl).address();
  };
  return original(a) == original(b);
}

platform device::get_platform() const {
  if (m_impl->original()) return m_impl->original()->get_platform();
  return m_impl->parent() ? m_impl->parent()->get_platform() : detail::platform_of(m_impl->backend());
}
bool device::has_extension(const std::string&) const { return false; }

namespace detail {
namespace {

/// Returns the bandwidth in bytes per second, or 0 if it is not known. The memory transfers data twice in each clock
/// cycle.
std::uint64_t memory_bandwidth(const sinter::device_facts& facts) {
  return std::uint64_t{2} * facts.memory_clock_mhz * 1000000 * facts.memory_bus_bits / 8;
}

/// Aspects of extensions. A device has each of these aspects if it has the facts or aspects on which the extension
/// depends.
constexpr aspect following_aspects[] = {
    aspect::ext_intel_pci_address,       aspect::ext_intel_device_info_uuid,
    aspect::ext_intel_free_memory,       aspect::ext_intel_device_id,
    aspect::ext_intel_memory_clock_rate, aspect::ext_intel_memory_bus_width,
    aspect::ext_intel_max_mem_bandwidth, aspect::ext_oneapi_bfloat16_math_functions,
    aspect::ext_oneapi_opportunistic_group, aspect::ext_oneapi_async_memory_alloc, aspect::ext_oneapi_virtual_mem,
    aspect::ext_intel_legacy_image};

bool follows(const device_impl& device, aspect which) {
  const sinter::device_facts& facts = device.facts();
  const auto has = [&](aspect other) {
    return std::find(facts.aspects.begin(), facts.aspects.end(), static_cast<std::uint32_t>(other)) !=
           facts.aspects.end();
  };
  switch (which) {
    case aspect::ext_intel_pci_address:
      return !facts.pci_address.empty();
    case aspect::ext_intel_device_info_uuid:
      return facts.uuid != std::array<unsigned char, 16>{};
    case aspect::ext_intel_free_memory:
      return device.backend().free_memory() != 0;
    case aspect::ext_intel_device_id:
      return facts.device_id != 0;
    case aspect::ext_intel_memory_clock_rate:
      return facts.memory_clock_mhz != 0;
    case aspect::ext_intel_memory_bus_width:
      return facts.memory_bus_bits != 0;
    case aspect::ext_intel_max_mem_bandwidth:
      return memory_bandwidth(facts) != 0;
    case aspect::ext_oneapi_virtual_mem:
      return facts.is_this_process;
    case aspect::ext_oneapi_async_memory_alloc:
      return has(aspect::usm_device_allocations);
    case aspect::ext_intel_legacy_image:
      return has(aspect::image);
    case aspect::ext_oneapi_bfloat16_math_functions:
    case aspect::ext_oneapi_opportunistic_group:
      return true;
    default:
      return false;
  }
}

}  // namespace
}  // namespace detail

bool device::has(aspect which) const {
  const auto& aspects = m_impl->facts().aspects;
  return std::find(aspects.begin(), aspects.end(), static_cast<std::uint32_t>(which)) != aspects.end() ||
         detail::follows(*m_impl, which);
}

namespace ext::oneapi::experimental::this_thread {
namespace {
thread_local std::optional<device> current;
}
device get_current_device() { return current ? *current : device(); }
void set_current_device(device chosen) { current = std::move(chosen); }
}  // namespace ext::oneapi::experimental::this_thread

namespace {

std::vector<device> devices_of(const std::vector<device>& candidates, info::device_type type) {
  std::vector<device> result;
  for (const device& candidate : candidates) {
    const bool wanted = type == info::device_type::all || (type == info::device_type::cpu && candidate.is_cpu()) ||
                        (type == info::device_type::gpu && candidate.is_gpu()) ||
                        (type == info::device_type::accelerator && candidate.is_accelerator()) ||
                        (type == info::device_type::automatic && candidate == device());
    if (wanted) result.push_back(candidate);
  }
  return result;
}

}  // namespace

std::vector<device> device::get_devices(info::device_type type) { return devices_of(detail::all_devices(), type); }

namespace detail {
namespace {

std::vector<device> partition(const device& whole, const std::vector<std::size_t>& compute_units,
                              info::partition_property how) {
  const sinter::device_facts& facts = facts_of(whole);
  if (facts.compute_units < 2) refuse_partition(whole, "it has one compute unit");
  if (!facts.is_divisible) refuse_partition(whole, "its driver does not divide it by numbers of compute units");
  std::size_t left = facts.compute_units;
  for (std::size_t units : compute_units) {
    if (units == 0 || units > left) {
      detail::throw_error(errc::invalid,
                      "create_sub_devices: device '" + facts.name + "' has " + std::to_string(facts.compute_units) +
                          " compute units (info::device::max_compute_units); a sub-device of " + std::to_string(units) +
                          (units == 0 ? " can't run anything" : " does not fit what is left of them"));
    }
    left -= units;
  }
  std::vector<device> parts;
  const std::vector<std::uint32_t> units(compute_units.begin(), compute_units.end());
  for (sinter::device_backend* backend : object_access::impl(whole)->backend().parts(units)) {
    parts.push_back(object_access::make_device(make_counted<device_impl>(*backend, whole, how)));
  }
  return parts;
}

}  // namespace

void refuse_partition(const device& whole, const char* how) {
  detail::throw_error(errc::feature_not_supported, "create_sub_devices: device '" + facts_of(whole).name +
                                                                    "' can't be partitioned (" + how +
                                                                    "); ask info::device::partition_properties first");
}

std::vector<device> partition_by_counts(const device& whole, const std::vector<std::size_t>& compute_units) {
  return partition(whole, compute_units, info::partition_property::partition_by_counts);
}

std::vector<device> partition_by_affinity(const device& whole, info::partition_affinity_domain domain) {
  using info::partition_affinity_domain;
  const bool is_of_tiles = domain == partition_affinity_domain::numa ||
                           domain == partition_affinity_domain::next_partitionable;
  if (!is_of_tiles || facts_of(whole).tiles < 2) refuse_partition(whole, "partition_by_affinity_domain");
  std::vector<device> parts;
  for (sinter::device_backend* backend : object_access::impl(whole)->backend().tile_devices()) {
    constexpr auto how = info::partition_property::partition_by_affinity_domain;
    parts.push_back(object_access::make_device(make_counted<device_impl>(*backend, whole, how)));
  }
  return parts;
}

void refuse_intel_info(const device& device, const char* name) {
  throw_error(errc::feature_not_supported, "device '" + facts_of(device).name +
                                               "' does not say ext::intel::info::device::" + name +
                                               "; device::has tells so before, with the aspect of that name");
}
std::string pci_address(const device& of) { return facts_of(of).pci_address; }
std::array<unsigned char, 16> device_uuid(const device& of) { return facts_of(of).uuid; }
std::uint64_t intel_number(const device& of, intel_fact which) {
  const sinter::device_facts& facts = facts_of(of);
  switch (which) {
    case intel_fact::device_id:
      return facts.device_id;
    case intel_fact::memory_clock_rate:
      return facts.memory_clock_mhz;
    case intel_fact::memory_bus_width:
      return facts.memory_bus_bits;
    case intel_fact::max_mem_bandwidth:
      return memory_bandwidth(facts);
  }
  return 0;
}
std::uint64_t free_memory(const device& of) { return object_access::impl(of)->backend().free_memory(); }

std::vector<device> partition_equally(const device& whole, std::size_t compute_units) {
  const std::size_t units = facts_of(whole).compute_units;
  // For a compute_units of zero, or one that is too large, `parts` is 1, which the check below refuses.
  const std::size_t parts = compute_units == 0 ? 1 : std::max<std::size_t>(units / compute_units, 1);
  return partition(whole, std::vector(parts, compute_units), info::partition_property::partition_equally);
}

}  // namespace detail

// ---------------------------------------------------------------------------------------------------- device info

#define SINTER_DEVICE_INFO(descriptor, ...)                                                                \
  template <>                                                                                              \
  SINTER_EXPORT info::device::descriptor::return_type device::get_info<info::device::descriptor>() const { \
    [[maybe_unused]] const sinter::device_facts& facts = m_impl->facts();                                  \
    return __VA_ARGS__;                                                                                    \
  }

SINTER_DEVICE_INFO(device_type, facts.is_cpu   ? info::device_type::cpu
                                : facts.is_gpu ? info::device_type::gpu
                                               : info::device_type::accelerator)
SINTER_DEVICE_INFO(vendor_id, facts.vendor_id)
SINTER_DEVICE_INFO(max_compute_units, facts.compute_units)
SINTER_DEVICE_INFO(max_work_item_dimensions, 3)
SINTER_DEVICE_INFO(max_work_item_sizes<1>, range<1>(facts.most_items(2)))
SINTER_DEVICE_INFO(max_work_item_sizes<2>, range<2>(facts.most_items(1), facts.most_items(2)))
SINTER_DEVICE_INFO(max_work_item_sizes<3>, range<3>(facts.most_items(0), facts.most_items(1), facts.most_items(2)))
SINTER_DEVICE_INFO(max_work_group_size, facts.max_work_group_size)
// Work-groups of a launch are counted in 64 bits, but programs such as Kokkos keep this limit in an int. NVIDIA's GPUs
// have the same limit in their first dimension.
#define SINTER_DEVICE_MAX_GROUPS(dimensions, ...)                                                                 \
  template <>                                                                                                     \
  SINTER_EXPORT range<dimensions> device::get_info<khr::info::device::max_work_group_range<dimensions>>() const { \
    constexpr std::size_t most = INT32_MAX;                                                                       \
    return {__VA_ARGS__};                                                                                         \
  }
SINTER_DEVICE_MAX_GROUPS(1, most)
SINTER_DEVICE_MAX_GROUPS(2, most, most)
SINTER_DEVICE_MAX_GROUPS(3, most, most, most)
#undef SINTER_DEVICE_MAX_GROUPS
template <>
SINTER_EXPORT std::size_t device::get_info<khr::info::device::max_work_group_range_size>() const {
  return PTRDIFF_MAX;
}
// Without independent progress, the sub-groups of a work-group run one after the other.
SINTER_DEVICE_INFO(sub_group_independent_forward_progress, facts.independent_progress)
SINTER_DEVICE_INFO(max_num_sub_groups, [&] {
  std::size_t least = facts.max_work_group_size;
  for (std::size_t size : facts.sub_group_sizes) least = std::min(least, size);
  return static_cast<std::uint32_t>((facts.max_work_group_size + least - 1) / least);
}())
SINTER_DEVICE_INFO(sub_group_sizes, facts.sub_group_sizes)
// The widths are the numbers of lanes in the device's vectors, because work-items that run together fill the lanes.
#define SINTER_DEVICE_VECTOR_WIDTHS(kind)                                                                \
  SINTER_DEVICE_INFO(kind##_vector_width_char, vector_width(facts.vector_bytes, sizeof(char)))           \
  SINTER_DEVICE_INFO(kind##_vector_width_short, vector_width(facts.vector_bytes, sizeof(short)))         \
  SINTER_DEVICE_INFO(kind##_vector_width_int, vector_width(facts.vector_bytes, sizeof(int)))             \
  SINTER_DEVICE_INFO(kind##_vector_width_long, vector_width(facts.vector_bytes, sizeof(long)))           \
  SINTER_DEVICE_INFO(kind##_vector_width_long_long, vector_width(facts.vector_bytes, sizeof(long long))) \
  SINTER_DEVICE_INFO(kind##_vector_width_float, vector_width(facts.vector_bytes, sizeof(float)))         \
  SINTER_DEVICE_INFO(kind##_vector_width_double,                                                         \
                     has(aspect::fp64) ? vector_width(facts.vector_bytes, sizeof(double)) : 0)           \
  SINTER_DEVICE_INFO(kind##_vector_width_half,                                                           \
                     has(aspect::fp16) ? vector_width(facts.half_vector_bytes, sizeof(half)) : 0)
SINTER_DEVICE_VECTOR_WIDTHS(preferred)
SINTER_DEVICE_VECTOR_WIDTHS(native)
#undef SINTER_DEVICE_VECTOR_WIDTHS
SINTER_DEVICE_INFO(max_clock_frequency, facts.clock_mhz)
SINTER_DEVICE_INFO(address_bits, facts.address_bits)
SINTER_DEVICE_INFO(max_mem_alloc_size, facts.max_allocation_bytes)
SINTER_DEVICE_INFO(image_support, has(aspect::image))
SINTER_DEVICE_INFO(max_parameter_size, facts.parameter_bytes)
SINTER_DEVICE_INFO(mem_base_addr_align, 8 * sizeof(double16))  // size in bits of the largest built-in type
SINTER_DEVICE_INFO(half_fp_config, ieee)
SINTER_DEVICE_INFO(single_fp_config, ieee)
SINTER_DEVICE_INFO(double_fp_config, ieee)
SINTER_DEVICE_INFO(global_mem_cache_type, info::global_mem_cache_type::read_write)
SINTER_DEVICE_INFO(global_mem_cache_line_size, facts.cache_line_bytes)
SINTER_DEVICE_INFO(global_mem_cache_size, facts.cache_bytes)
SINTER_DEVICE_INFO(global_mem_size, facts.global_memory_bytes)
SINTER_DEVICE_INFO(local_mem_type, facts.is_cpu ? info::local_mem_type::global : info::local_mem_type::local)
SINTER_DEVICE_INFO(local_mem_size, facts.local_memory_bytes)
SINTER_DEVICE_INFO(error_correction_support, false)
SINTER_DEVICE_INFO(host_unified_memory, facts.is_cpu || facts.is_integrated)
SINTER_DEVICE_INFO(atomic_memory_order_capabilities, all_orders)
SINTER_DEVICE_INFO(atomic_fence_order_capabilities, all_orders)
SINTER_DEVICE_INFO(atomic_memory_scope_capabilities, all_scopes)
SINTER_DEVICE_INFO(atomic_fence_scope_capabilities, all_scopes)
SINTER_DEVICE_INFO(profiling_timer_resolution, 1)
SINTER_DEVICE_INFO(is_endian_little, true)
SINTER_DEVICE_INFO(is_available, true)
SINTER_DEVICE_INFO(is_compiler_available, has(aspect::online_compiler))
SINTER_DEVICE_INFO(is_linker_available, has(aspect::online_linker))
SINTER_DEVICE_INFO(queue_profiling, true)
SINTER_DEVICE_INFO(usm_device_allocations, has(aspect::usm_device_allocations))
SINTER_DEVICE_INFO(usm_host_allocations, has(aspect::usm_host_allocations))
SINTER_DEVICE_INFO(usm_shared_allocations, has(aspect::usm_shared_allocations))
SINTER_DEVICE_INFO(usm_restricted_shared_allocations, has(aspect::usm_shared_allocations))
SINTER_DEVICE_INFO(usm_system_allocations, has(aspect::usm_system_allocations))
SINTER_DEVICE_INFO(platform, get_platform())
SINTER_DEVICE_INFO(name, facts.name)
SINTER_DEVICE_INFO(vendor, facts.vendor)
SINTER_DEVICE_INFO(driver_version, facts.driver_version)
SINTER_DEVICE_INFO(profile, "FULL_PROFILE")
SINTER_DEVICE_INFO(version, facts.version)
SINTER_DEVICE_INFO(backend_version, facts.version)
SINTER_DEVICE_INFO(aspects, [&] {
  std::vector<aspect> result;
  for (std::uint32_t value : facts.aspects) result.push_back(static_cast<aspect>(value));
  for (aspect each : detail::following_aspects) {
    if (detail::follows(*m_impl, each)) result.push_back(each);
  }
  return result;
}())
SINTER_DEVICE_INFO(extensions, {})
SINTER_DEVICE_INFO(partition_properties, [&]() -> std::vector<info::partition_property> {
  using enum info::partition_property;
  std::vector<info::partition_property> ways;
  if (facts.compute_units > 1 && facts.is_divisible) ways = {partition_equally, partition_by_counts};
  if (facts.tiles > 1) ways.push_back(partition_by_affinity_domain);
  return ways;
}())
SINTER_DEVICE_INFO(partition_affinity_domains, [&]() -> std::vector<info::partition_affinity_domain> {
  if (facts.tiles < 2) return {};
  return {info::partition_affinity_domain::numa, info::partition_affinity_domain::next_partitionable};
}())
SINTER_DEVICE_INFO(partition_max_sub_devices, facts.compute_units > 1 && facts.is_divisible ? facts.compute_units
                                              : facts.tiles > 1                             ? facts.tiles
                                                                                            : 0)
SINTER_DEVICE_INFO(partition_type_property, m_impl->partition())
SINTER_DEVICE_INFO(partition_type_affinity_domain,
                   m_impl->partition() == info::partition_property::partition_by_affinity_domain
                       ? info::partition_affinity_domain::numa
                       : info::partition_affinity_domain::not_applicable)
SINTER_DEVICE_INFO(built_in_kernel_ids, {})
// Kernels access images like ordinary memory, so only the size of memory limits the number of images.
SINTER_DEVICE_INFO(max_read_image_args, has(aspect::image) ? 128 : 0)
SINTER_DEVICE_INFO(max_write_image_args, has(aspect::image) ? 128 : 0)
SINTER_DEVICE_INFO(max_samplers, has(aspect::image) ? 128 : 0)
SINTER_DEVICE_INFO(image2d_max_width, has(aspect::image) ? detail::most_texels : 0)
SINTER_DEVICE_INFO(image2d_max_height, has(aspect::image) ? detail::most_texels : 0)
SINTER_DEVICE_INFO(image3d_max_width, has(aspect::image) ? detail::most_texels : 0)
SINTER_DEVICE_INFO(image3d_max_height, has(aspect::image) ? detail::most_texels : 0)
SINTER_DEVICE_INFO(image3d_max_depth, has(aspect::image) ? detail::most_texels : 0)
SINTER_DEVICE_INFO(image_max_buffer_size, has(aspect::image) ? detail::most_texels : 0)
SINTER_DEVICE_INFO(reference_count, 1)  // like root devices of OpenCL, devices are not released
SINTER_DEVICE_INFO(built_in_kernels, {})
SINTER_DEVICE_INFO(execution_capabilities, {info::execution_capability::exec_kernel})
SINTER_DEVICE_INFO(max_constant_args, 8)
SINTER_DEVICE_INFO(max_constant_buffer_size, facts.max_allocation_bytes)
SINTER_DEVICE_INFO(printf_buffer_size, 1u << 20)
SINTER_DEVICE_INFO(preferred_interop_user_sync, true)
#undef SINTER_DEVICE_INFO

template <>
SINTER_EXPORT device device::get_info<info::device::parent_device>() const {
  if (m_impl->parent()) return *m_impl->parent();
  detail::throw_error(errc::invalid,
                      "parent_device: device '" + m_impl->facts().name + "' is no sub-device");
}

template <>
SINTER_EXPORT bool device::get_info<ext::codeplay::experimental::info::device::supports_fusion>() const {
  return true;
}

// ---------------------------------------------------------------------------------------------------- platform

namespace detail {
namespace {

std::vector<sinter::device_backend*> families_of(const std::vector<device>& devices) {
  std::vector<sinter::device_backend*> list;
  for (const device& each : devices) {
    sinter::device_backend& backend = object_access::impl(each)->backend();
    const auto alike = [&](const auto* known) { return known->shares_platform_with(backend); };
    if (std::none_of(list.begin(), list.end(), alike)) list.push_back(&backend);
  }
  return list;
}

/// Returns the first near device of each platform. Platforms that the environment excludes are left out.
const std::vector<sinter::device_backend*>& near_families() {
  static const auto* families = new std::vector<sinter::device_backend*>(families_of(near_devices()));
  return *families;
}
const std::vector<sinter::device_backend*>& families() {
  static const auto* families = new std::vector<sinter::device_backend*>(families_of(all_devices()));
  return *families;
}

}  // namespace

platform platform_of(const sinter::device_backend& device) {
  const auto place_in = [&](const std::vector<sinter::device_backend*>& list) {
    return std::find_if(list.begin(), list.end(),
                        [&](const auto* each) { return each->shares_platform_with(device); }) -
           list.begin();
  };
  auto place = place_in(near_families());
  if (place == static_cast<std::ptrdiff_t>(near_families().size())) place = place_in(families());
  return object_access::make_platform(static_cast<int>(place));
}

bool is_near(const platform& queried) noexcept {
  return static_cast<std::size_t>(object_access::id(queried)) < near_families().size();
}

const sinter::device_backend& device_of(const platform& queried) noexcept {
  return *(is_near(queried) ? near_families() : families())[static_cast<std::size_t>(object_access::id(queried))];
}

}  // namespace detail

platform::platform() : platform(device().get_platform()) {}
platform::platform(int id) noexcept : m_id(id) {}
backend platform::get_backend() const noexcept {
  return static_cast<backend>(detail::device_of(*this).facts().backend);
}
std::vector<device> platform::get_devices(info::device_type type) const {
  std::vector<device> result =
      devices_of(detail::is_near(*this) ? detail::near_devices() : detail::all_devices(), type);
  std::erase_if(result, [&](const device& each) { return each.get_platform() != *this; });
  return result;
}
bool platform::has_extension(const std::string&) const { return false; }
std::vector<platform> platform::get_platforms() {
  std::vector<platform> result;
  for (const auto* each : detail::families()) result.push_back(detail::platform_of(*each));
  return result;
}

bool platform::has(aspect which) const {
  const auto devices = get_devices();
  return !devices.empty() && std::all_of(devices.begin(), devices.end(), [=](const device& d) { return d.has(which); });
}

template <>
SINTER_EXPORT std::string platform::get_info<info::platform::name>() const {
  return detail::device_of(*this).facts().platform_name;
}
template <>
SINTER_EXPORT std::string platform::get_info<info::platform::vendor>() const {
  return detail::device_of(*this).facts().platform_vendor;
}
template <>
SINTER_EXPORT std::string platform::get_info<info::platform::version>() const {
  return detail::device_of(*this).facts().platform_version;
}
template <>
SINTER_EXPORT std::string platform::get_info<info::platform::profile>() const {
  return "FULL_PROFILE";
}
template <>
SINTER_EXPORT std::vector<std::string> platform::get_info<info::platform::extensions>() const {
  return {};
}

}  // namespace sycl

std::size_t std::hash<sycl::device>::operator()(const sycl::device& object) const noexcept {
  const auto& impl = sycl::detail::object_access::impl(object);
  return impl->original() ? (*this)(*impl->original()) : std::hash<const void*>()(impl.address());
}
