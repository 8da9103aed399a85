#include "ze_device.hpp"

#include <abi/device_targets.hpp>
#include <abi/gpu_launch.hpp>
#include <algorithm>
#include <backends/driver_device.hpp>
#include <backends/driver_launch.hpp>
#include <backends/spirv_facts.hpp>
#include <backends/target_facts.hpp>
#include <base/foreign_variables.hpp>
#include <base/processor.hpp>
#include <cstdio>
#include <cstring>
#include <images/code_keys.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <sycl/aspects.hpp>
#include <sycl/backend_enum.hpp>

#include "ze_context.hpp"
#include "ze_graph.hpp"
#include "ze_natives.hpp"
#include "ze_programs.hpp"
#include "ze_stream.hpp"

namespace sinter::level_zero {
namespace {

/// A device is used only if its kernels take at least this many bytes of arguments: enough for a gpu_geometry and
/// pointers to other structures.
constexpr std::uint32_t least_arguments = 128;

std::string version_text(std::uint32_t version) {
  return std::to_string(version >> 16) + "." + std::to_string(version & 0xffff);
}

/// Returns the minor number of the newest SPIR-V version 1.x that both driver and library support, or -1 if there is
/// none. Intel's drivers of 2022 report 1.2, but also build modules of 1.3, which is the first version with
/// instructions for sub-group functions.
int spirv_of(const ze_device_context& device) {
  constexpr int first_with_sub_groups = 3, newest = 4;
  const std::uint32_t version = device.modules().spirvVersionSupported;
  if (version >> 16 != 1) return version >> 16 > 1 ? newest : -1;
  return std::clamp(static_cast<int>(version & 0xffff), first_with_sub_groups, newest);
}

/// Returns the reason why the device can't be used, or an empty text.
std::string refusal_of(const ze_device_context& device) {
  constexpr std::uint32_t oldest = 1u << 16 | 3u;
  const std::uint32_t version = device.shared().api_version();
  if (version < oldest) {
    return "its driver is too old: it has version " + version_text(version) + " of Level Zero, and " +
           version_text(oldest) + " is needed";
  }
  if (spirv_of(device) < 0) return "its driver takes no SPIR-V";
  if (!device.compute_engine()) return "it has no queues for kernels";
  const std::uint32_t arguments = device.modules().maxArgumentsSize;
  if (arguments < least_arguments) {
    return "its kernels take " + std::to_string(arguments) + " bytes of arguments, and ours need " +
           std::to_string(least_arguments);
  }
  if (device.compute().maxTotalGroupSize == 0) return "it has work-groups of no work-items";
  return {};
}

std::vector<std::uint32_t> aspects_for(const ze_device_context& device, const device_facts& facts) {
  using sycl::aspect;
  std::vector<std::uint32_t> result;
  const auto add = [&](aspect which, bool there) {
    if (there) result.push_back(static_cast<std::uint32_t>(which));
  };
  const std::uint32_t modules = device.modules().flags;
  ze_device_memory_access_properties_t memory;
  device.functions().zeDeviceGetMemoryAccessProperties(device.device(), &memory);
  const auto atomic = [](std::uint32_t capabilities) {
    return (capabilities & ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC) != 0;
  };
  add(aspect::cpu, facts.is_cpu);
  add(aspect::gpu, facts.is_gpu);
  add(aspect::accelerator, facts.is_accelerator);
  add(aspect::fp16, (modules & ZE_DEVICE_MODULE_FLAG_FP16) != 0);
  add(aspect::fp64, (modules & ZE_DEVICE_MODULE_FLAG_FP64) != 0);
  add(aspect::atomic64, (modules & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS) != 0);
  add(aspect::image, true);  // images need no texture units: ordinary code reads them in ordinary memory
  add(aspect::online_compiler, true);
  add(aspect::online_linker, true);
  add(aspect::queue_profiling, device.tick() != 0);
  add(aspect::usm_device_allocations, memory.deviceAllocCapabilities != 0);
  add(aspect::usm_host_allocations, memory.hostAllocCapabilities != 0);
  add(aspect::usm_atomic_host_allocations, atomic(memory.hostAllocCapabilities));
  add(aspect::usm_shared_allocations, memory.sharedSingleDeviceAllocCapabilities != 0);
  add(aspect::usm_atomic_shared_allocations, atomic(memory.sharedSingleDeviceAllocCapabilities));
  add(aspect::ext_oneapi_graph, true);
  add(aspect::ext_oneapi_limited_graph, true);
  add_image_aspects(result);
  return result;
}

/// Sets the facts that the driver reports. Other facts keep their values.
void identify(const ze_device_context& device, device_facts& facts) {
  const ze_device_properties_t& its = device.properties();
  facts.vendor_id = its.vendorId;
  facts.device_id = its.deviceId;
  std::copy(std::begin(its.uuid), std::end(its.uuid), facts.uuid.begin());
  ze_pci_ext_properties_t place;
  const auto ask = device.functions().zeDevicePciGetPropertiesExt;
  if (!ask || ask(device.device(), &place) != ZE_RESULT_SUCCESS) return;
  char text[48];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", place.address.domain, place.address.bus, place.address.device,
                place.address.function);
  facts.pci_address = text;
}

void describe_memory(const ze_device_context& device, device_facts& facts) {
  const loader& functions = device.functions();
  facts.global_memory_bytes = device.memory_bytes();
  facts.max_allocation_bytes = device.most_allocated();
  facts.local_memory_bytes = device.compute().maxSharedLocalMemory;
  ze_device_memory_properties_t memory;
  std::uint32_t count = 1;
  if (functions.zeDeviceGetMemoryProperties(device.device(), &count, &memory) == ZE_RESULT_SUCCESS && count != 0) {
    facts.memory_clock_mhz = memory.maxClockRate;
    facts.memory_bus_bits = memory.maxBusWidth;
  }
  ze_device_cache_properties_t cache;
  count = 1;
  if (functions.zeDeviceGetCacheProperties(device.device(), &count, &cache) == ZE_RESULT_SUCCESS && count != 0) {
    facts.cache_bytes = cache.cacheSize;
  }
}

device_facts facts_for(const ze_device_context& device, std::uint32_t tiles) {
  constexpr std::uint32_t intel = 0x8086;
  device_facts facts;
  const ze_device_properties_t& its = device.properties();
  const ze_device_compute_properties_t& compute = device.compute();
  facts.name = device.name();
  facts.vendor = its.vendorId == intel ? "Intel(R) Corporation" : "vendor " + std::to_string(its.vendorId);
  facts.driver_version = std::to_string(device.shared().driver_version());
  facts.version = version_text(device.shared().api_version());
  facts.platform_name = "Level Zero";
  facts.platform_vendor = facts.vendor;
  facts.platform_version = facts.version;
  facts.backend = static_cast<std::uint8_t>(sycl::backend::ext_oneapi_level_zero);
  facts.is_gpu = its.type == ZE_DEVICE_TYPE_GPU;
  facts.is_cpu = its.type == ZE_DEVICE_TYPE_CPU;
  facts.is_accelerator = !facts.is_gpu && !facts.is_cpu;
  facts.is_this_process = false;
  facts.fixed_targets = facts.is_cpu ? abi::flag_of_target(processor_target) : 0u;
  facts.is_integrated = (its.flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED) != 0;
  facts.tiles = tiles;
  identify(device, facts);
  describe_memory(device, facts);
  facts.compute_units = std::max(its.numEUsPerSubslice * its.numSubslicesPerSlice * its.numSlices, 1u);
  facts.clock_mhz = its.coreClockRate;
  facts.max_work_group_size = most_group_items(compute.maxTotalGroupSize, facts.local_memory_bytes);
  // In Level Zero, the dimension that varies fastest comes first; in SYCL, it comes last.
  const std::uint32_t sizes[] = {compute.maxGroupSizeZ, compute.maxGroupSizeY, compute.maxGroupSizeX};
  for (std::size_t d = 0; d < 3; ++d) {
    facts.max_work_item_sizes[d] =
        std::clamp<std::uint32_t>(sizes[d], 1, static_cast<std::uint32_t>(most_group_size));
  }
  const std::uint32_t known = std::min<std::uint32_t>(compute.numSubGroupSizes, std::size(compute.subGroupSizes));
  facts.sub_group_sizes =
      known_sub_group_sizes(std::vector<std::size_t>(compute.subGroupSizes, compute.subGroupSizes + known));
  facts.sub_group_size = usual_sub_group_size(facts.sub_group_sizes);
  facts.vector_bytes = 4;  // work-items have no vectors: each computes one number at a time
  facts.half_vector_bytes = 2;
  facts.aspects = aspects_for(device, facts);
  return facts;
}

/// Returns a text with the driver's and the device's numbers. The text identifies the code that the device can run, for
/// cache keys.
std::string identity_of(const ze_device_context& device, const device_facts& facts) {
  char number[16];
  std::snprintf(number, sizeof(number), "%x", facts.device_id);
  return "level zero " + facts.name + " " + number + " driver " + facts.driver_version + " " + facts.version + " " +
         spirv_target(spirv_of(device)) + (device.has_large_allocations() ? " large" : "") +
         (facts.is_cpu ? " on " + cpu_identity() : "") + " " +
         variables_of_driver({"IGC_", "NEO", "ForceDeviceId", "ProductFamilyOverride", "VISA_", "TEST_ZE_"});
}

class ze_device final : public driver_device {
public:
  ze_device(driver_context& shared, ze_device_handle_t device, bool is_tile)
      : driver_device(&shared),
        m_device(shared, device),
        m_refused(refusal_of(m_device)),
        m_tiles(is_tile || !m_refused.empty() ? std::vector<device_backend*>() : tiles_of(shared, device)),
        m_facts(facts_for(m_device, std::max(static_cast<std::uint32_t>(m_tiles.size()), 1u))),
        m_target{.identity = identity_of(m_device, m_facts),
                 .gpu = spirv_target(std::max(spirv_of(m_device), 0)),
                 .sub_group_size = m_facts.sub_group_size,
                 // Besides the argument block and the geometry, a kernel has two arguments that are pointers.
                 .parameter_bytes = m_device.modules().maxArgumentsSize - 2 * static_cast<std::uint32_t>(sizeof(void*)),
                 .specialises = true,
                 .owner = &m_device,
                 .assemble =
                     [](void* owner, const gpu_program& made, const abi::specialization_table* values) {
                       return level_zero::build(*static_cast<ze_device_context*>(owner), made.image, values);
                     },
                 .unload = level_zero::unload},
        m_natives(*this, m_device, m_keeper, m_target) {}

  /// Returns the reason why the device can't be used, or an empty text.
  const std::string& refused() const noexcept { return m_refused; }

  const device_facts& facts() const override { return m_facts; }
  const code_target& target() const noexcept override { return m_target; }
  std::vector<device_backend*> tile_devices() override { return m_tiles; }
  device_natives* natives() noexcept override { return &m_natives; }

  launch_class class_of(std::span<const kernel_launch* const> together) const noexcept override {
    launch_class result;
    result.folded = !together.empty() && are_padded(together);
    return result;
  }
  void check_memory(const kernel_launch& launch) const override {
    check_local_memory(m_facts, launch, local_bytes_of(launch, items_of_group(launch)));
  }
  std::unique_ptr<device_stream> make_stream(const stream_use& use) override {
    return std::make_unique<ze_stream>(m_device, m_keeper, use);
  }
  std::unique_ptr<device_program> make_program(std::span<const program_step> steps, std::string& why) override {
    return ze_graph::make(m_device, steps, why);
  }
  bool reaches(const device_backend& other) const noexcept override {
    if (!is_ordered_with(other)) return false;
    ze_bool_t can = 0;
    const ze_device_handle_t its = static_cast<const ze_device&>(other).m_device.device();
    return its == m_device.device() ||
           (m_device.functions().zeDeviceCanAccessPeer(m_device.device(), its, &can) == ZE_RESULT_SUCCESS && can != 0);
  }
  void* allocate(memory_kind kind, std::size_t bytes, std::size_t alignment) override {
    return m_device.allocate(kind, bytes, alignment);
  }
  std::uint64_t free_memory() override { return m_device.free_memory(); }
  void deallocate(void* memory) noexcept override { m_device.deallocate(memory); }

private:
  void check_driver() const override { m_device.refuse_at_end("launching a kernel"); }
  void check_launch(const kernel_launch& launch) const override {
    check_range(load(m_device, *launch.code, *launch.kernel), launch);
  }

  static std::vector<device_backend*> tiles_of(driver_context& shared, ze_device_handle_t device) {
    std::uint32_t count = 0;
    const loader& functions = shared.functions();
    if (functions.zeDeviceGetSubDevices(device, &count, nullptr) != ZE_RESULT_SUCCESS || count < 2) return {};
    std::vector<ze_device_handle_t> parts(count);
    if (functions.zeDeviceGetSubDevices(device, &count, parts.data()) != ZE_RESULT_SUCCESS) return {};
    std::vector<device_backend*> tiles;
    // Devices are never destroyed, and neither are tiles.
    for (ze_device_handle_t each : parts) tiles.push_back(new ze_device(shared, each, /*is_tile=*/true));
    return tiles;
  }

  mutable ze_device_context m_device;
  const std::string m_refused;
  const std::vector<device_backend*> m_tiles;
  const device_facts m_facts;
  const code_target m_target;
  stream_keeper m_keeper;
  ze_natives m_natives;
};

}  // namespace

device_backend* device_in_context(ze_device_context& device, ze_context_handle_t context) {
  struct foreign {
    driver_context* shared;
    std::map<ze_device_handle_t, ze_device*> devices;
  };
  static std::mutex& mutex = *new std::mutex;
  // The entries are never removed, so a program must not destroy the contexts that it passes here before the process
  // ends.
  static auto& known = *new std::map<ze_context_handle_t, foreign>;
  std::lock_guard lock(mutex);
  foreign& its = known[context];
  if (!its.shared) its.shared = new driver_context(device.functions(), device.shared().driver(), context);
  ze_device*& made = its.devices[device.device()];
  if (!made) made = new ze_device(*its.shared, device.device(), /*is_tile=*/false);
  return made;
}

namespace {

/// Returns the devices. The first call opens the drivers.
const std::vector<ze_device*>& found_devices() {
  static const auto* devices = [] {
    auto* list = new std::vector<ze_device*>;
    const loader* functions = find_loader();
    if (!functions) return list;
    std::uint32_t count = 0;
    if (functions->zeDriverGet(&count, nullptr) != ZE_RESULT_SUCCESS) return list;
    std::vector<ze_driver_handle_t> drivers(count);
    if (functions->zeDriverGet(&count, drivers.data()) != ZE_RESULT_SUCCESS) return list;
    for (ze_driver_handle_t driver : drivers) {
      std::uint32_t its = 0;
      if (functions->zeDeviceGet(driver, &its, nullptr) != ZE_RESULT_SUCCESS || its == 0) continue;
      std::vector<ze_device_handle_t> handles(its);
      if (functions->zeDeviceGet(driver, &its, handles.data()) != ZE_RESULT_SUCCESS) continue;
      auto* shared = new driver_context(*functions, driver);
      for (ze_device_handle_t each : handles) list->push_back(new ze_device(*shared, each, /*is_tile=*/false));
    }
    note_driver_use();
    return list;
  }();
  return *devices;
}

}  // namespace

const std::vector<device_backend*>& ze_devices() {
  static const auto* devices = [] {
    auto* list = new std::vector<device_backend*>;
    for (ze_device* each : found_devices()) {
      if (each->refused().empty()) list->push_back(each);
    }
    return list;
  }();
  return *devices;
}

driver_state state() {
  driver_state result{.label = "Level Zero", .driver = {}, .devices = {}};
  if (!find_loader()) {
    result.driver = loader_problem();
    return result;
  }
  result.driver = found_devices().empty() ? "a loader, and no devices" : "by its loader";
  for (const ze_device* each : found_devices()) {
    const device_facts& facts = each->facts();
    result.devices.push_back(facts.name + ", API " + facts.version + ", driver " + facts.driver_version + ", " +
                             std::to_string(facts.global_memory_bytes >> 20) + " MiB" +
                             (facts.tiles > 1 ? ", " + std::to_string(facts.tiles) + " tiles" : "") +
                             (each->refused().empty() ? "" : ": not used, because " + each->refused()));
  }
  return result;
}

}  // namespace sinter::level_zero
