#include "gpu_device.hpp"

#include <unistd.h>

#include <abi/math_file.hpp>
#include <backends/gpu/gpu_device.hpp>
#include <backends/target_facts.hpp>
#include <base/environment.hpp>
#include <cstring>
#include <images/cache.hpp>
#include <images/compile_counts.hpp>
#include <images/registry.hpp>

#include <sycl/aspects.hpp>
#include <sycl/backend_enum.hpp>
#include <sycl/exception.hpp>

#include "assembler.hpp"
#include "gpus.hpp"
#include "textures.hpp"

namespace sinter::cuda {
namespace {

constexpr unsigned warp_size = 32;

const char family_of_gpus = 0;

std::uint32_t parameter_bytes_of(const driver& functions) {
  constexpr int first_with_large_ones = 12010;
  return functions.version < first_with_large_ones ? abi::most_gpu_parameter_bytes
                                                         : abi::large_gpu_parameter_bytes;
}

std::array<unsigned char, 16> uuid_of(const driver& functions, gpu::device_number device) {
  CUuuid uuid{};
  std::array<unsigned char, 16> bytes{};
  if (functions.cuDeviceGetUuid(&uuid, device) == gpu::success) {
    std::memcpy(bytes.data(), &uuid, bytes.size());
  }
  return bytes;
}

device_facts facts_of(const driver& functions, gpu::device_number device, const gpu::gpu_description& description) {
  const auto attribute = [&](CUdevice_attribute which) { return gpu_attribute(functions, device, which); };
  device_facts facts;
  facts.name = description.name;
  facts.vendor = "NVIDIA Corporation";
  facts.driver_version = "CUDA " + std::to_string(functions.version / 1000) + "." +
                         std::to_string(functions.version % 1000 / 10);
  facts.version = description.architecture;
  facts.platform_name = "NVIDIA CUDA";
  facts.platform_vendor = facts.vendor;
  facts.platform_version = facts.driver_version;
  facts.backend = static_cast<std::uint8_t>(sycl::backend::ext_oneapi_cuda);
  facts.is_gpu = true;
  facts.is_this_process = false;
  facts.fixed_targets = abi::flag_of_target("nvptx64");
  facts.independent_progress = true;
  facts.vendor_id = 0x10de;
  facts.pci_address = gpu::pci_address(attribute(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
                                       attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
                                       attribute(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
  facts.device_id = gpu::pci_device_id(facts.pci_address);
  facts.uuid = uuid_of(functions, device);
  facts.memory_clock_mhz = static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1000);
  facts.memory_bus_bits = static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
  facts.compute_units = description.multiprocessors;
  facts.clock_mhz = static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000);
  facts.parameter_bytes = parameter_bytes_of(functions) - sizeof(abi::gpu_geometry);
  facts.global_memory_bytes = facts.max_allocation_bytes = description.memory_bytes;
  facts.local_memory_bytes =
      static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  facts.cache_bytes = static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  facts.cache_line_bytes = 128;
  facts.max_work_group_size = static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  for (int d = 0; d < 3; ++d) {
    const auto of_dimension = static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + d);
    facts.max_work_item_sizes[2 - d] = static_cast<std::uint32_t>(attribute(of_dimension));
  }
  facts.groups_meet = attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
  facts.sub_group_sizes = {warp_size};
  facts.sub_group_size = warp_size;
  facts.vector_bytes = 4;
  facts.half_vector_bytes = 4;
  using sycl::aspect;
  facts.aspects = aspects_of(*abi::find_target("nvptx64"));
  add_image_aspects(facts.aspects);
  if (environment().textures) {
    for (const aspect each : {aspect::ext_oneapi_cubemap_seamless_filtering, aspect::ext_oneapi_external_memory_import,
                              aspect::ext_oneapi_external_semaphore_import}) {
      facts.aspects.push_back(static_cast<std::uint32_t>(each));
    }
  }
  // On a GPU behind PCIe, an atomic operation of the GPU is not atomic for the host, and vice versa.
  if (attribute(CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED) != 0) {
    facts.aspects.push_back(static_cast<std::uint32_t>(aspect::usm_atomic_host_allocations));
  }
  if (attribute(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) == 0) {
    std::erase(facts.aspects, static_cast<std::uint32_t>(aspect::usm_shared_allocations));
  } else if (attribute(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS) != 0) {
    // Without this property, the host may not access shared memory while kernels run.
    facts.aspects.push_back(static_cast<std::uint32_t>(aspect::usm_atomic_shared_allocations));
  }
  return facts;
}

/// Returns the path and stamp of the file with math functions that the compiler links (abi/math_file.hpp).
const std::string& mathematics() {
  static const auto* file = [] {
    const abi::math_file chosen([](const char* path) { return access(path, F_OK) == 0; });
    const std::string path = chosen.path[0] == '\0' ? abi::libclc_file : chosen.path;
    return new std::string(path + " " + file_stamp(path));
  }();
  return *file;
}

class cuda_device final : public gpu::gpu_device {
public:
  cuda_device(const driver& functions, int ordinal, const gpu::gpu_description& description)
      : gpu_device(&family_of_gpus, functions, ordinal, description),
        m_facts(facts_of(functions, context().device(), description)),
        m_target(make_target(functions)),
        m_textures(functions, gpu_device::context()) {}

  const device_facts& facts() const override { return m_facts; }
  const code_target& target() const noexcept override { return m_target; }
  device_textures* textures() noexcept override { return environment().textures ? &m_textures : nullptr; }

private:
  const code_target& make_target(const driver& functions) const {
    const std::string& name = context().description().architecture;
    return *new code_target{.identity = "cuda " + name + " driver " + std::to_string(functions.version) + " " +
                                       functions.file + " mathematics " + mathematics(),
                           .gpu = name,
                           .sub_group_size = warp_size,
                           .parameter_bytes = parameter_bytes_of(functions),
                           .assemble = assemble_anywhere,
                           .unload = unload_everywhere};
  }
  static void unload_everywhere(gpu_program& unused) noexcept { gpu::unload_from(gpu_devices(), unused); }
  /// Compiles PTX with the driver. Any GPU will do, because all GPUs have the same driver.
  static std::string assemble_anywhere(void*, const gpu_program& made, const abi::specialization_table*) {
    return assemble(gpu::any_in_use(gpu_devices()), made);
  }

  const device_facts m_facts;
  const code_target& m_target;
  texture_units m_textures;
};

}  // namespace

const std::vector<device_backend*>& gpu_devices() {
  static const auto* devices = [] {
    auto* list = new std::vector<device_backend*>;
    const driver* functions = find_driver();
    if (!functions) return list;
    int ordinal = 0;
    for (const gpu::gpu_description& each : find_gpus()) {
      if (ordinal < static_cast<int>(gpu_program::most_devices)) {
        list->push_back(new cuda_device(*functions, ordinal, each));
      }
      ++ordinal;
    }
    gpu::introduce(*list);
    return list;
  }();
  return *devices;
}

driver_state state() {
  driver_state result{.label = "CUDA", .driver = {}, .devices = {}};
  const driver* functions = find_driver();
  if (!functions) {
    result.driver = driver_problem();
    return result;
  }
  result.driver =
      "CUDA " + std::to_string(functions->version / 1000) + "." + std::to_string(functions->version % 1000 / 10);
  for (const gpu::gpu_description& each : find_gpus()) {
    result.devices.push_back(each.name + ", " + each.architecture + ", " + std::to_string(each.multiprocessors) +
                             " multiprocessors, " + std::to_string(each.memory_bytes >> 30) + " GiB");
  }
  return result;
}

}  // namespace sinter::cuda
