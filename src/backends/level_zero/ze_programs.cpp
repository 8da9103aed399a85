#include "ze_programs.hpp"

#include <abi/byte_count.hpp>
#include <algorithm>
#include <backends/driver_launch.hpp>
#include <backends/kernel_loading.hpp>
#include <cstring>
#include <images/spirv_module.hpp>
#include <limits>
#include <set>

#include <sycl/exception.hpp>

namespace sinter::level_zero {
namespace {

std::mutex& loading_kernels() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

/// Returns the SpecIds of a SPIR-V module. Throws if the module is malformed: Intel's driver of 2022 silently builds a
/// truncated module.
std::set<std::uint32_t> constants_of(const std::string& spirv) {
  spirv_facts facts;
  if (const std::string why = read_spirv(spirv.data(), spirv.size(), facts); !why.empty()) {
    sycl::detail::throw_error(sycl::errc::build, "a SPIR-V module is not whole: " + why);
  }
  std::set<std::uint32_t> ids;
  for (const spirv_constant& each : facts.constants) ids.insert(each.id);
  return ids;
}

/// The values of the module's specialization constants, in the driver's format. Other specialization constants are left
/// out.
struct constant_values {
  std::vector<std::uint32_t> ids;
  std::vector<const void*> values;

  constant_values() = default;
  constant_values(const std::set<std::uint32_t>& known, const abi::specialization_table& table) {
    std::uint32_t number = 0;
    for (std::uint32_t i = 0; i < table.count; ++i) {
      const auto& [key, value, size] = table.entries[i];
      const std::uint64_t unit = abi::specialization_unit(size);
      for (std::uint64_t at = 0; at < size; at += unit, ++number) {
        if (!known.contains(number)) continue;
        ids.push_back(number);
        values.push_back(static_cast<const char*>(value) + at);
      }
    }
  }
};

/// Returns options for the driver's compiler. With these options, results are the same as on other devices, even if the
/// code is slower.
std::string flags_for(const ze_device_context& device) {
  std::string flags;
  if ((device.modules().fp32flags & ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT) != 0) {
    flags += "-cl-fp32-correctly-rounded-divide-sqrt ";
  }
  if (device.has_large_allocations()) flags += "-ze-opt-greater-than-4GB-buffer-required ";
  return flags;
}

/// Holds a module, and destroys the module if a later step fails.
struct held_module {
  const loader& functions;
  ze_module_handle_t module = nullptr;
  ze_module_build_log_handle_t log = nullptr;
  held_module(const loader& its) : functions(its) {}
  held_module(const held_module&) = delete;
  ~held_module() {
    if (log) functions.zeModuleBuildLogDestroy(log);
    if (module) functions.zeModuleDestroy(module);
  }

  std::string log_text() const {
    std::size_t bytes = 0;
    if (!log || functions.zeModuleBuildLogGetString(log, &bytes, nullptr) != ZE_RESULT_SUCCESS) return {};
    std::string text(bytes, '\0');
    if (functions.zeModuleBuildLogGetString(log, &bytes, text.data()) != ZE_RESULT_SUCCESS) return {};
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    constexpr std::size_t enough = 2000;
    return text.size() > enough ? text.substr(0, enough) + "..." : text;
  }
};

template <class Words>
void make_module(ze_device_context& device, held_module& into, ze_module_format_t format, const std::string& input,
                 const constant_values* values, const Words& doing, const std::string& more = {}) {
  const std::string flags = flags_for(device) + more;
  ze_module_constants_t constants{};
  ze_module_desc_t wanted;
  wanted.format = format;
  wanted.inputSize = input.size();
  wanted.pInputModule = reinterpret_cast<const std::uint8_t*>(input.data());
  wanted.pBuildFlags = flags.c_str();
  if (values && !values->ids.empty()) {
    constants = {static_cast<std::uint32_t>(values->ids.size()), values->ids.data(),
                 const_cast<const void**>(values->values.data())};
    wanted.pConstants = &constants;
  }
  const ze_result_t result =
      device.functions().zeModuleCreate(device.context(), device.device(), &wanted, &into.module, &into.log);
  if (result != ZE_RESULT_SUCCESS) into.module = nullptr;
  device.check(result, [&] {
    const std::string log = into.log_text();
    return doing() + (log.empty() ? "" : " (" + log + ")");
  });
}

/// Creates the kernel object. Allows the kernel to access any memory whose address it finds in its data (indirect
/// access).
template <class Words>
ze_kernel_handle_t make_kernel(ze_device_context& device, ze_module_handle_t module, const std::string& name,
                               const Words& doing) {
  ze_kernel_desc_t wanted;
  wanted.pKernelName = name.c_str();
  ze_kernel_handle_t made = nullptr;
  device.check(device.functions().zeKernelCreate(module, &wanted, &made), doing);
  const ze_result_t result = device.functions().zeKernelSetIndirectAccess(
      made, ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST | ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE |
                ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED);
  if (result != ZE_RESULT_SUCCESS) device.functions().zeKernelDestroy(made);
  device.check(result, doing);
  return made;
}

}  // namespace

loaded_kernel::~loaded_kernel() {
  const loader& functions = device.functions();
  if (given) functions.zeKernelDestroy(given);
  if (function && !is_foreign) functions.zeKernelDestroy(function);
  if (module) functions.zeModuleDestroy(module);
  if (may_fail) may_fail->close();
  if (failure) device.deallocate(failure);
}

std::string build(ze_device_context& device, const std::string& spirv, const abi::specialization_table* values) {
  const driver_use use;
  const std::set<std::uint32_t> known = constants_of(spirv);
  const constant_values chosen(known, values ? *values : abi::specialization_table{});
  held_module made(device.functions());
  make_module(device, made, ZE_MODULE_FORMAT_IL_SPIRV, spirv, &chosen, [] { return std::string("building a kernel"); });
  const auto doing = [] { return std::string("asking for a kernel's binary"); };
  std::size_t bytes = 0;
  device.check(device.functions().zeModuleGetNativeBinary(made.module, &bytes, nullptr), doing);
  std::string binary(bytes, '\0');
  device.check(device.functions().zeModuleGetNativeBinary(made.module, &bytes,
                                                          reinterpret_cast<std::uint8_t*>(binary.data())),
               doing);
  return binary;
}

loaded_kernel& load(ze_device_context& device, const code_variant& code, const abi::kernel_descriptor& kernel) {
  gpu_program& program = *code.gpu;
  // The code is for this device only, so the loaded kernel is always in the first entry of `loaded`.
  return load_once<loaded_kernel>(program.loaded[0], loading_kernels(), [&] {
    const driver_use use;
    auto loaded = std::make_unique<loaded_kernel>(device);
    loaded->kernel = loaded_name(code, kernel);
    const loader& functions = device.functions();
    const auto doing = [&] { return loading_words(loaded->kernel, code); };
    held_module made(functions);
    make_module(device, made, ZE_MODULE_FORMAT_NATIVE, program.image, nullptr, doing);
    loaded->module = std::exchange(made.module, nullptr);
    loaded->function = make_kernel(device, loaded->module, program.entry, doing);
    functions.zeKernelGetProperties(loaded->function, &loaded->properties);
    if (program.can_fail) {
      loaded->failure = make_failure_record(
          device.allocate(memory_kind::host, sizeof(abi::gpu_failure), alignof(std::max_align_t)));
      loaded->may_fail = std::make_shared<failing_program>(loaded->kernel, loaded->failure);
    }
    return loaded;
  });
}

std::unique_ptr<loaded_kernel> load_from(ze_device_context& device, ze_module_handle_t module, const std::string& name,
                                         ze_kernel_handle_t known) {
  auto loaded = std::make_unique<loaded_kernel>(device);
  loaded->kernel = name;
  loaded->is_foreign = known;
  loaded->function = known ? known : make_kernel(device, module, name, [&] { return "loading kernel '" + name + "'"; });
  device.functions().zeKernelGetProperties(loaded->function, &loaded->properties);
  return loaded;
}

ze_kernel_handle_t kernel_to_give(loaded_kernel& loaded, const std::string& entry) {
  std::lock_guard lock(loaded.mutex);
  if (!loaded.given) {
    loaded.given = make_kernel(loaded.device, loaded.module, entry,
                               [&] { return "giving kernel '" + loaded.kernel + "'"; });
  }
  return loaded.given;
}

ze_module_handle_t build_source(ze_device_context& device, const kernel_source& source, std::string& log) {
  const driver_use use;
  const std::set<std::uint32_t> known = constants_of(source.text);
  constant_values chosen;
  for (const kernel_source::constant& each : source.constants) {
    if (!known.contains(each.id)) continue;
    chosen.ids.push_back(each.id);
    chosen.values.push_back(each.bytes.data());
  }
  held_module made(device.functions());
  try {
    make_module(device, made, ZE_MODULE_FORMAT_IL_SPIRV, source.text, &chosen,
                [] { return std::string("building kernels from source"); }, source.options);
  } catch (const sycl::exception& failed) {
    log = made.log_text();
    sycl::detail::throw_error(sycl::errc::build, failed.what());
  }
  log = made.log_text();
  return std::exchange(made.module, nullptr);
}

void unload(gpu_program& program) noexcept { delete static_cast<loaded_kernel*>(program.loaded[0].exchange(nullptr)); }

namespace {

/// Returns the largest number up to `most` that divides the range.
std::uint32_t divisor(std::uint64_t range, std::uint64_t most) {
  for (std::uint64_t size = std::min(range, most); size > 1; --size) {
    if (range % size == 0) return static_cast<std::uint32_t>(size);
  }
  return 1;
}

/// Returns the number of whole groups in a range. Most groups have one work-item in most dimensions, and divisions are
/// slow.
std::uint64_t groups_in(std::uint64_t range, std::uint64_t size) noexcept { return size == 1 ? range : range / size; }

/// If a range is padded, its last dimension is padded to a multiple of this number.
constexpr std::uint64_t padded_row = 64;
/// Groups with this number of work-items are large enough to keep a device busy.
constexpr std::uint64_t useful_group = 32;

}  // namespace

bool are_padded(std::span<const kernel_launch* const> together) noexcept {
  constexpr std::uint64_t usual = 256;
  const kernel_launch& first = *together.front();
  for (const kernel_launch* each : together) {
    // If the members of a fused list have different ranges, the fused code itself checks which work-items are in each
    // member's range.
    if (each->kernel->shape != abi::kernel_shape::range ||
        !std::equal(each->global_range, each->global_range + 3, first.global_range)) {
      return false;
    }
  }
  if (first.global_range[2] <= useful_group) return false;
  const std::uint64_t row = divisor(first.global_range[2], usual);
  return row * divisor(first.global_range[1], usual / row) < useful_group;
}

prepared_launch::prepared_launch(const kernel_launch& launch)
    : from_source(!launch.blocks && (launch.kernel->flags & abi::descriptor_from_source) != 0),
      block(launch.block),
      bytes(launch.kernel->block_size),
      grouped(launch.blocks ? launch.code->grouped : launch.kernel->shape == abi::kernel_shape::nd_range),
      local_bytes(std::max<std::uint64_t>(local_bytes_of(launch, items_of_group(launch)), 8)) {
  if (launch.blocks) {
    m_copy.resize(abi::spirv_parameter_bytes(block_bytes(launch)));
    bytes = join_blocks(launch, m_copy.data());
    block = m_copy.data();
  } else if (!from_source && (bytes % 8 != 0 || bytes == 0)) {
    // Arguments that are passed by value must consist of whole words of 8 bytes.
    m_copy.resize(abi::spirv_parameter_bytes(bytes));
    std::memcpy(m_copy.data(), block, bytes);
    block = m_copy.data();
  }
  std::uint64_t groups = 1, items = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint64_t size = grouped ? launch.local_range[d] : 1;
    offset[2 - d] = launch.global_offset[d];
    global[2 - d] = launch.global_range[d];
    local[2 - d] = size;
    geometry.global_range[d] = launch.global_range[d];
    geometry.global_offset[d] = launch.global_offset[d];
    geometry.group_range[d] = groups_in(launch.global_range[d] + size - 1, size);
    groups *= geometry.group_range[d];
    items *= size;
  }
  geometry.globals = reinterpret_cast<std::uint64_t>(launch.globals);
  if (!from_source && !grouped && !launch.code->gpu->linear_groups && launch.code->made_for.launches.folded) {
    global[0] = (global[0] + padded_row - 1) / padded_row * padded_row;
  }
  if (!from_source && launch.code->gpu->linear_groups) {
    offset[0] = offset[1] = offset[2] = 0;
    global[0] = groups * items;
    local[0] = items;
    global[1] = global[2] = local[1] = local[2] = 1;
  }
}

namespace {

bool divides(const ze_range& group, const std::uint64_t (&range)[3]) {
  for (int d = 0; d < 3; ++d) {
    if (group.size[d] == 0 || range[d] % group.size[d] != 0) return false;
  }
  return true;
}

/// Chooses the size of the groups if the kernel's range has no groups. Level Zero launches only whole groups, so the
/// size has to divide the range. Called under the kernel's mutex.
ze_range groups_for(loaded_kernel& loaded, const std::uint64_t (&global)[3]) {
  const ze_range required{{loaded.properties.requiredGroupSizeX, loaded.properties.requiredGroupSizeY,
                           loaded.properties.requiredGroupSizeZ}};
  if (required.size[0] != 0) return required;
  const ze_device_compute_properties_t& most = loaded.device.compute();
  const ze_range range{{static_cast<std::uint32_t>(global[0]), static_cast<std::uint32_t>(global[1]),
                        static_cast<std::uint32_t>(global[2])}};
  const bool is_narrow = std::all_of(std::begin(global), std::end(global), [](std::uint64_t each) {
    return each <= std::numeric_limits<std::uint32_t>::max();
  });
  if (is_narrow && loaded.suggested.size[0] != 0 && loaded.suggested_for == range) return loaded.suggested;
  ze_range group{};
  const bool is_suggested =
      is_narrow && loaded.device.functions().zeKernelSuggestGroupSize(
                       loaded.function, range.size[0], range.size[1], range.size[2], &group.size[0], &group.size[1],
                       &group.size[2]) == ZE_RESULT_SUCCESS;
  // Some drivers suggest only powers of two, which may not divide the range.
  const bool is_useful = is_suggested && divides(group, global) &&
                         std::uint64_t{group.size[0]} * group.size[1] * group.size[2] >= useful_group;
  if (!is_useful) {
    constexpr std::uint64_t usual = 256;
    const std::uint64_t all = std::min<std::uint64_t>(usual, most.maxTotalGroupSize);
    group.size[0] = divisor(global[0], std::min<std::uint64_t>(all, most.maxGroupSizeX));
    group.size[1] = divisor(global[1], std::min<std::uint64_t>(all / group.size[0], most.maxGroupSizeY));
    group.size[2] = 1;
  }
  if (is_narrow) {
    loaded.suggested_for = range;
    loaded.suggested = group;
  }
  return group;
}

[[noreturn]] void refuse_range(const loaded_kernel& loaded, const std::string& why) {
  sycl::detail::throw_error(sycl::errc::feature_not_supported,
                            "kernel '" + loaded.kernel + "' on device '" + loaded.device.name() + "': " + why);
}

}  // namespace

namespace {

/// Sets the arguments of a kernel from source. Called under the kernel's mutex.
void set_native_arguments(loaded_kernel& loaded, const void* block) {
  const auto* bytes = static_cast<const char*>(block);
  std::uint64_t count = 0;
  std::memcpy(&count, bytes, sizeof(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    native_argument each;
    std::memcpy(&each, bytes + sizeof(count) + i * sizeof(each), sizeof(each));
    const void* value = bytes + each.offset;
    std::size_t size = each.bytes;
    if (each.what == native_argument::kind::local_memory) value = nullptr;
    if (each.what == native_argument::kind::pointer) {
      const void* pointer = nullptr;
      std::memcpy(&pointer, value, sizeof(pointer));
      size = sizeof(pointer);
      if (!pointer) value = nullptr;
    }
    const ze_result_t result =
        loaded.device.functions().zeKernelSetArgumentValue(loaded.function, each.index, size, value);
    if (result == ZE_RESULT_SUCCESS) continue;
    sycl::detail::throw_error(sycl::errc::kernel_argument,
                              "kernel '" + loaded.kernel + "' on device '" + loaded.device.name() + "': argument " +
                                  std::to_string(each.index) + " can't have " + std::to_string(each.bytes) +
                                  " bytes (" + text_of(result) + "); give it in the type of the kernel's parameter");
  }
}

/// Throws if the launch has another group size than the kernel's source requires.
void check_required_groups(const loaded_kernel& loaded, const prepared_launch& range) {
  const std::uint32_t wanted[] = {loaded.properties.requiredGroupSizeX, loaded.properties.requiredGroupSizeY,
                                  loaded.properties.requiredGroupSizeZ};
  for (std::size_t d = 0; d < 3 && wanted[0] != 0; ++d) {
    if (range.grouped ? range.local[d] == wanted[d] : range.global[d] % wanted[d] == 0) continue;
    sycl::detail::throw_error(sycl::errc::nd_range,
                              "kernel '" + loaded.kernel + "' on device '" + loaded.device.name() +
                                  "': the range does not have the work-groups that its source requires " +
                                  "(reqd_work_group_size)");
  }
}

}  // namespace

void check_range(loaded_kernel& loaded, const kernel_launch& launch) {
  const prepared_launch prepared(launch);
  if (prepared.from_source) {
    check_required_groups(loaded, prepared);
    std::lock_guard lock(loaded.mutex);
    set_native_arguments(loaded, launch.block);
  }
  const ze_device_compute_properties_t& most = loaded.device.compute();
  const std::uint64_t most_groups[3] = {most.maxGroupCountX, most.maxGroupCountY, most.maxGroupCountZ};
  bool has_offset = false;
  for (int d = 0; d < 3; ++d) {
    has_offset = has_offset || prepared.offset[d] != 0;
    if (prepared.offset[d] > std::numeric_limits<std::uint32_t>::max()) {
      refuse_range(loaded, "its range begins behind 4294967295, and Level Zero's offsets have 32 bits");
    }
    // If the range has no groups, groups_for chooses their size at the launch.
    const std::uint64_t groups = groups_in(prepared.global[d], prepared.local[d]);
    if (groups > most_groups[d] && prepared.grouped) {
      refuse_range(loaded, "it has " + std::to_string(groups) + " work-groups in a dimension, and the device has " +
                               std::to_string(most_groups[d]) + "; make work-groups larger");
    }
  }
  if (has_offset && !loaded.device.functions().zeKernelSetGlobalOffsetExp) {
    refuse_range(loaded, "its driver has no offsets of ranges (ZE_experimental_global_offset); add the offset in the "
                         "kernel");
  }
}

launch_shape shape_of(loaded_kernel& loaded, const prepared_launch& prepared) {
  launch_shape result{};
  for (int d = 0; d < 3; ++d) result.group.size[d] = static_cast<std::uint32_t>(prepared.local[d]);
  if (!prepared.grouped) result.group = groups_for(loaded, prepared.global);
  const ze_device_compute_properties_t& most = loaded.device.compute();
  const std::uint64_t most_groups[3] = {most.maxGroupCountX, most.maxGroupCountY, most.maxGroupCountZ};
  std::uint32_t groups[3];
  for (int d = 0; d < 3; ++d) {
    const std::uint64_t count = groups_in(prepared.global[d], result.group.size[d]);
    if (count > most_groups[d]) {
      refuse_range(loaded, "its range has no groups that the device could launch; give it as an nd_range");
    }
    groups[d] = static_cast<std::uint32_t>(count);
    result.offset.size[d] = static_cast<std::uint32_t>(prepared.offset[d]);
  }
  result.count = {groups[0], groups[1], groups[2]};
  return result;
}

void append(ze_command_list_handle_t list, loaded_kernel& loaded, const kernel_launch& launch, void* block,
            ze_event_handle_t signalled, std::span<ze_event_handle_t> awaited) {
  const prepared_launch prepared(launch);
  const ze_device_context& device = loaded.device;
  const loader& functions = device.functions();
  const auto doing = [&] { return "launching kernel '" + loaded.kernel + "'"; };
  const auto set = [&](std::uint32_t index, std::size_t bytes, const void* value) {
    device.check(functions.zeKernelSetArgumentValue(loaded.function, index, bytes, value), doing);
  };
  if (block) std::memcpy(block, prepared.block, prepared.bytes);
  std::lock_guard lock(loaded.mutex);
  if (prepared.from_source) {
    set_native_arguments(loaded, launch.block);
  } else {
    if (block) {
      set(0, sizeof(block), &block);
    } else {
      set(0, abi::spirv_parameter_bytes(prepared.bytes), prepared.block);
    }
    // A single call of the driver takes a tenth of this function's time, so arguments that did not change are not set
    // again.
    const bool is_first = loaded.local_bytes == 0;
    if (is_first || std::memcmp(&loaded.geometry, &prepared.geometry, sizeof(prepared.geometry)) != 0) {
      set(1, sizeof(prepared.geometry), &prepared.geometry);
      loaded.geometry = prepared.geometry;
    }
    // If there is no failure record, the kernel's argument is a null pointer. In this case, the driver gets null
    // instead of a pointer to the argument's value, because Intel's driver of 2022 refuses a pointer to a null pointer.
    if (is_first) set(3, sizeof(loaded.failure), loaded.failure ? &loaded.failure : nullptr);
    if (loaded.local_bytes != prepared.local_bytes) set(2, prepared.local_bytes, nullptr);
    loaded.local_bytes = prepared.local_bytes;
  }
  const auto [group, offset, count] = shape_of(loaded, prepared);
  // If the kernel was built from source, the user's program may have changed the kernel's group size.
  if (prepared.from_source || group != loaded.group) {
    device.check(functions.zeKernelSetGroupSize(loaded.function, group.size[0], group.size[1], group.size[2]), doing);
    loaded.group = group;
  }
  if (offset != loaded.offset) {
    device.check(
        functions.zeKernelSetGlobalOffsetExp(loaded.function, offset.size[0], offset.size[1], offset.size[2]), doing);
    loaded.offset = offset;
  }
  device.check(functions.zeCommandListAppendLaunchKernel(list, loaded.function, &count, signalled,
                                                         static_cast<std::uint32_t>(awaited.size()), awaited.data()),
               doing);
}

bool is_filled_by_driver(const ze_device_context::engine& engine, const memory_fill& fill) noexcept {
  const std::size_t size = fill.pattern_bytes;
  return (size & (size - 1)) == 0 && size <= engine.longest_pattern &&
         reinterpret_cast<std::uintptr_t>(fill.destination) % size == 0;
}

}  // namespace sinter::level_zero
