#include "gpu_device.hpp"

#include <unistd.h>

#include <abi/math_file.hpp>
#include <algorithm>
#include <backends/driver_device.hpp>
#include <backends/driver_launch.hpp>
#include <backends/natives.hpp>
#include <backends/target_facts.hpp>
#include <cstdio>
#include <images/cache.hpp>
#include <images/compile_counts.hpp>
#include <images/registry.hpp>
#include <memory>

#include <sycl/aspects.hpp>
#include <sycl/backend_enum.hpp>
#include <sycl/exception.hpp>

#include "gpu_context.hpp"
#include "gpu_graph.hpp"
#include "gpu_programs.hpp"
#include "gpu_stream.hpp"

namespace sinter::cuda {
namespace {

constexpr unsigned warp_size = 32;

const char family_of_gpus = 0;

std::uint32_t parameter_bytes_of(const gpu_context& gpu) {
  constexpr int first_with_large_ones = 12010;
  return gpu.functions().version < first_with_large_ones ? abi::most_gpu_parameter_bytes
                                                         : abi::large_gpu_parameter_bytes;
}

/// The device id of the PCI device at the address; 0 where the system does not tell.
std::uint32_t pci_device_id(const std::string& address) {
  unsigned id = 0;
  if (std::FILE* file = std::fopen(("/sys/bus/pci/devices/" + address + "/device").c_str(), "r")) {
    if (std::fscanf(file, "%x", &id) != 1) id = 0;
    std::fclose(file);
  }
  return id;
}

std::string pci_address_of(const gpu_context& gpu) {
  char text[32];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.0",
                static_cast<unsigned>(gpu.attribute(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)),
                static_cast<unsigned>(gpu.attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)),
                static_cast<unsigned>(gpu.attribute(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)));
  return text;
}

std::array<unsigned char, 16> uuid_of(const gpu_context& gpu) {
  CUuuid uuid{};
  std::array<unsigned char, 16> bytes{};
  if (gpu.functions().cuDeviceGetUuid(&uuid, gpu.device()) == CUDA_SUCCESS) {
    std::memcpy(bytes.data(), &uuid, bytes.size());
  }
  return bytes;
}

device_facts facts_of(const gpu_context& gpu) {
  device_facts facts;
  facts.name = gpu.name();
  facts.vendor = "NVIDIA Corporation";
  facts.driver_version = "CUDA " + std::to_string(gpu.functions().version / 1000) + "." +
                         std::to_string(gpu.functions().version % 1000 / 10);
  facts.version = gpu.description().architecture;
  facts.platform_name = "NVIDIA CUDA";
  facts.platform_vendor = facts.vendor;
  facts.platform_version = facts.driver_version;
  facts.backend = static_cast<std::uint8_t>(sycl::backend::ext_oneapi_cuda);
  facts.is_gpu = true;
  facts.is_this_process = false;
  facts.fixed_targets = abi::flag_of_target("nvptx64");
  facts.independent_progress = true;
  facts.vendor_id = 0x10de;
  facts.pci_address = pci_address_of(gpu);
  facts.device_id = pci_device_id(facts.pci_address);
  facts.uuid = uuid_of(gpu);
  facts.memory_clock_mhz = static_cast<std::uint32_t>(gpu.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1000);
  facts.memory_bus_bits = static_cast<std::uint32_t>(gpu.attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
  facts.compute_units = gpu.description().multiprocessors;
  facts.clock_mhz = static_cast<std::uint32_t>(gpu.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000);
  facts.parameter_bytes = parameter_bytes_of(gpu) - sizeof(abi::gpu_geometry);
  facts.global_memory_bytes = facts.max_allocation_bytes = gpu.description().memory_bytes;
  facts.local_memory_bytes =
      static_cast<std::uint64_t>(gpu.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  facts.cache_bytes = static_cast<std::uint64_t>(gpu.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  facts.cache_line_bytes = 128;
  facts.max_work_group_size = static_cast<std::uint32_t>(gpu.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  for (int d = 0; d < 3; ++d) {
    const auto of_dimension = static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + d);
    facts.max_work_item_sizes[2 - d] = static_cast<std::uint32_t>(gpu.attribute(of_dimension));
  }
  facts.groups_meet = gpu.attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
  facts.sub_group_sizes = {warp_size};
  facts.sub_group_size = warp_size;
  facts.vector_bytes = 4;
  facts.half_vector_bytes = 4;
  using sycl::aspect;
  facts.aspects = aspects_of(*abi::find_target("nvptx64"));
  add_image_aspects(facts.aspects);
  // Behind PCIe, atomic operations of the host and of the GPU are not atomic to each other.
  if (gpu.attribute(CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED) != 0) {
    facts.aspects.push_back(static_cast<std::uint32_t>(aspect::usm_atomic_host_allocations));
  }
  if (gpu.attribute(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) == 0) {
    std::erase(facts.aspects, static_cast<std::uint32_t>(aspect::usm_shared_allocations));
  } else if (gpu.attribute(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS) != 0) {
    // The host may not touch it beside kernels otherwise; pages that both want travel.
    facts.aspects.push_back(static_cast<std::uint32_t>(aspect::usm_atomic_shared_allocations));
  }
  return facts;
}

/// The path and stamp of the file with mathematics that the compiler links (abi/math_file.hpp).
const std::string& mathematics() {
  static const auto* file = [] {
    const abi::math_file chosen([](const char* path) { return access(path, F_OK) == 0; });
    const std::string path = chosen.path[0] == '\0' ? abi::libclc_file : chosen.path;
    return new std::string(path + " " + file_stamp(path));
  }();
  return *file;
}

class gpu_natives final : public device_natives {
public:
  explicit gpu_natives(gpu_context& gpu) : m_gpu(gpu) {}

  int number() const noexcept override { return m_gpu.device(); }
  void* context() override { return m_gpu.native(); }
  std::unique_ptr<device_stream> adopt_stream(void* stream, bool measures) override {
    return std::make_unique<gpu_stream>(m_gpu, measures, static_cast<CUstream>(stream));
  }
  void wait_for(void* event) override {
    m_gpu.use();
    m_gpu.check(m_gpu.functions().cuEventSynchronize(static_cast<CUevent>(event)), "waiting for an event");
  }

private:
  gpu_context& m_gpu;
};

class gpu_device final : public driver_device {
public:
  gpu_device(const driver& functions, int ordinal, gpu description)
      : driver_device(&family_of_gpus),
        m_gpu(functions, ordinal, std::move(description)),
        m_facts(facts_of(m_gpu)) {}

  gpu_context& gpu() noexcept { return m_gpu; }
  const device_facts& facts() const override { return m_facts; }
  const code_target& target() const noexcept override { return m_target; }
  launch_class class_of(std::span<const kernel_launch* const> together) const noexcept override {
    launch_class result;
    result.no_offset = std::none_of(together.begin(), together.end(), [](const kernel_launch* each) {
      return each->global_offset[0] != 0 || each->global_offset[1] != 0 || each->global_offset[2] != 0;
    });
    result.disjoint = together.size() == 1 && together[0]->disjoint;
    result.turns = together.size() == 1 && takes_turns(*together[0]);
    if (result.turns) return result;
    // Blocks of range kernels are chosen by the compiler: nothing is folded with the smallest that it may choose,
    // which is enough where it is needed.
    result.folded = std::any_of(together.begin(), together.end(), [](const kernel_launch* each) {
      const bool grouped = each->kernel->shape == abi::kernel_shape::nd_range;
      const std::uint64_t(&local)[3] = each->local_range;
      return is_folded(*each, grouped ? abi::local_range{local[0], local[1], local[2]} : abi::local_range{1, 1, 1});
    });
    return result;
  }

  void check_memory(const kernel_launch& launch) const override {
    check_shared_memory(launch);
    check_private_memory(load(m_gpu, *launch.code, *launch.kernel));
  }
  std::uint64_t groups_together(kernel_launch& launch) override {
    find_driver_code(*this, launch);
    return blocks_together(m_gpu, load(m_gpu, *launch.code, *launch.kernel), shape_of(launch));
  }

  std::unique_ptr<device_stream> make_stream(const stream_use& use) override {
    return std::make_unique<gpu_stream>(m_gpu, use.measures);
  }
  std::unique_ptr<device_program> make_program(std::span<const program_step> steps, std::string& why) override {
    return gpu_graph::make(m_gpu, steps, why);
  }
  device_natives* natives() noexcept override { return &m_natives; }
  bool reaches(const device_backend& other) const noexcept override {
    if (!is_ordered_with(other)) return false;
    try {
      return m_gpu.reaches(static_cast<const gpu_device&>(other).m_gpu);
    } catch (const sycl::exception&) {
      return false;  // who uses it will hear why
    }
  }

  void* allocate(memory_kind kind, std::size_t bytes, std::size_t) override { return m_gpu.allocate(kind, bytes); }
  void deallocate(void* memory) noexcept override { m_gpu.deallocate(memory); }
  std::uint64_t free_memory() override { return m_gpu.free_memory(); }

private:
  const code_target& make_target() const {
    const std::string& name = m_gpu.description().architecture;
    return *new code_target{.identity = "cuda " + name + " driver " + std::to_string(m_gpu.functions().version) + " " +
                                       m_gpu.functions().file + " mathematics " + mathematics(),
                           .gpu = name,
                           .sub_group_size = warp_size,
                           .parameter_bytes = parameter_bytes_of(m_gpu),
                           .assemble = assemble_anywhere,
                           .unload = unload_everywhere};
  }
  static void unload_everywhere(gpu_program& unused) noexcept;
  static std::string assemble_anywhere(void*, const std::string& text, const abi::specialization_table*);

  void check_shared_memory(const kernel_launch& launch) const {
    sinter::check_local_memory(m_facts, launch, shape_of(launch).shared_bytes);
  }
  static grid shape_of(const kernel_launch& launch) {
    abi::gpu_geometry geometry;
    return grid_of(launch, launch.code->made_for.launches, geometry);
  }

  /// Work-groups that start only when others have ended would never meet them.
  void check_launch(const kernel_launch& launch) const override {
    if (!launch.code->gpu->groups_meet) return;
    const loaded_program& loaded = load(m_gpu, *launch.code, *launch.kernel);
    const grid shape = shape_of(launch);
    const std::uint64_t most = blocks_together(m_gpu, loaded, shape);
    if (shape.all_blocks() <= most) return;
    sycl::detail::throw_error(sycl::errc::nd_range,
                              "kernel '" + loaded.kernel + "' on device '" + m_facts.name + "': its " +
                                  std::to_string(shape.all_blocks()) +
                                  " work-groups meet at a barrier (root_group), and the device has room for " +
                                  std::to_string(most) +
                                  " at the same time (info::kernel_queue_specific::max_num_work_groups); launch fewer");
  }

  /// The driver loads such kernels, and they fail when they run.
  void check_private_memory(const loaded_program& loaded) const {
    const std::uint64_t most = m_gpu.description().private_bytes;
    if (static_cast<std::uint64_t>(loaded.private_bytes) <= most) return;
    sycl::detail::throw_error(sycl::errc::memory_allocation,
                          "kernel '" + loaded.kernel + "' on device '" + m_facts.name + "': each work-item needs " +
                              std::to_string(loaded.private_bytes) +
                              " bytes for private arrays, and this GPU has " + std::to_string(most) +
                              " for each that it can run at the same time; make private arrays smaller, or keep the "
                              "data in a buffer or USM");
  }

  mutable gpu_context m_gpu;
  gpu_natives m_natives{m_gpu};
  const device_facts m_facts;
  const code_target& m_target = make_target();
};

void gpu_device::unload_everywhere(gpu_program& unused) noexcept {
  for (device_backend* each : gpu_devices()) unload(static_cast<gpu_device*>(each)->gpu(), unused);
}

/// On a GPU that is in use, all being of one driver.
std::string gpu_device::assemble_anywhere(void*, const std::string& text, const abi::specialization_table*) {
  gpu_context* chosen = nullptr;
  for (device_backend* each : gpu_devices()) {
    gpu_context& gpu = static_cast<gpu_device*>(each)->gpu();
    if (!chosen || (!chosen->is_open() && gpu.is_open())) chosen = &gpu;
  }
  return cuda::assemble(*chosen, text);
}

}  // namespace

const std::vector<device_backend*>& gpu_devices() {
  static const auto* devices = [] {
    auto* list = new std::vector<device_backend*>;
    const driver* functions = find_driver();
    if (!functions) return list;
    int ordinal = 0;
    for (gpu& each : find_gpus()) {
      if (ordinal < static_cast<int>(gpu_program::most_devices)) {
        list->push_back(new gpu_device(*functions, ordinal, std::move(each)));
      }
      ++ordinal;
    }
    for (device_backend* each : *list) {
      std::vector<gpu_context*> others;
      for (device_backend* other : *list) {
        if (each != other) others.push_back(&static_cast<gpu_device*>(other)->gpu());
      }
      static_cast<gpu_device*>(each)->gpu().know(std::move(others));
    }
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
  for (const gpu& each : find_gpus()) {
    result.devices.push_back(each.name + ", " + each.architecture + ", " + std::to_string(each.multiprocessors) +
                             " multiprocessors, " + std::to_string(each.memory_bytes >> 30) + " GiB");
  }
  return result;
}

}  // namespace sinter::cuda
