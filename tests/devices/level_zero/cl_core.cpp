#include "cl_core.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <mutex>

#include "judge.hpp"

namespace judge {
namespace {

cl_core* open_core() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return nullptr;
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  for (cl_platform_id each : platforms) {
    cl_core found;
    found.platform = each;
    if (clGetDeviceIDs(each, CL_DEVICE_TYPE_ALL, 1, &found.device, nullptr) != CL_SUCCESS) continue;
    if (found.text(CL_DEVICE_IL_VERSION).find("SPIR-V") == std::string::npos) continue;
    const auto find = [&](auto& place, const char* name) {
      place = reinterpret_cast<std::remove_reference_t<decltype(place)>>(
          clGetExtensionFunctionAddressForPlatform(each, name));
    };
    find(found.allocate_host, "clHostMemAllocINTEL");
    find(found.allocate_device, "clDeviceMemAllocINTEL");
    find(found.allocate_shared, "clSharedMemAllocINTEL");
    find(found.free, "clMemBlockingFreeINTEL");
    find(found.set_pointer, "clSetKernelArgMemPointerINTEL");
    if (!found.set_pointer || !found.free) continue;
    cl_int result = CL_SUCCESS;
    found.context = clCreateContext(nullptr, 1, &found.device, nullptr, nullptr, &result);
    if (result == CL_SUCCESS) return new cl_core(found);
  }
  return nullptr;
}

// Numbers of opcodes, decorations and storage classes in SPIR-V.
enum : std::uint32_t {
  op_entry_point = 15,
  op_execution_mode = 16,
  op_type_bool = 20,
  op_type_int = 21,
  op_type_float = 22,
  op_type_vector = 23,
  op_type_array = 28,
  op_type_struct = 30,
  op_type_pointer = 32,
  op_type_function = 33,
  op_constant = 43,
  op_function = 54,
  mode_local_size = 17,
  mode_sub_group_size = 35,
  storage_work_group = 4,
  storage_function = 7,
};

/// Computes the sizes of types in OpenCL's layout.
class module_types {
public:
  using words = std::vector<std::uint32_t>;
  std::map<std::uint32_t, std::pair<std::uint32_t, words>> types;  ///< by id: the opcode, and the words after the id
  std::map<std::uint32_t, std::uint32_t> constants;

  std::size_t size(std::uint32_t id) const {
    const auto& [operation, its] = types.at(id);
    switch (operation) {
      case op_type_bool:
        return 1;
      case op_type_int:
      case op_type_float:
        return its[0] / 8;
      case op_type_vector:
        return size(its[0]) * (its[1] == 3 ? 4 : its[1]);
      case op_type_array:
        return size(its[0]) * constants.at(its[1]);
      case op_type_struct: {
        std::size_t bytes = 0, largest = 1;
        for (const std::uint32_t each : its) {
          const std::size_t step = alignment(each);
          largest = std::max(largest, step);
          bytes = (bytes + step - 1) / step * step + size(each);
        }
        return (bytes + largest - 1) / largest * largest;
      }
      default:
        return sizeof(void*);
    }
  }

private:
  std::size_t alignment(std::uint32_t id) const {
    const auto& [operation, its] = types.at(id);
    if (operation == op_type_array) return alignment(its[0]);
    if (operation != op_type_struct) return std::max<std::size_t>(size(id), 1);
    std::size_t largest = 1;
    for (const std::uint32_t each : its) largest = std::max(largest, alignment(each));
    return largest;
  }
};

}  // namespace

std::string cl_core::text(cl_device_info which) const {
  std::size_t bytes = 0;
  if (clGetDeviceInfo(device, which, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::string result(bytes, '\0');
  clGetDeviceInfo(device, which, bytes, result.data(), nullptr);
  return result.c_str();
}

std::vector<std::size_t> cl_core::sizes(cl_device_info which) const {
  std::size_t bytes = 0;
  if (clGetDeviceInfo(device, which, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::vector<std::size_t> result(bytes / sizeof(std::size_t));
  clGetDeviceInfo(device, which, bytes, result.data(), nullptr);
  return result;
}

const cl_core* find_core() {
  static const cl_core* found = open_core();
  return found;
}

std::map<std::string, kernel_facts> kernels_of(const std::vector<std::uint32_t>& spirv, std::uint32_t newest) {
  constexpr std::uint32_t magic = 0x07230203;
  if (spirv.size() < 5 || spirv[0] != magic || spirv[1] > newest) return {};
  module_types known;
  std::map<std::uint32_t, std::string> entries;
  std::map<std::uint32_t, std::uint32_t> types_of_functions;
  std::map<std::uint32_t, kernel_facts> modes;
  for (std::size_t at = 5; at < spirv.size();) {
    const std::uint32_t length = spirv[at] >> 16, operation = spirv[at] & 0xffff;
    if (length == 0 || at + length > spirv.size()) return {};
    const std::uint32_t* its = &spirv[at + 1];
    if (operation == op_entry_point) entries[its[1]] = reinterpret_cast<const char*>(its + 2);
    if (operation == op_execution_mode && its[1] == mode_local_size) std::copy_n(its + 2, 3, modes[its[0]].group);
    if (operation == op_execution_mode && its[1] == mode_sub_group_size) modes[its[0]].sub_group = its[2];
    if (operation >= op_type_bool && operation <= op_type_function) {
      known.types[its[0]] = {operation, module_types::words(its + 1, its + length - 1)};
    }
    if (operation == op_constant) known.constants[its[1]] = its[2];
    if (operation == op_function) types_of_functions[its[1]] = its[3];
    at += length;
  }
  std::map<std::string, kernel_facts> result;
  for (const auto& [id, name] : entries) {
    kernel_facts facts = modes[id];
    const module_types::words& types = known.types.at(types_of_functions.at(id)).second;
    for (std::size_t i = 1; i < types.size(); ++i) {
      const auto& [operation, its] = known.types.at(types[i]);
      using kind = parameter::kind;
      if (operation != op_type_pointer) {
        facts.parameters.push_back({kind::value, known.size(types[i])});
      } else if (its[0] == storage_function) {
        facts.parameters.push_back({kind::value, known.size(its[1])});
      } else {
        facts.parameters.push_back({its[0] == storage_work_group ? kind::local : kind::pointer, sizeof(void*)});
      }
    }
    result[name] = std::move(facts);
  }
  return result;
}

void run(const bound_kernel& launch) {
  const cl_core& core = *find_core();
  static thread_local cl_command_queue queue = [&] {
    return clCreateCommandQueueWithProperties(core.context, core.device, nullptr, nullptr);
  }();
  static std::mutex& mutex = *new std::mutex;  // launches share the kernel object, which has only one set of arguments
  cl_int result = CL_SUCCESS;
  {
    std::lock_guard lock(mutex);
    for (cl_uint i = 0; i < launch.arguments.size() && result == CL_SUCCESS; ++i) {
      const argument& each = launch.arguments[i];
      const parameter::kind what = launch.facts->parameters[i].what;
      if (what == parameter::kind::local) {
        result = clSetKernelArg(launch.kernel, i, each.local_bytes, nullptr);
      } else if (what == parameter::kind::pointer) {
        void* address = nullptr;
        std::memcpy(&address, each.value.data(), sizeof(address));
        result = core.set_pointer(launch.kernel, i, address);
      } else {
        result = clSetKernelArg(launch.kernel, i, each.value.size(), each.value.data());
      }
    }
    const cl_bool yes = launch.indirect;
    for (const cl_kernel_exec_info which : {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
                                            CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                                            CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL}) {
      clSetKernelExecInfo(launch.kernel, which, sizeof(yes), &yes);
    }
    if (result == CL_SUCCESS) {
      result = clEnqueueNDRangeKernel(queue, launch.kernel, 3, launch.offset, launch.global, launch.local, 0, nullptr,
                                      nullptr);
    }
  }
  if (result == CL_SUCCESS) result = clFinish(queue);
  if (result == CL_SUCCESS) return;
  const std::string text = "OpenCL's driver refuses a launch: error " + std::to_string(result);
  refuse(text.c_str());
}

}  // namespace judge
