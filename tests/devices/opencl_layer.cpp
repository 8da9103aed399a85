/// A layer of OpenCL's loader (OPENCL_LAYERS) that hides features of a driver, so that one driver can stand for
/// several: TEST_CL_MEMORY=objects: neither unified shared memory nor shared virtual memory; `coarse`, `fine`: only
/// shared virtual memory of this granularity. TEST_CL_PARAMETERS: CL_DEVICE_MAX_PARAMETER_SIZE. TEST_CL_BYTES: the most
/// bytes of memory objects or shared virtual memory. TEST_CL_SUB_GROUPS=none: no sub-groups. TEST_CL_GROUP,
/// TEST_CL_GROUP_Z: the most work-items of a group, in all and in OpenCL's last dimension. TEST_CL_LOCAL_BYTES: the
/// bytes of a group's local memory. TEST_CL_SPIRV=N: only SPIR-V 1.0 to 1.N; with 0, the features of OpenCL 1.2: SPIR-V
/// by an extension, and no clock.
/// TEST_CL_REFUSED: SPIR-V that contains this word can't be built. TEST_CL_BINARIES=none: no binary can be loaded.
/// TEST_CL_MATRICES="8x16x16:f16,f16,f32,f32": the device has matrix units for these products (opencl_matrices.hpp), in
/// sub-groups of 16; TEST_CL_MATRIX_BYTES=N: matrices in memory and their strides have multiples of N bytes;
/// TEST_CL_KEEP=FOLDER: modules with such matrices are written to this folder. TEST_CL_APART=1: the device reports that
/// its memory is separate from the host's. TEST_CL_WRITES=none: nothing can be written to memory objects. If a program
/// uses a hidden feature or writes such a memory object, the layer prints a sentence and ends the process.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "opencl_matrices.hpp"

namespace {

const cl_icd_dispatch* driver;
cl_icd_dispatch own;

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

struct state {
  const std::string memory = setting("TEST_CL_MEMORY");
  const bool objects = memory == "objects", coarse = memory == "coarse", fine = memory == "fine";
  const std::string parameters = setting("TEST_CL_PARAMETERS"), bytes = setting("TEST_CL_BYTES");

  std::mutex mutex;
  std::size_t used = 0;
  std::map<void*, std::size_t> shared;                                ///< by address: sizes of shared virtual memory
  std::map<cl_kernel, std::set<void*>> told;                          ///< by kernel: memory for indirect access
  std::map<cl_kernel, std::map<cl_uint, std::vector<char*>>> values;  ///< by argument: words that may be addresses

  const std::string spirv = setting("TEST_CL_SPIRV");
  const bool no_sub_groups = setting("TEST_CL_SUB_GROUPS") == "none";
  const std::string group = setting("TEST_CL_GROUP"), group_z = setting("TEST_CL_GROUP_Z"),
                    local_bytes = setting("TEST_CL_LOCAL_BYTES"), refused = setting("TEST_CL_REFUSED");
  std::map<cl_kernel, std::map<cl_uint, std::size_t>> local_memory;  ///< by kernel and argument: bytes of local memory
  std::set<cl_program> can_not_be_built;

  const std::vector<test_matrices::variant> matrices = test_matrices::read(setting("TEST_CL_MATRICES"));
  const std::string matrix_bytes = setting("TEST_CL_MATRIX_BYTES");
  std::set<cl_program> linked;  ///< programs that are built already
};

state& the() {
  static auto* made = new state;
  return *made;
}

[[noreturn]] void end(const std::string& why) {
  std::fprintf(stderr, "opencl_layer: %s\n", why.c_str());
  std::_Exit(70);
}

bool is_hidden(const char* function) {
  const std::string name = function;
  return name.find("Mem") != std::string::npos && name.ends_with("INTEL");
}

/// Returns the answer in the way of OpenCL's clGet...Info functions.
cl_int answer(const void* value, std::size_t bytes, std::size_t room, void* to, std::size_t* size) {
  if (size) *size = bytes;
  if (to && room < bytes) return CL_INVALID_VALUE;
  if (to) std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}

std::size_t number(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); }

bool is_hidden_extension(const std::string& word) {
  const state& its = the();
  if (word == "cl_intel_unified_shared_memory") return !its.memory.empty();
  return its.no_sub_groups && word.find("subgroup") != std::string::npos;
}

cl_int extensions(cl_device_id device, std::size_t room, void* to, std::size_t* size) {
  std::size_t bytes = 0;
  cl_int result = driver->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, nullptr, &bytes);
  if (result != CL_SUCCESS) return result;
  std::string all(bytes, '\0'), shown, word;
  result = driver->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, all.data(), nullptr);
  if (result != CL_SUCCESS) return result;
  std::istringstream words(all.c_str());
  while (words >> word) {
    if (!is_hidden_extension(word)) shown += word + " ";
  }
  if (!the().matrices.empty()) shown += "cl_khr_cooperative_matrix ";
  return answer(shown.c_str(), shown.size() + 1, room, to, size);
}

/// Returns a limit of work-groups, which an environment variable may lower.
cl_int limit(cl_device_id device, cl_device_info what, std::size_t room, void* to, std::size_t* size) {
  const state& its = the();
  if (what == CL_DEVICE_MAX_WORK_ITEM_SIZES) {
    std::size_t sizes[3] = {};
    const cl_int result = driver->clGetDeviceInfo(device, what, sizeof(sizes), sizes, nullptr);
    if (result != CL_SUCCESS) return result;
    for (std::size_t& each : sizes) each = its.group.empty() ? each : std::min(each, number(its.group));
    if (!its.group_z.empty()) sizes[2] = std::min(sizes[2], number(its.group_z));
    return answer(sizes, sizeof(sizes), room, to, size);
  }
  if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE && !its.group.empty()) {
    const std::size_t value = number(its.group);
    return answer(&value, sizeof(value), room, to, size);
  }
  if (what == CL_DEVICE_LOCAL_MEM_SIZE && !its.local_bytes.empty()) {
    const cl_ulong value = number(its.local_bytes);
    return answer(&value, sizeof(value), room, to, size);
  }
  if (what == CL_DEVICE_MAX_NUM_SUB_GROUPS && its.no_sub_groups) {
    const cl_uint none = 0;
    return answer(&none, sizeof(none), room, to, size);
  }
  if (what == CL_DEVICE_SUB_GROUP_SIZES_INTEL && its.no_sub_groups) return CL_INVALID_VALUE;
  return driver->clGetDeviceInfo(device, what, room, to, size);
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, std::size_t room, void* to,
                               std::size_t* size) {
  state& its = the();
  if (what == CL_DEVICE_EXTENSIONS) return extensions(device, room, to, size);
  if (what == CL_DEVICE_IL_VERSION && !its.spirv.empty()) {
    std::string versions;
    for (int minor = 0; minor <= std::stoi(its.spirv); ++minor) versions += "SPIR-V_1." + std::to_string(minor) + " ";
    return answer(versions.c_str(), versions.size() + 1, room, to, size);
  }
  if (what == CL_DEVICE_SVM_CAPABILITIES && !its.memory.empty()) {
    cl_device_svm_capabilities value = 0;
    if (!its.objects) value |= CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    if (its.fine) value |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS;
    return answer(&value, sizeof(value), room, to, size);
  }
  if (what == CL_DEVICE_MAX_PARAMETER_SIZE && !its.parameters.empty()) {
    const std::size_t value = number(its.parameters);
    return answer(&value, sizeof(value), room, to, size);
  }
  if (what == CL_DEVICE_HOST_UNIFIED_MEMORY && !setting("TEST_CL_APART").empty()) {
    const cl_bool value = CL_FALSE;
    return answer(&value, sizeof(value), room, to, size);
  }
  constexpr cl_device_info pointer_alignment = 0x107A, stride_multiple = 0x107B;
  if ((what == pointer_alignment || what == stride_multiple) && !its.matrices.empty()) {
    const cl_uint value = its.matrix_bytes.empty() ? 1 : static_cast<cl_uint>(number(its.matrix_bytes));
    return answer(&value, sizeof(value), room, to, size);
  }
  return limit(device, what, room, to, size);
}

cl_int CL_API_CALL matrix_info(cl_device_id, cl_uint what, std::size_t input_bytes, const void* input,
                               std::size_t room, void* to, std::size_t* size) {
  constexpr cl_uint of_default = 0x1078, of_sub_group = 0x1079, size_of_units = 16;
  cl_uint asked = size_of_units;
  if (what == of_sub_group && (!input || input_bytes != sizeof(asked))) return CL_INVALID_VALUE;
  if (what == of_sub_group) std::memcpy(&asked, input, sizeof(asked));
  if (what != of_sub_group && what != of_default) return CL_INVALID_VALUE;
  const std::vector<test_matrices::variant>& all = the().matrices;
  return answer(all.data(), asked == size_of_units ? all.size() * sizeof(all[0]) : 0, room, to, size);
}

cl_program CL_API_CALL create_program_by_extension(cl_context, const void*, std::size_t, cl_int*);

void* CL_API_CALL function_address(cl_platform_id platform, const char* name) {
  if (!the().memory.empty() && is_hidden(name)) return nullptr;
  if (std::string(name) == "clGetDeviceCooperativeMatrixInfoKHR" && !the().matrices.empty())
    return reinterpret_cast<void*>(matrix_info);
  if (std::string(name) == "clCreateProgramWithILKHR") return reinterpret_cast<void*>(create_program_by_extension);
  return driver->clGetExtensionFunctionAddressForPlatform(platform, name);
}

/// Whether the bytes exceed the limit of memory. Called under the mutex.
bool is_exhausted(std::size_t bytes) {
  state& its = the();
  if (its.bytes.empty()) return false;
  return its.used + bytes > number(its.bytes);
}

// ---------------------------------------------------------------------------------------------------- memory objects

/// The driver calls this function when it releases the object.
void CL_CALLBACK object_gone(cl_mem, void* bytes) {
  std::lock_guard lock(the().mutex);
  the().used -= reinterpret_cast<std::size_t>(bytes);
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, std::size_t bytes, void* host,
                                 cl_int* result) {
  {
    std::lock_guard lock(the().mutex);
    if (is_exhausted(bytes)) {
      if (result) *result = CL_MEM_OBJECT_ALLOCATION_FAILURE;
      return nullptr;
    }
    the().used += bytes;
  }
  const cl_mem made = driver->clCreateBuffer(context, flags, bytes, host, result);
  if (made) driver->clSetMemObjectDestructorCallback(made, object_gone, reinterpret_cast<void*>(bytes));
  return made;
}

cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem memory, cl_bool blocks, std::size_t offset,
                                std::size_t bytes, const void* from, cl_uint waits, const cl_event* events,
                                cl_event* event) {
  if (setting("TEST_CL_WRITES") == "none") return CL_OUT_OF_RESOURCES;
  return driver->clEnqueueWriteBuffer(queue, memory, blocks, offset, bytes, from, waits, events, event);
}

// --------------------------------------------------------------------------------------------- shared virtual memory

void* CL_API_CALL shared_alloc(cl_context context, cl_svm_mem_flags flags, std::size_t bytes, cl_uint alignment) {
  state& its = the();
  if (its.objects) end("clSVMAlloc on a device without shared virtual memory");
  if (its.coarse && (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0) end("fine-grained memory, which the device lacks");
  std::lock_guard lock(its.mutex);
  if (is_exhausted(bytes)) return nullptr;
  void* made = driver->clSVMAlloc(context, flags, bytes, alignment);
  if (!made) return nullptr;
  its.used += bytes;
  its.shared[made] = bytes;
  return made;
}

void forget(void* memory) {
  state& its = the();
  std::lock_guard lock(its.mutex);
  const auto found = its.shared.find(memory);
  if (found == its.shared.end()) end("memory is freed that is none");
  its.used -= found->second;
  its.shared.erase(found);
}

void CL_API_CALL shared_free(cl_context context, void* memory) {
  if (memory) forget(memory);
  driver->clSVMFree(context, memory);
}

cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_kernel_exec_info what, std::size_t bytes, const void* value) {
  state& its = the();
  if (its.memory.empty()) return driver->clSetKernelExecInfo(kernel, what, bytes, value);
  if (what != CL_KERNEL_EXEC_INFO_SVM_PTRS || its.objects) end("kernels are told of memory that the device lacks");
  const auto* all = static_cast<void* const*>(value);
  {
    std::lock_guard lock(its.mutex);
    its.told[kernel] = {all, all + bytes / sizeof(void*)};
  }
  return driver->clSetKernelExecInfo(kernel, what, bytes, value);
}

cl_int CL_API_CALL argument(cl_kernel kernel, cl_uint index, std::size_t bytes, const void* value) {
  state& its = the();
  if (value && (its.fine || its.coarse)) {
    std::vector<char*> words(bytes / sizeof(char*));
    if (!words.empty()) std::memcpy(words.data(), value, words.size() * sizeof(char*));
    std::lock_guard lock(its.mutex);
    its.values[kernel][index] = std::move(words);
  }
  if (!value) {
    std::lock_guard lock(its.mutex);
    its.local_memory[kernel][index] = bytes;
  }
  return driver->clSetKernelArg(kernel, index, bytes, value);
}

/// Checks a launch against the limits that the device declares. Returns CL_SUCCESS if the launch is within the limits.
cl_int lack_of(cl_kernel kernel, cl_uint dimensions, const std::size_t* local) {
  state& its = the();
  std::size_t items = 1;
  for (cl_uint d = 0; local && d < dimensions; ++d) {
    items *= local[d];
    if (d == 2 && !its.group_z.empty() && local[d] > number(its.group_z)) return CL_INVALID_WORK_ITEM_SIZE;
  }
  if (!its.group.empty() && items > number(its.group)) return CL_INVALID_WORK_GROUP_SIZE;
  if (its.local_bytes.empty()) return CL_SUCCESS;
  std::lock_guard lock(its.mutex);
  std::size_t bytes = 0;
  for (const auto& [index, each] : its.local_memory[kernel]) bytes += each;
  return bytes > number(its.local_bytes) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t* offset,
                          const std::size_t* global, const std::size_t* local, cl_uint waits, const cl_event* events,
                          cl_event* event) {
  state& its = the();
  if (its.fine || its.coarse) {
    std::lock_guard lock(its.mutex);
    const std::set<void*>& told = its.told[kernel];
    const auto lives = [&](void* each) { return its.shared.contains(each); };
    // The driver may access memory that was named for indirect access, so this memory must still exist.
    if (!std::all_of(told.begin(), told.end(), lives)) end("a kernel runs that was told of memory that is freed");
    for (const auto& [index, words] : its.values[kernel]) {
      for (char* const word : words) {
        auto found = its.shared.upper_bound(word);
        if (found == its.shared.begin()) continue;
        --found;
        if (word >= static_cast<char*>(found->first) + found->second || told.contains(found->first)) continue;
        end("a kernel runs that was not told of memory that its arguments lead to");
      }
    }
  }
  const cl_int lack = lack_of(kernel, dimensions, local);
  if (lack != CL_SUCCESS) return lack;
  return driver->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, events, event);
}

cl_int CL_API_CALL shared_copy(cl_command_queue queue, cl_bool blocks, void* to, const void* from, std::size_t bytes,
                               cl_uint waits, const cl_event* events, cl_event* event) {
  if (the().objects) end("clEnqueueSVMMemcpy on a device without shared virtual memory");
  return driver->clEnqueueSVMMemcpy(queue, blocks, to, from, bytes, waits, events, event);
}

cl_int CL_API_CALL shared_argument(cl_kernel kernel, cl_uint index, const void* value) {
  if (the().objects) end("clSetKernelArgSVMPointer on a device without shared virtual memory");
  return driver->clSetKernelArgSVMPointer(kernel, index, value);
}

// ----------------------------------------------------------------------------------------------------------- programs

/// Looks for sub-groups in the words of a SPIR-V module.
bool asks_for_sub_groups(const std::vector<std::uint32_t>& words) {
  constexpr std::uint32_t header = 5, op_execution_mode = 16, op_capability = 17, sub_group_size = 35;
  // These are Groups, SubgroupDispatch, GroupNonUniform to GroupNonUniformQuad, and the capabilities of Intel's
  // extension.
  const auto is_of_sub_groups = [](std::uint32_t capability) {
    return capability == 18 || capability == 58 || (capability >= 61 && capability <= 68) ||
           (capability >= 5568 && capability <= 5570);
  };
  for (std::size_t at = header; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16) {
    const std::uint32_t code = words[at] & 0xffff;
    if (code == op_capability && is_of_sub_groups(words[at + 1])) return true;
    if (code == op_execution_mode && words[at + 2] == sub_group_size) return true;
  }
  return false;
}

/// Links the rewritten module with the functions that compute its matrices.
cl_program link_matrices(cl_context context, const std::vector<std::uint32_t>& words, cl_int* result) {
  const test_matrices::parts made = test_matrices::without_matrices(words, the().matrices);
  if (const std::string folder = setting("TEST_CL_KEEP"); !folder.empty()) {
    static std::atomic<int> kept{0};
    const std::string name = folder + "/" + std::to_string(kept++);
    const auto keep = [](const std::string& path, const void* bytes, std::size_t size) {
      std::FILE* file = std::fopen(path.c_str(), "wb");
      if (!file || std::fwrite(bytes, 1, size, file) != size || std::fclose(file) != 0) end("can't write " + path);
    };
    keep(name + ".spv", words.data(), words.size() * sizeof(words[0]));
    keep(name + ".rewritten.spv", made.module.data(), made.module.size() * sizeof(words[0]));
    keep(name + ".cl", made.source.data(), made.source.size());
  }
  const char* source = made.source.c_str();
  const cl_program programs[] = {
      driver->clCreateProgramWithIL(context, made.module.data(), made.module.size() * sizeof(words[0]), result),
      driver->clCreateProgramWithSource(context, 1, &source, nullptr, result)};
  const char* const options[] = {"", "-cl-std=CL3.0"};
  for (int i = 0; i < 2; ++i) {
    if (!programs[i] || driver->clCompileProgram(programs[i], 0, nullptr, options[i], 0, nullptr, nullptr, nullptr,
                                                 nullptr) != CL_SUCCESS) {
      end("the driver can't compile " + (i == 0 ? "a module without its matrices" : made.source));
    }
  }
  const cl_program linked =
      driver->clLinkProgram(context, 0, nullptr, "", 2, programs, nullptr, nullptr, result);
  for (cl_program each : programs) driver->clReleaseProgram(each);
  if (!linked) end("the driver can't link a module with the functions for its matrices");
  std::lock_guard lock(the().mutex);
  the().linked.insert(linked);
  return linked;
}

cl_program CL_API_CALL create_program_by_extension(cl_context context, const void* spirv, std::size_t bytes,
                                                   cl_int* result) {
  state& its = the();
  std::vector<std::uint32_t> words(bytes / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), spirv, words.size() * sizeof(std::uint32_t));
  if (!its.spirv.empty() && words.size() > 1 && (words[1] >> 8 & 0xff) > std::stoul(its.spirv)) {
    end("a module of a newer SPIR-V than the driver takes");
  }
  if (its.no_sub_groups && asks_for_sub_groups(words)) end("a kernel asks for sub-groups, which the device lacks");
  if (!its.matrices.empty() && test_matrices::has_matrices(words)) return link_matrices(context, words, result);
  const cl_program made = driver->clCreateProgramWithIL(context, spirv, bytes, result);
  const std::string_view text(static_cast<const char*>(spirv), bytes);
  if (made && !its.refused.empty() && text.find(its.refused) != std::string_view::npos) {
    std::lock_guard lock(its.mutex);
    its.can_not_be_built.insert(made);
  }
  return made;
}

bool is_of_opencl_1() { return the().spirv == "0"; }

cl_program CL_API_CALL create_program(cl_context context, const void* spirv, std::size_t bytes, cl_int* result) {
  if (!is_of_opencl_1()) return create_program_by_extension(context, spirv, bytes, result);
  if (result) *result = CL_INVALID_OPERATION;
  return nullptr;
}

cl_int CL_API_CALL device_and_host_timer(cl_device_id device, cl_ulong* device_time, cl_ulong* host_time) {
  return is_of_opencl_1() ? CL_INVALID_OPERATION : driver->clGetDeviceAndHostTimer(device, device_time, host_time);
}

cl_program CL_API_CALL load_program(cl_context context, cl_uint count, const cl_device_id* devices,
                                    const std::size_t* bytes, const unsigned char** binaries, cl_int* of_each,
                                    cl_int* result) {
  if (setting("TEST_CL_BINARIES") == "none") {
    if (result) *result = CL_INVALID_BINARY;
    return nullptr;
  }
  return driver->clCreateProgramWithBinary(context, count, devices, bytes, binaries, of_each, result);
}

bool is_refused(cl_program program) {
  std::lock_guard lock(the().mutex);
  return the().can_not_be_built.contains(program);
}

cl_int CL_API_CALL build_program(cl_program program, cl_uint devices, const cl_device_id* list, const char* options,
                                 void(CL_CALLBACK* done)(cl_program, void*), void* data) {
  if (is_refused(program)) return CL_BUILD_PROGRAM_FAILURE;
  {
    std::lock_guard lock(the().mutex);
    if (the().linked.contains(program)) return CL_SUCCESS;
  }
  return driver->clBuildProgram(program, devices, list, options, done, data);
}

cl_int CL_API_CALL build_info(cl_program program, cl_device_id device, cl_program_build_info what, std::size_t room,
                              void* to, std::size_t* size) {
  static constexpr char log[] = "error: no registers left for this kernel\n";
  if (what == CL_PROGRAM_BUILD_LOG && is_refused(program)) return answer(log, sizeof(log), room, to, size);
  return driver->clGetProgramBuildInfo(program, device, what, room, to, size);
}

cl_int CL_API_CALL release_program(cl_program program) {
  {
    // A later program object may get the same address.
    std::lock_guard lock(the().mutex);
    the().can_not_be_built.erase(program);
    the().linked.erase(program);
  }
  return driver->clReleaseProgram(program);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, std::size_t room, void* to,
                                                                         std::size_t* size) {
  if (what == CL_LAYER_API_VERSION) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    return answer(&version, sizeof(version), room, to, size);
  }
  static constexpr char name[] = "Sinter's tests";
  return answer(name, sizeof(name), room, to, size);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch* target,
                                                                      cl_uint* own_count,
                                                                      const cl_icd_dispatch** result) {
  if (count < sizeof(own) / sizeof(own.clGetPlatformIDs)) return CL_INVALID_VALUE;
  driver = target;
  own = *target;
  own.clGetDeviceInfo = device_info;
  own.clGetExtensionFunctionAddressForPlatform = function_address;
  own.clCreateBuffer = create_buffer;
  own.clEnqueueWriteBuffer = write_buffer;
  own.clSVMAlloc = shared_alloc;
  own.clSVMFree = shared_free;
  own.clSetKernelExecInfo = kernel_info;
  own.clSetKernelArg = argument;
  own.clEnqueueNDRangeKernel = launch;
  own.clEnqueueSVMMemcpy = shared_copy;
  own.clSetKernelArgSVMPointer = shared_argument;
  own.clCreateProgramWithIL = create_program;
  own.clGetDeviceAndHostTimer = device_and_host_timer;
  own.clCreateProgramWithBinary = load_program;
  own.clBuildProgram = build_program;
  own.clGetProgramBuildInfo = build_info;
  own.clReleaseProgram = release_program;
  *own_count = sizeof(own) / sizeof(own.clGetPlatformIDs);
  *result = &own;
  return CL_SUCCESS;
}
}
