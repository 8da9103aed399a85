#include "cl_device.hpp"

#include <abi/device_targets.hpp>
#include <abi/gpu_launch.hpp>
#include <algorithm>
#include <array>
#include <backends/driver_device.hpp>
#include <backends/driver_launch.hpp>
#include <backends/spirv_facts.hpp>
#include <backends/target_facts.hpp>
#include <base/foreign_variables.hpp>
#include <base/processor.hpp>
#include <cstdio>
#include <images/code_keys.hpp>
#include <images/registry.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <sycl/aspects.hpp>
#include <sycl/backend_enum.hpp>
#include <sycl/exception.hpp>

#include "cl_context.hpp"
#include "cl_graph.hpp"
#include "cl_matrices.hpp"
#include "cl_natives.hpp"
#include "cl_programs.hpp"
#include "cl_stream.hpp"

namespace sinter::opencl {
namespace {

bool has_word(const std::string& all, const std::string& wanted) {
  return (" " + all + " ").find(" " + wanted + " ") != std::string::npos;
}

/// Returns the sub-group sizes. The result is {1} if the device has no sub-groups, or if programs can't request a
/// sub-group size.
std::vector<std::size_t> sub_group_sizes_of(const cl_device_context& device) {
  if (device.found().spirv < 3) return {1};  // older SPIR-V versions have no instructions for sub-group functions
  std::size_t bytes = 0;
  const loader& functions = device.functions();
  const std::string extensions = device.text(CL_DEVICE_EXTENSIONS);
  if (!has_word(extensions, "cl_intel_required_subgroup_size") || !has_word(extensions, "cl_khr_subgroup_shuffle") ||
      functions.clGetDeviceInfo(device.id(), CL_DEVICE_SUB_GROUP_SIZES_INTEL, 0, nullptr, &bytes) != CL_SUCCESS) {
    return {1};
  }
  std::vector<std::size_t> sizes(bytes / sizeof(std::size_t));
  functions.clGetDeviceInfo(device.id(), CL_DEVICE_SUB_GROUP_SIZES_INTEL, bytes, sizes.data(), nullptr);
  return known_sub_group_sizes(std::move(sizes));
}

/// Returns whether the driver can relate the device's clock to the host's clock, which is possible since OpenCL 2.1.
bool has_clock(const cl_device_context& device) {
  cl_ulong device_time = 0, host_time = 0;
  return device.functions().clGetDeviceAndHostTimer(device.id(), &device_time, &host_time) == CL_SUCCESS;
}

/// The kinds of USM that the device has.
struct unified_capabilities {
  bool device = false, host = false, atomic_host = false, shared = false, atomic_shared = false;
};

unified_capabilities unified_capabilities_of(const cl_device_context& device) {
  unified_capabilities result;
  // In these two cases there is no USM, because programs could not find out to which device a pointer belongs.
  if (device.memory().way() == memory_way::objects || device.found().is_apart) return result;
  if (device.memory().way() != memory_way::unified) {
    // Coarse-grained memory is only for USM of kind device, because the host would have to map it before each access.
    result.device = true;
    result.host = result.shared = device.memory().host_reaches();
    const auto shared = device.info<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES);
    result.atomic_host = result.atomic_shared = result.shared && (shared & CL_DEVICE_SVM_ATOMICS) != 0;
    return result;
  }
  const auto memory = [&](cl_device_info which) {
    return device.info<cl_device_unified_shared_memory_capabilities_intel>(which);
  };
  const auto host = memory(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL);
  const auto shared = memory(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL);
  result.device = memory(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL) != 0;
  result.host = host != 0;
  result.atomic_host = (host & CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL) != 0;
  result.shared = shared != 0;
  result.atomic_shared = (shared & CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL) != 0;
  return result;
}

std::vector<std::uint32_t> aspects_of(const cl_device_context& device, const device_facts& facts) {
  using sycl::aspect;
  std::vector<std::uint32_t> result;
  const std::string extensions = device.text(CL_DEVICE_EXTENSIONS);
  const auto add = [&](aspect which, bool there) {
    if (there) result.push_back(static_cast<std::uint32_t>(which));
  };
  const unified_capabilities memory = unified_capabilities_of(device);
  add(aspect::cpu, facts.is_cpu);
  add(aspect::gpu, facts.is_gpu);
  add(aspect::accelerator, facts.is_accelerator);
  add(aspect::fp16, has_word(extensions, "cl_khr_fp16"));
  add(aspect::fp64, has_word(extensions, "cl_khr_fp64"));
  add(aspect::image, true);  // images need no texture units: ordinary code reads them in ordinary memory
  add(aspect::atomic64,
      has_word(extensions, "cl_khr_int64_base_atomics") && has_word(extensions, "cl_khr_int64_extended_atomics"));
  add(aspect::online_compiler, true);
  add(aspect::online_linker, true);
  add(aspect::queue_profiling, has_clock(device));
  add(aspect::usm_device_allocations, memory.device);
  add(aspect::usm_host_allocations, memory.host);
  add(aspect::usm_atomic_host_allocations, memory.atomic_host);
  add(aspect::usm_shared_allocations, memory.shared);
  add(aspect::usm_atomic_shared_allocations, memory.atomic_shared);
  add(aspect::ext_oneapi_graph, true);
  add(aspect::ext_oneapi_limited_graph, true);
  add_image_aspects(result);
  return result;
}

std::vector<std::size_t> item_sizes_of(const cl_device_context& device) {
  std::size_t bytes = 0;
  const loader& functions = device.functions();
  functions.clGetDeviceInfo(device.id(), CL_DEVICE_MAX_WORK_ITEM_SIZES, 0, nullptr, &bytes);
  std::vector<std::size_t> sizes(bytes / sizeof(std::size_t));
  functions.clGetDeviceInfo(device.id(), CL_DEVICE_MAX_WORK_ITEM_SIZES, bytes, sizes.data(), nullptr);
  return sizes;
}

bool divides_by_counts(const cl_device_context& device) {
  std::size_t bytes = 0;
  const loader& functions = device.functions();
  functions.clGetDeviceInfo(device.id(), CL_DEVICE_PARTITION_PROPERTIES, 0, nullptr, &bytes);
  std::vector<cl_device_partition_property> ways(bytes / sizeof(cl_device_partition_property));
  functions.clGetDeviceInfo(device.id(), CL_DEVICE_PARTITION_PROPERTIES, bytes, ways.data(), nullptr);
  return std::find(ways.begin(), ways.end(), CL_DEVICE_PARTITION_BY_COUNTS) != ways.end();
}

/// Reads facts that identify the device, such as its PCI address and UUID, through extensions of OpenCL and of Intel.
/// Facts that the driver does not report keep their defaults.
void identify(const cl_device_context& device, device_facts& facts) {
  const std::string extensions = device.text(CL_DEVICE_EXTENSIONS);
  if (has_word(extensions, "cl_intel_device_attribute_query")) {
    facts.device_id = device.info<cl_uint>(CL_DEVICE_ID_INTEL);
  }
  if (has_word(extensions, "cl_khr_device_uuid")) {
    facts.uuid = device.info<std::array<unsigned char, 16>>(CL_DEVICE_UUID_KHR);
  }
  if (has_word(extensions, "cl_khr_pci_bus_info")) {
    const auto place = device.info<std::array<cl_uint, 4>>(CL_DEVICE_PCI_BUS_INFO_KHR);
    char text[32];
    std::snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", place[0], place[1], place[2], place[3]);
    facts.pci_address = text;
  }
}

device_facts facts_of(const cl_device_context& device, const cl_matrices& matrices) {
  device_facts facts;
  const found_platform& platform = device.shared().platform();
  const auto type = device.info<cl_device_type>(CL_DEVICE_TYPE);
  facts.name = device.name();
  facts.vendor = device.text(CL_DEVICE_VENDOR);
  facts.driver_version = device.text(CL_DRIVER_VERSION);
  facts.version = device.text(CL_DEVICE_VERSION);
  facts.platform_name = platform.name;
  facts.platform_vendor = platform.vendor;
  facts.platform_version = platform.version;
  facts.backend = static_cast<std::uint8_t>(sycl::backend::opencl);
  facts.is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
  facts.is_cpu = !facts.is_gpu && (type & CL_DEVICE_TYPE_CPU) != 0;
  facts.is_accelerator = !facts.is_gpu && !facts.is_cpu;
  facts.is_this_process = false;
  facts.fixed_targets = facts.is_cpu ? abi::flag_of_target(processor_target) : 0u;
  facts.vendor_id = device.info<cl_uint>(CL_DEVICE_VENDOR_ID);
  identify(device, facts);
  facts.compute_units = std::max(device.info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 1u);
  facts.is_divisible = facts.compute_units > 1 && divides_by_counts(device);
  facts.clock_mhz = device.info<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY);
  facts.global_memory_bytes = device.info<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  facts.local_memory_bytes = device.info<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  facts.cache_bytes = device.info<cl_ulong>(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  facts.max_allocation_bytes = device.info<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  facts.cache_line_bytes = std::max(device.info<cl_uint>(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE), 1u);
  facts.max_work_group_size =
      most_group_items(device.info<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), facts.local_memory_bytes);
  const std::vector<std::size_t> sizes = item_sizes_of(device);
  // In OpenCL, the dimension that varies fastest comes first; in SYCL, it comes last.
  for (std::size_t d = 0; d < 3 && d < sizes.size(); ++d) {
    facts.max_work_item_sizes[2 - d] =
        static_cast<std::uint32_t>(std::clamp<std::size_t>(sizes[d], 1, most_group_size));
  }
  facts.sub_group_sizes = sub_group_sizes_of(device);
  facts.matrix_products = matrices.products();
  facts.sub_group_size = usual_sub_group_size(facts.sub_group_sizes);
  facts.vector_bytes = 4 * std::max(device.info<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT), 1u);
  facts.half_vector_bytes = 2 * std::max(device.info<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF), 1u);
  facts.aspects = aspects_of(device, facts);
  return facts;
}

class cl_device final : public driver_device {
public:
  cl_device(const loader& functions, platform_context& shared, const found_device& found)
      : driver_device(shared.family()),
        m_device(functions, shared, found),
        m_command_buffers(m_device),
        m_matrices(m_device, sub_group_sizes_of(m_device)),
        m_facts(facts_of(m_device, m_matrices)),
        m_parameter_bytes(m_device.info<std::size_t>(CL_DEVICE_MAX_PARAMETER_SIZE, 1024)),
        m_target{.identity = "opencl " + m_facts.platform_name + " " + m_facts.name + " driver " +
                             m_facts.driver_version + " " + m_facts.platform_version +
                             (m_device.memory().has_addresses() ? "" : " with memory objects") + " " +
                             spirv_target(found.spirv) + m_matrices.identity() +
                             // An OpenCL driver for CPUs compiles for this processor, so the processor's name belongs
                             // in the key.
                             (m_facts.is_cpu ? " on " + cpu_identity() : "") + " " +
                             variables_of_driver({"CL_CONFIG_", "IGC_", "POCL_", "VISA_"}),
                 .gpu = spirv_target(found.spirv),
                 .sub_group_size = m_facts.sub_group_size,
                 // Besides the argument block and the geometry, a kernel has two arguments that are pointers.
                 .parameter_bytes = static_cast<std::uint32_t>(m_parameter_bytes - 2 * sizeof(void*)),
                 .pointers_apart = !m_device.memory().has_addresses(),
                 .matrices = m_matrices.units(),
                 .specialises = functions.clSetProgramSpecializationConstant != nullptr,
                 .owner = &m_device,
                 .assemble =
                     [](void* owner, const gpu_program& made, const abi::specialization_table* values) {
                       return opencl::build(*static_cast<cl_device_context*>(owner), made.image, values);
                     },
                 .unload = opencl::unload},
        m_natives(*this, m_device, m_target) {}


  const device_facts& facts() const override { return m_facts; }
  const code_target& target() const noexcept override { return m_target; }
  std::vector<device_backend*> parts(std::span<const std::uint32_t> compute_units) override {
    std::lock_guard lock(m_parts_mutex);
    std::vector<device_backend*>& known = m_parts[{compute_units.begin(), compute_units.end()}];
    if (!known.empty()) return known;
    platform_context& divided = m_device.shared().divide(m_device.found(), compute_units);
    for (const found_device& each : divided.platform().devices) {
      known.push_back(new cl_device(m_device.functions(), divided, each));
    }
    return known;
  }

  void check_memory(const kernel_launch& launch) const override {
    check_local_memory(m_facts, launch, local_bytes_of(launch, items_of_group(launch)));
    check_group(load(m_device, *launch.code, *launch.kernel), launch);
  }
  device_natives* natives() noexcept override { return &m_natives; }

  std::unique_ptr<device_stream> make_stream(const stream_use& use) override {
    return std::make_unique<cl_stream>(m_device, use.measures);
  }
  std::unique_ptr<device_program> make_program(std::span<const program_step> steps, std::string& why) override {
    return cl_graph::make(m_device, m_command_buffers, steps, why);
  }
  const char* program_drawback() const noexcept override {
    // With Intel's driver 2026.2, a replay takes 1.3 to 1.5 times as long as single commands, and finalize 16 times as
    // long (benchmarks/README.md).
    return m_facts.is_cpu ? "OpenCL's drivers for CPUs take longer for command buffers" : nullptr;
  }
  bool has_addresses() const noexcept override { return m_device.memory().has_addresses(); }
  bool reaches(const device_backend& other) const noexcept override {
    return is_ordered_with(other) &&
           static_cast<const cl_device&>(other).m_device.memory().way() == m_device.memory().way();
  }

  void* allocate(memory_kind kind, std::size_t bytes, std::size_t alignment) override {
    return m_device.allocate(kind, bytes, alignment);
  }
  void deallocate(void* memory) noexcept override { m_device.deallocate(memory); }

private:
  void check_driver() const override { m_device.refuse_at_end("launching a kernel"); }
  /// For kernels from source: throws at submission if the driver refuses an argument.
  void check_launch(const kernel_launch& launch) const override {
    if ((launch.kernel->flags & abi::descriptor_from_source) == 0) return;
    set_native_arguments(load(m_device, *launch.code, *launch.kernel), launch);
  }

  void check_group(const loaded_program& loaded, const kernel_launch& launch) const {
    const std::uint64_t items = items_of_group(launch);
    if (loaded.most_items == 0 || items <= loaded.most_items) return;
    sycl::detail::throw_error(sycl::errc::memory_allocation,
                              "kernel '" + loaded.kernel + "' on device '" + m_facts.name + "': its groups have " +
                                  std::to_string(items) + " work-items, and the device has memory for " +
                                  std::to_string(loaded.most_items) +
                                  " of them; make work-groups or private arrays smaller");
  }

  mutable cl_device_context m_device;
  const command_buffers m_command_buffers;
  const cl_matrices m_matrices;
  const device_facts m_facts;
  const std::size_t m_parameter_bytes;
  const code_target m_target;
  cl_natives m_natives;
  std::mutex m_parts_mutex;
  std::map<std::vector<std::uint32_t>, std::vector<device_backend*>> m_parts;
};

}  // namespace

device_backend* device_in_context(cl_device_context& device, cl_context context) {
  struct foreign {
    platform_context* shared;
    std::map<cl_device_id, cl_device*> devices;
  };
  static std::mutex& mutex = *new std::mutex;
  // The contexts in this map stay retained, so that no other context can get the same address.
  static auto& known = *new std::map<cl_context, foreign>;
  if (!has_device(device, context)) return nullptr;
  std::lock_guard lock(mutex);
  foreign& its = known[context];
  if (!its.shared) its.shared = new platform_context(device.functions(), device.shared().platform(), context);
  cl_device*& made = its.devices[device.id()];
  if (!made) made = new cl_device(device.functions(), *its.shared, device.found());
  return made;
}

const std::vector<device_backend*>& opencl_devices() {
  static const auto* devices = [] {
    auto* list = new std::vector<device_backend*>;
    for (const found_platform& platform : find_platforms()) {
      const bool any = std::any_of(platform.devices.begin(), platform.devices.end(),
                                   [](const found_device& each) { return each.refused.empty(); });
      if (!any) continue;
      auto* shared = new platform_context(*find_loader(), platform);
      for (const found_device& device : platform.devices) {
        if (device.refused.empty()) list->push_back(new cl_device(*find_loader(), *shared, device));
      }
    }
    return list;
  }();
  return *devices;
}

driver_state state() {
  driver_state result{.label = "OpenCL", .driver = {}, .devices = {}, .icd_loader = ""};
  if (!find_loader()) {
    result.driver = loader_problem();
    return result;
  }
  result.icd_loader = loader_version();
  result.driver = find_platforms().empty() ? "a loader, and no drivers" : "by the ICD loader";
  if (!result.icd_loader->empty()) result.driver += " (" + *result.icd_loader + ")";
  for (const found_platform& platform : find_platforms()) {
    const std::string where = platform.name + " (" + platform.version + ")";
    if (platform.devices.empty()) result.devices.push_back(where + ": no devices");
    for (const found_device& device : platform.devices) {
      result.devices.push_back(where + ": " + device.name + ", driver " + driver_version(device) +
                               (device.refused.empty() ? std::string(": ") + text_of(device.memory)
                                                       : ": not used, because " + device.refused));
    }
  }
  return result;
}

}  // namespace sinter::opencl
