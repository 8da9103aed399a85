/// Modules and kernels.

#include <algorithm>
#include <cstring>

#include "judge.hpp"
#include "objects.hpp"

namespace judge {
namespace {

std::vector<std::uint32_t> words_of(const std::string& bytes) {
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

/// The header of a native binary. The SPIR-V module and OpenCL's binary follow the header.
struct native_header {
  std::uint64_t stepping, module_bytes;
};

cl_program from_native(const ze_module_desc_t& wanted, std::string& spirv) {
  const cl_core& core = *find_core();
  native_header header;
  if (wanted.inputSize < sizeof(header)) return nullptr;
  std::memcpy(&header, wanted.pInputModule, sizeof(header));
  if (header.stepping != stepping()) return nullptr;
  if (header.module_bytes > wanted.inputSize - sizeof(header)) return nullptr;
  spirv.assign(reinterpret_cast<const char*>(wanted.pInputModule) + sizeof(header), header.module_bytes);
  const unsigned char* binary = wanted.pInputModule + sizeof(header) + header.module_bytes;
  const std::size_t left = wanted.inputSize - sizeof(header) - header.module_bytes;
  return clCreateProgramWithBinary(core.context, 1, &core.device, &left, &binary, nullptr, nullptr);
}

/// Names a feature that the module needs and the device lacks. Returns null if the device has all features.
const char* missing_for(const std::string& spirv) {
  constexpr std::uint32_t capability = 17, half = 9, with_double = 10, wide_atomics = 12;
  const std::vector<std::uint32_t> words = words_of(spirv);
  for (std::size_t at = 5; at + 1 < words.size() && (words[at] & 0xffff) == capability; at += words[at] >> 16) {
    if (words[at + 1] == half && !has_halves()) return "the device has no halves";
    if (words[at + 1] == with_double && !has_doubles()) return "the device has no doubles";
    if (words[at + 1] == wide_atomics && !has_wide_atomics()) return "the device has no atomics of 64 bits";
  }
  return nullptr;
}

/// Sets specialization constants. The module contains a constant's value in as many words as the constant's type needs,
/// but the program may give a shorter value.
void put_constants(cl_program program, const ze_module_constants_t& constants, const std::string& spirv) {
  constexpr std::uint32_t decorate = 71, spec_id = 1, spec_constant = 50, spec_true = 48, spec_false = 49;
  constexpr std::uint32_t int_type = 21, float_type = 22;
  const std::vector<std::uint32_t> words = words_of(spirv);
  std::map<std::uint32_t, std::uint32_t> numbers, bits;
  for (std::uint32_t i = 0; i < constants.numConstants; ++i) {
    bool is_known = false;
    for (std::size_t at = 5; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16) {
      const std::uint32_t operation = words[at] & 0xffff;
      if (operation == decorate && words[at + 2] == spec_id) numbers[words[at + 1]] = words[at + 3];
      if (operation == int_type || operation == float_type) bits[words[at + 1]] = words[at + 2];
      const bool is_flag = operation == spec_true || operation == spec_false;
      if ((operation != spec_constant && !is_flag) || !numbers.contains(words[at + 2]) ||
          numbers[words[at + 2]] != constants.pConstantIds[i]) {
        continue;
      }
      is_known = true;
      clSetProgramSpecializationConstant(program, constants.pConstantIds[i],
                                         is_flag ? 1 : bits[words[at + 1]] / 8, constants.pConstantValues[i]);
    }
    if (!is_known) refuse("a specialization constant is set that the module has not");
  }
}

ze_result_t make_module(ze_context_handle_t, ze_device_handle_t, const ze_module_desc_t* wanted,
                        ze_module_handle_t* made, ze_module_build_log_handle_t* log) {
  if (wanted->stype != ZE_STRUCTURE_TYPE_MODULE_DESC) refuse("a structure has no type");
  if (const int code = exit_of_compiler()) std::exit(code);
  const cl_core& core = *find_core();
  auto* const its = new module;
  if (wanted->format == ZE_MODULE_FORMAT_IL_SPIRV) {
    its->spirv.assign(reinterpret_cast<const char*>(wanted->pInputModule), wanted->inputSize);
    its->program = clCreateProgramWithIL(core.context, its->spirv.data(), its->spirv.size(), nullptr);
    if (its->program && wanted->pConstants) put_constants(its->program, *wanted->pConstants, its->spirv);
  } else {
    its->program = from_native(*wanted, its->spirv);
  }
  its->kernels = kernels_of(words_of(its->spirv), newest_module());
  std::string flags = wanted->pBuildFlags ? wanted->pBuildFlags : "";
  cl_int result = CL_INVALID_PROGRAM;
  const char* const missing = missing_for(its->spirv);
  if (its->program && !its->kernels.empty() && !missing) {
    result = clBuildProgram(its->program, 1, &core.device, flags.c_str(), nullptr, nullptr);
  }
  if (log) {
    auto* const text = new build_log;
    std::size_t bytes = 0;
    if (missing) {
      text->text = missing;
    } else if (its->program) {
      clGetProgramBuildInfo(its->program, core.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
      text->text.resize(bytes);
      clGetProgramBuildInfo(its->program, core.device, CL_PROGRAM_BUILD_LOG, bytes, text->text.data(), nullptr);
    } else {
      text->text = "it is no module";
    }
    *log = reinterpret_cast<ze_module_build_log_handle_t>(text);
  }
  if (result != CL_SUCCESS) {
    if (its->program) clReleaseProgram(its->program);
    delete its;
    return wanted->format == ZE_MODULE_FORMAT_NATIVE ? ZE_RESULT_ERROR_INVALID_NATIVE_BINARY
                                                     : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
  }
  *made = reinterpret_cast<ze_module_handle_t>(its);
  return ZE_RESULT_SUCCESS;
}
ze_result_t destroy_module(ze_module_handle_t handle) {
  auto& its = of<module>(handle);
  if (its.made_kernels != 0) refuse("a module is destroyed that has kernels");
  clReleaseProgram(its.program);
  delete &its;
  return ZE_RESULT_SUCCESS;
}
ze_result_t get_binary(ze_module_handle_t handle, std::size_t* bytes, std::uint8_t* binary) {
  auto& its = of<module>(handle);
  std::size_t native = 0;
  clGetProgramInfo(its.program, CL_PROGRAM_BINARY_SIZES, sizeof(native), &native, nullptr);
  const native_header header{stepping(), its.spirv.size()};
  if (binary) {
    std::memcpy(binary, &header, sizeof(header));
    std::memcpy(binary + sizeof(header), its.spirv.data(), header.module_bytes);
    unsigned char* place = binary + sizeof(header) + header.module_bytes;
    clGetProgramInfo(its.program, CL_PROGRAM_BINARIES, sizeof(place), &place, nullptr);
  }
  *bytes = sizeof(header) + header.module_bytes + native;
  return ZE_RESULT_SUCCESS;
}
ze_result_t get_log(ze_module_build_log_handle_t handle, std::size_t* bytes, char* text) {
  const std::string& its = of<build_log>(handle).text;
  if (text) std::memcpy(text, its.c_str(), std::min(*bytes, its.size() + 1));
  *bytes = its.size() + 1;
  return ZE_RESULT_SUCCESS;
}
ze_result_t destroy_log(ze_module_build_log_handle_t handle) {
  delete &of<build_log>(handle);
  return ZE_RESULT_SUCCESS;
}

ze_result_t make_kernel(ze_module_handle_t handle, const ze_kernel_desc_t* wanted, ze_kernel_handle_t* made) {
  auto& its = of<module>(handle);
  const auto found = its.kernels.find(wanted->pKernelName);
  cl_kernel native = found == its.kernels.end() ? nullptr : clCreateKernel(its.program, wanted->pKernelName, nullptr);
  if (!native) return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
  auto* const kernel = new judge::kernel;
  kernel->of = &its;
  ++its.made_kernels;
  kernel->name = found->first;
  kernel->facts = &found->second;
  kernel->native = native;
  kernel->arguments.resize(found->second.parameters.size());
  *made = reinterpret_cast<ze_kernel_handle_t>(kernel);
  return ZE_RESULT_SUCCESS;
}
ze_result_t destroy_kernel(ze_kernel_handle_t handle) {
  clReleaseKernel(of<kernel>(handle).native);
  --of<kernel>(handle).of->made_kernels;
  delete &of<kernel>(handle);
  return ZE_RESULT_SUCCESS;
}

bool has_group(const kernel& its, const std::array<std::uint32_t, 3>& group) {
  const std::uint32_t* const wanted = its.facts->group;
  const std::uint64_t items = std::uint64_t{group[0]} * group[1] * group[2];
  return items != 0 && items <= most_group_items && (wanted[0] == 0 || std::equal(group.begin(), group.end(), wanted));
}

ze_result_t set_group(ze_kernel_handle_t handle, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  auto& its = of<kernel>(handle);
  if (!has_group(its, {x, y, z})) return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
  its.group = {x, y, z};
  return ZE_RESULT_SUCCESS;
}
ze_result_t suggest_group(ze_kernel_handle_t handle, std::uint32_t x, std::uint32_t y, std::uint32_t, std::uint32_t* gx,
                          std::uint32_t* gy, std::uint32_t* gz) {
  const std::uint32_t* const wanted = of<kernel>(handle).facts->group;
  const auto largest = [](std::uint32_t range, std::uint32_t most) {
    std::uint32_t size = std::max(std::min(range, most), 1u);
    while (range % size != 0) --size;
    return size;
  };
  *gx = wanted[0] != 0 ? wanted[0] : largest(x, 64);
  *gy = wanted[0] != 0 ? wanted[1] : largest(y, 4);
  *gz = wanted[0] != 0 ? wanted[2] : 1;
  return ZE_RESULT_SUCCESS;
}

/// Returns whether the value contains a pointer to memory of the driver: checks each word of the value.
bool has_pointers(const std::string& value) {
  for (std::size_t at = 0; at + sizeof(void*) <= value.size(); at += sizeof(void*)) {
    void* address = nullptr;
    std::memcpy(&address, value.data() + at, sizeof(address));
    if (allocation_of(address).bytes != 0) return true;
  }
  return false;
}

ze_result_t set(const kernel_facts& facts, std::vector<argument>& arguments, std::uint32_t index, std::size_t bytes,
                const void* value) {
  if (index >= arguments.size()) return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
  const parameter& known = facts.parameters[index];
  argument& set = arguments[index];
  if (known.what == parameter::kind::local) {
    if (value) refuse("local memory is an argument with a value");
    if (bytes == 0) return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
    set = {true, {}, bytes};
    return ZE_RESULT_SUCCESS;
  }
  if (bytes != known.bytes) return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
  if (!value && known.what == parameter::kind::value) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  set = {true, value ? std::string(static_cast<const char*>(value), bytes) : std::string(bytes, '\0'), 0};
  if (known.what == parameter::kind::pointer) {
    void* address = nullptr;
    std::memcpy(&address, set.value.data(), sizeof(address));
    // Like Intel's driver, this test driver refuses a pointer to a null pointer. To pass a null pointer to a kernel,
    // `value` itself has to be null.
    if (value && !address) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (address && allocation_of(address).bytes == 0) {
      refuse("an argument points to memory that is none of the driver's");
    }
  }
  return ZE_RESULT_SUCCESS;
}
ze_result_t set_argument(ze_kernel_handle_t handle, std::uint32_t index, std::size_t bytes, const void* value) {
  return set(*of<kernel>(handle).facts, of<kernel>(handle).arguments, index, bytes, value);
}
ze_result_t set_indirect(ze_kernel_handle_t handle, ze_kernel_indirect_access_flags_t flags) {
  constexpr ze_kernel_indirect_access_flags_t all = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST |
                                                    ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE |
                                                    ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
  of<kernel>(handle).indirect = flags == all;
  return ZE_RESULT_SUCCESS;
}
ze_result_t set_offset(ze_kernel_handle_t handle, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  of<kernel>(handle).offset = {x, y, z};
  return ZE_RESULT_SUCCESS;
}
ze_result_t get_kernel(ze_kernel_handle_t handle, ze_kernel_properties_t* its) {
  if (its->stype != ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES) refuse("a structure has no type");
  const kernel& known = of<kernel>(handle);
  its->numKernelArgs = static_cast<std::uint32_t>(known.arguments.size());
  its->requiredGroupSizeX = known.facts->group[0];
  its->requiredGroupSizeY = known.facts->group[1];
  its->requiredGroupSizeZ = known.facts->group[2];
  its->requiredSubgroupSize = known.facts->sub_group;
  its->maxSubgroupSize = known.facts->sub_group != 0 ? known.facts->sub_group : 16;
  its->maxNumSubgroups = most_group_items / its->maxSubgroupSize;
  return ZE_RESULT_SUCCESS;
}

ze_result_t get_name(ze_kernel_handle_t handle, std::size_t* bytes, char* name) {
  const std::string& its = of<kernel>(handle).name;
  if (name) std::memcpy(name, its.c_str(), std::min(*bytes, its.size() + 1));
  *bytes = its.size() + 1;
  return ZE_RESULT_SUCCESS;
}
ze_result_t get_names(ze_module_handle_t handle, std::uint32_t* count, const char** names) {
  const auto& its = of<module>(handle).kernels;
  std::uint32_t at = 0;
  for (const auto& each : its) {
    if (names && at < *count) names[at] = each.first.c_str();
    ++at;
  }
  *count = names ? std::min(*count, at) : at;
  return ZE_RESULT_SUCCESS;
}

/// Returns the allocations that the arguments use: those to which a word of an argument points.
std::vector<use> uses_of(const std::vector<argument>& arguments) {
  std::vector<use> result;
  for (const argument& each : arguments) {
    for (std::size_t at = 0; at + sizeof(void*) <= each.value.size(); at += sizeof(void*)) {
      void* address = nullptr;
      std::memcpy(&address, each.value.data() + at, sizeof(address));
      const allocation known = allocation_of(address);
      if (known.bytes != 0) result.push_back({known.begin, known.bytes, true, false});
    }
  }
  return result;
}

ze_result_t append_launch(ze_command_list_handle_t list, ze_kernel_handle_t handle, const ze_group_count_t* groups,
                          ze_event_handle_t signalled, std::uint32_t count, ze_event_handle_t* awaited) {
  const kernel& its = of<kernel>(handle);
  auto& to = of<command_list>(list);
  if (to.only_copies) refuse("a kernel is launched by a list for copies");
  if (loses_device()) is_lost() = true;
  if (its.group[0] == 0) refuse("a kernel is launched whose groups have no size");
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < its.arguments.size(); ++i) {
    if (!its.arguments[i].is_set) refuse("a kernel is launched with an argument that is not set");
    bytes += its.arguments[i].value.size();
    const bool is_value = its.facts->parameters[i].what == parameter::kind::value;
    if (is_value && !its.indirect && has_pointers(its.arguments[i].value)) {
      refuse("a kernel has pointers in a value, and nobody allowed it to use them");
    }
  }
  if (bytes > most_arguments()) refuse("a kernel has more bytes of arguments than the device takes");
  const std::uint32_t counts_of[] = {groups->groupCountX, groups->groupCountY, groups->groupCountZ};
  auto launch = std::make_shared<bound_kernel>(
      bound_kernel{its.native, its.facts, its.arguments, {}, {}, {}, its.indirect});
  for (std::size_t d = 0; d < 3; ++d) {
    if (counts_of[d] == 0) refuse("a kernel is launched in no groups");
    launch->offset[d] = its.offset[d];
    launch->local[d] = its.group[d];
    launch->global[d] = std::size_t{its.group[d]} * counts_of[d];
  }
  counts().groups += std::uint64_t{counts_of[0]} * counts_of[1] * counts_of[2];
  append_launch(to, std::move(launch), uses_of(its.arguments), reinterpret_cast<event*>(signalled), count, awaited);
  return ZE_RESULT_SUCCESS;
}

ze_result_t next_number(ze_command_list_handle_t handle,
                        const sinter::level_zero::ze_mutable_command_id_exp_desc_t* wanted, std::uint64_t* number) {
  namespace ours = sinter::level_zero;
  auto& list = of<command_list>(handle);
  if (!list.is_mutable || list.is_closed) refuse("a list that can't be changed is asked for the number of a command");
  if (wanted->stype != ours::ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC) refuse("a structure has no type");
  if (wanted->flags != ours::mutable_launches) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
  *number = list.next_number = list.recorded.size() + 1;
  return ZE_RESULT_SUCCESS;
}

/// Applies the counts and sizes of groups only after it has read all changes, because in a list of changes, the size
/// may come after the count.
ze_result_t change_launches(ze_command_list_handle_t handle,
                            const sinter::level_zero::ze_mutable_commands_exp_desc_t* changes) {
  namespace ours = sinter::level_zero;
  auto& list = of<command_list>(handle);
  if (!list.is_mutable || !list.is_closed) refuse("a list that can't be changed, or is not closed, is changed");
  ++counts().changes;
  check_idle(list, "a list is changed while it runs");
  std::map<recorded_command*, std::array<std::size_t, 3>> counts;
  ze_result_t result = ZE_RESULT_SUCCESS;
  const auto launch_of = [&](std::uint64_t number) -> bound_kernel& {
    if (number == 0 || number > list.recorded.size() || list.recorded[number - 1].number != number) {
      refuse("a command is changed that is none, or has no number");
    }
    recorded_command& its = list.recorded[number - 1];
    if (!its.launch) refuse("a command is changed that is no launch");
    auto& count = counts[&its];
    if (count[0] == 0) {
      for (std::size_t d = 0; d < 3; ++d) count[d] = its.launch->global[d] / its.launch->local[d];
    }
    return *its.launch;
  };
  struct header {
    ours::ze_structure_type_t stype;
    const void* pNext;
  };
  for (auto* each = static_cast<const header*>(changes->pNext); each; each = static_cast<const header*>(each->pNext)) {
    const void* const its = each;
    if (each->stype == ours::ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC) {
      const auto& change = *static_cast<const ours::ze_mutable_kernel_argument_exp_desc_t*>(its);
      bound_kernel& launch = launch_of(change.commandId);
      const ze_result_t now =
          set(*launch.facts, launch.arguments, change.argIndex, change.argSize, change.pArgValue);
      if (now != ZE_RESULT_SUCCESS) result = now;
    } else if (each->stype == ours::ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC) {
      const auto& change = *static_cast<const ours::ze_mutable_group_count_exp_desc_t*>(its);
      launch_of(change.commandId);
      counts[&list.recorded[change.commandId - 1]] = {change.pGroupCount->groupCountX, change.pGroupCount->groupCountY,
                                                      change.pGroupCount->groupCountZ};
    } else if (each->stype == ours::ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC) {
      const auto& change = *static_cast<const ours::ze_mutable_group_size_exp_desc_t*>(its);
      bound_kernel& launch = launch_of(change.commandId);
      launch.local[0] = change.groupSizeX;
      launch.local[1] = change.groupSizeY;
      launch.local[2] = change.groupSizeZ;
    } else if (each->stype == ours::ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC) {
      const auto& change = *static_cast<const ours::ze_mutable_global_offset_exp_desc_t*>(its);
      bound_kernel& launch = launch_of(change.commandId);
      launch.offset[0] = change.offsetX;
      launch.offset[1] = change.offsetY;
      launch.offset[2] = change.offsetZ;
    } else {
      refuse("a change of a list has no type");
    }
  }
  for (auto& [changed, count] : counts) {
    for (std::size_t d = 0; d < 3; ++d) changed->launch->global[d] = changed->launch->local[d] * count[d];
    changed->uses = uses_of(changed->launch->arguments);
  }
  // After a change, the command list is open again, and the program has to close the list.
  list.is_closed = false;
  return result;
}

}  // namespace

void* newer_kernel_function(const std::string& name) {
  if (name == "zeCommandListGetNextCommandIdExp") return reinterpret_cast<void*>(next_number);
  if (name == "zeCommandListUpdateMutableCommandsExp") return reinterpret_cast<void*>(change_launches);
  return nullptr;
}

void fill(ze_module_dditable_t& table) {
  table.pfnCreate = make_module;
  table.pfnDestroy = destroy_module;
  table.pfnGetNativeBinary = get_binary;
  table.pfnGetKernelNames = get_names;
}

void fill(ze_module_build_log_dditable_t& table) {
  table.pfnDestroy = destroy_log;
  table.pfnGetString = get_log;
}

void fill(ze_kernel_dditable_t& table) {
  table.pfnCreate = make_kernel;
  table.pfnDestroy = destroy_kernel;
  table.pfnSetGroupSize = set_group;
  table.pfnSuggestGroupSize = suggest_group;
  table.pfnSetArgumentValue = set_argument;
  table.pfnSetIndirectAccess = set_indirect;
  table.pfnGetProperties = get_kernel;
  table.pfnGetName = get_name;
}

void fill(ze_kernel_exp_dditable_t& table) { table.pfnSetGlobalOffsetExp = set_offset; }

void add_launch(ze_command_list_dditable_t& table) { table.pfnAppendLaunchKernel = append_launch; }

}  // namespace judge
