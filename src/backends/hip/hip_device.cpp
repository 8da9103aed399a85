#include "hip_device.hpp"

#include <unistd.h>

#include <abi/float_atomics.hpp>
#include <abi/gpu_launch.hpp>
#include <abi/math_file.hpp>
#include <algorithm>
#include <backends/gpu/gpu_device.hpp>
#include <backends/target_facts.hpp>
#include <cstring>
#include <images/cache.hpp>
#include <images/code_variant.hpp>

#include <sycl/aspects.hpp>
#include <sycl/backend_enum.hpp>

#include "driver.hpp"

namespace sinter::hip {
namespace {

const char family_of_gpus = 0;

// HIP's limit for the bytes of a kernel's arguments. The hardware's launch packet has no limit, and the compiler
// documents none.
constexpr std::uint32_t parameter_bytes = 4096;

std::vector<std::uint32_t> aspects_of_gpu(const driver& functions, int device) {
  using sycl::aspect;
  std::vector<std::uint32_t> result;
  for (const aspect each : {aspect::gpu, aspect::image, aspect::fp16, aspect::fp64, aspect::atomic64,
                            aspect::online_compiler, aspect::online_linker, aspect::queue_profiling,
                            aspect::usm_device_allocations, aspect::usm_host_allocations,
                            aspect::ext_oneapi_graph, aspect::ext_oneapi_limited_graph}) {
    result.push_back(static_cast<std::uint32_t>(each));
  }
  if (gpu_attribute(functions, device, hipDeviceAttributeManagedMemory) != 0) {
    result.push_back(static_cast<std::uint32_t>(aspect::usm_shared_allocations));
    // Without page faults (XNACK), the host may not access shared memory while kernels run.
    if (gpu_attribute(functions, device, hipDeviceAttributeConcurrentManagedAccess) != 0) {
      result.push_back(static_cast<std::uint32_t>(aspect::usm_atomic_shared_allocations));
    }
  }
  add_image_aspects(result);
  return result;
}

device_facts facts_of(const driver& functions, int device, const gpu::gpu_description& description) {
  const auto attribute = [&](hipDeviceAttribute_t which) { return gpu_attribute(functions, device, which); };
  device_facts facts;
  facts.name = description.name;
  facts.vendor = "Advanced Micro Devices, Inc.";
  facts.driver_version = "HIP " + version_text(functions.version);
  facts.version = description.architecture;
  facts.platform_name = "AMD HIP";
  facts.platform_vendor = facts.vendor;
  facts.platform_version = facts.driver_version;
  facts.backend = static_cast<std::uint8_t>(sycl::backend::ext_oneapi_hip);
  facts.is_gpu = true;
  facts.is_this_process = false;
  facts.vendor_id = 0x1002;
  facts.pci_address = gpu::pci_address(attribute(hipDeviceAttributePciDomainID),
                                       attribute(hipDeviceAttributePciBusId),
                                       attribute(hipDeviceAttributePciDeviceId));
  facts.device_id = gpu::pci_device_id(facts.pci_address);
  hipUUID uuid{};
  if (functions.hipDeviceGetUuid(&uuid, device) == hipSuccess) {
    std::memcpy(facts.uuid.data(), &uuid, facts.uuid.size());
  }
  facts.memory_clock_mhz = static_cast<std::uint32_t>(attribute(hipDeviceAttributeMemoryClockRate) / 1000);
  facts.memory_bus_bits = static_cast<std::uint32_t>(attribute(hipDeviceAttributeMemoryBusWidth));
  facts.compute_units = description.multiprocessors;
  facts.clock_mhz = static_cast<std::uint32_t>(attribute(hipDeviceAttributeClockRate) / 1000);
  facts.parameter_bytes = parameter_bytes - sizeof(abi::grid_geometry);
  facts.global_memory_bytes = facts.max_allocation_bytes = description.memory_bytes;
  facts.local_memory_bytes = description.local_bytes;
  facts.cache_bytes = static_cast<std::uint64_t>(attribute(hipDeviceAttributeL2CacheSize));
  facts.cache_line_bytes = 128;
  facts.max_work_group_size = static_cast<std::uint32_t>(attribute(hipDeviceAttributeMaxThreadsPerBlock));
  for (int d = 0; d < 3; ++d) {
    const auto of_dimension = static_cast<hipDeviceAttribute_t>(hipDeviceAttributeMaxBlockDimX + d);
    facts.max_work_item_sizes[2 - d] = static_cast<std::uint32_t>(attribute(of_dimension));
  }
  facts.groups_meet = functions.launch_together && attribute(hipDeviceAttributeCooperativeLaunch) != 0;
  // The sub-group size is the size of a wave; smaller sub-groups are parts of a wave.
  facts.sub_group_size = static_cast<std::uint32_t>(attribute(hipDeviceAttributeWarpSize));
  for (std::size_t size = 8; size <= facts.sub_group_size; size *= 2) facts.sub_group_sizes.push_back(size);
  facts.vector_bytes = 4;
  facts.half_vector_bytes = 4;
  facts.aspects = aspects_of_gpu(functions, device);
  return facts;
}

/// Returns the path and stamp of the file with math functions that the compiler links (abi/math_file.hpp).
const std::string& mathematics() {
  static const auto* file = [] {
    const abi::ocml_file chosen([](const char* path) { return access(path, F_OK) == 0; });
    const std::string path = chosen.path[0] == '\0' ? abi::amd_libclc_file : chosen.path;
    return new std::string(path + " " + file_stamp(path));
  }();
  return *file;
}

class hip_device final : public gpu::gpu_device {
public:
  hip_device(const driver& functions, int ordinal, const hip_gpu& found)
      : gpu_device(&family_of_gpus, functions, ordinal, found.description),
        m_facts(facts_of(functions, ordinal, found.description)),
        m_target(make_target(functions, found)) {}

  const device_facts& facts() const override { return m_facts; }
  const code_target& target() const noexcept override { return m_target; }

private:
  const code_target& make_target(const driver& functions, const hip_gpu& found) const {
    return *new code_target{.identity = "hip " + found.whole_name + " runtime " + std::to_string(functions.version) +
                                        " " + functions.file + " mathematics " + mathematics() +
                                        (abi::float_atomics_stay_on_device() ? " device atomics" : ""),
                            .gpu = found.description.architecture,
                            .sub_group_size = m_facts.sub_group_size,
                            .parameter_bytes = parameter_bytes,
                            .assemble = keep,
                            .unload = unload_everywhere};
  }
  /// Returns the compiler's code object unchanged, because HIP loads code objects.
  static std::string keep(void*, const gpu_program& made, const abi::specialization_table*) { return made.image; }
  static void unload_everywhere(gpu_program& unused) noexcept { gpu::unload_from(hip_devices(), unused); }

  const device_facts m_facts;
  const code_target& m_target;
};

}  // namespace

const std::vector<device_backend*>& hip_devices() {
  static const auto* devices = [] {
    auto* list = new std::vector<device_backend*>;
    const driver* functions = find_driver();
    if (!functions) return list;
    int ordinal = 0;
    for (const hip_gpu& each : find_gpus()) {
      if (ordinal < static_cast<int>(gpu_program::most_devices)) {
        list->push_back(new hip_device(*functions, ordinal, each));
      }
      ++ordinal;
    }
    gpu::introduce(*list);
    return list;
  }();
  return *devices;
}

driver_state state() {
  driver_state result{.label = "HIP", .driver = {}, .devices = {}};
  const driver* functions = find_driver();
  if (!functions) {
    result.driver = driver_problem();
    return result;
  }
  result.driver = "HIP " + version_text(functions->version);
  for (const hip_gpu& each : find_gpus()) {
    const gpu::gpu_description& its = each.description;
    result.devices.push_back(its.name + ", " + each.whole_name + ", " + std::to_string(its.multiprocessors) +
                             " compute units, " + std::to_string(its.memory_bytes >> 30) + " GiB");
  }
  return result;
}

}  // namespace sinter::hip
