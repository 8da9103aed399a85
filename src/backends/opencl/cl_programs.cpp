#include "cl_programs.hpp"

#include <abi/byte_count.hpp>
#include <algorithm>
#include <backends/driver_launch.hpp>
#include <backends/kernel_loading.hpp>
#include <backends/natives.hpp>
#include <cstring>
#include <memory>
#include <vector>

#include <sycl/exception.hpp>

namespace sinter::opencl {
namespace {

std::mutex& loading() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

/// Returns compiler options that give the same results as on other devices, even if the code is slower.
std::string options_for(const cl_device_context& device) {
  const auto single = device.info<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG);
  return (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0 ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
}

template <class Words>
void build(cl_device_context& device, cl_program program, const Words& doing) {
  const cl_device_id id = device.id();
  const cl_int result =
      device.functions().clBuildProgram(program, 1, &id, options_for(device).c_str(), nullptr, nullptr);
  device.check(result, [&] {
    constexpr std::size_t enough = 2000;
    const std::string log = build_log(device, program);
    return doing() + " (" + (log.size() > enough ? log.substr(0, enough) + "..." : log) + ")";
  });
}

void put_values_in(cl_device_context& device, cl_program program, const abi::specialization_table& values) {
  cl_uint number = 0;
  for (std::uint32_t i = 0; i < values.count; ++i) {
    const auto& [key, value, size] = values.entries[i];
    const std::uint64_t unit = abi::specialization_unit(size);
    for (std::uint64_t at = 0; at < size; at += unit) {
      const cl_int result = device.functions().clSetProgramSpecializationConstant(
          program, number++, unit, static_cast<const char*>(value) + at);
      // Constants consist of units (abi::specialization_unit). The module has no SpecId for a unit that the kernel does
      // not read.
      if (result == CL_INVALID_SPEC_ID) continue;
      device.check(result, [] { return std::string("putting values of specialization constants into a kernel"); });
    }
  }
}

/// A program that is released if a later step fails.
struct held_program {
  const loader& functions;
  cl_program program;
  ~held_program() {
    if (program) functions.clReleaseProgram(program);
  }
};

/// Returns the block, whose size is rounded up to whole words, because arguments that are passed by value must consist
/// of whole words. Uses `copy` if the size has to change.
const void* whole_words(const void* block, std::uint64_t bytes, std::vector<char>& copy) {
  if (bytes % 8 == 0 && bytes != 0) return block;
  copy.resize(abi::spirv_parameter_bytes(bytes));
  std::memcpy(copy.data(), block, bytes);
  return copy.data();
}

}  // namespace

std::string build_log(const cl_device_context& device, cl_program program) {
  std::size_t bytes = 0;
  const loader& functions = device.functions();
  functions.clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  functions.clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

loaded_program::~loaded_program() {
  const loader& functions = device.functions();
  if (function) functions.clReleaseKernel(function);
  if (program) functions.clReleaseProgram(program);
  if (may_fail) may_fail->close();
  if (failure) device.deallocate(failure);
}

cl_program create_with_il(cl_device_context& device, const std::string& spirv, cl_int& result) {
  const loader& functions = device.functions();
  cl_program made = functions.clCreateProgramWithIL(device.native(), spirv.data(), spirv.size(), &result);
  if (result != CL_INVALID_OPERATION) return made;
  using creates = cl_program(CL_API_CALL*)(cl_context, const void*, std::size_t, cl_int*);
  const auto extension = reinterpret_cast<creates>(functions.clGetExtensionFunctionAddressForPlatform(
      device.shared().platform().id, "clCreateProgramWithILKHR"));
  return extension ? extension(device.native(), spirv.data(), spirv.size(), &result) : made;
}

std::string build(cl_device_context& device, const std::string& spirv, const abi::specialization_table* values) {
  const driver_use use;
  const loader& functions = device.functions();
  cl_int result = CL_SUCCESS;
  held_program made{functions, create_with_il(device, spirv, result)};
  device.check(result, [] { return std::string("handing SPIR-V to the driver"); });
  if (values) put_values_in(device, made.program, *values);
  build(device, made.program, [] { return std::string("building a kernel"); });
  // The driver returns binaries for all devices of the program, in their order. The program was built only for this
  // device, so the other binaries are missing.
  cl_uint count = 0;
  const auto doing = [] { return std::string("asking for a kernel's binary"); };
  device.check(functions.clGetProgramInfo(made.program, CL_PROGRAM_NUM_DEVICES, sizeof(count), &count, nullptr), doing);
  std::vector<cl_device_id> devices(count);
  std::vector<std::size_t> sizes(count);
  device.check(functions.clGetProgramInfo(made.program, CL_PROGRAM_DEVICES, count * sizeof(cl_device_id),
                                          devices.data(), nullptr),
               doing);
  device.check(functions.clGetProgramInfo(made.program, CL_PROGRAM_BINARY_SIZES, count * sizeof(std::size_t),
                                          sizes.data(), nullptr),
               doing);
  std::vector<std::string> binaries;
  std::vector<unsigned char*> places;
  for (const std::size_t size : sizes) binaries.emplace_back(size, '\0');
  // Intel's driver 2026.2 expects an address for each binary that exists, and null for missing ones. Sub-devices share
  // the binary of their device.
  for (std::string& each : binaries) {
    places.push_back(each.empty() ? nullptr : reinterpret_cast<unsigned char*>(each.data()));
  }
  device.check(functions.clGetProgramInfo(made.program, CL_PROGRAM_BINARIES, count * sizeof(unsigned char*),
                                          places.data(), nullptr),
               doing);
  const auto own = std::find(devices.begin(), devices.end(), device.id());
  return own == devices.end() ? std::string() : binaries[static_cast<std::size_t>(own - devices.begin())];
}

void describe(loaded_program& loaded) {
  const cl_device_context& device = loaded.device;
  const loader& functions = device.functions();
  const auto doing = [&] { return "loading kernel '" + loaded.kernel + "'"; };
  const cl_device_id id = device.id();
  device.check(device.memory().allow_indirect(loaded.function), doing);
  functions.clGetKernelWorkGroupInfo(loaded.function, id, CL_KERNEL_WORK_GROUP_SIZE, sizeof(loaded.most_items),
                                     &loaded.most_items, nullptr);
  cl_ulong private_bytes = 0;
  functions.clGetKernelWorkGroupInfo(loaded.function, id, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof(private_bytes),
                                     &private_bytes, nullptr);
  loaded.private_bytes = private_bytes;
  functions.clGetKernelWorkGroupInfo(loaded.function, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                     sizeof(loaded.required_group), loaded.required_group, nullptr);
}

loaded_program& load(cl_device_context& device, const code_variant& code, const abi::kernel_descriptor& kernel) {
  gpu_program& program = *code.gpu;
  // The code is for this device only, so it uses the first entry of `loaded`.
  return load_once<loaded_program>(program.loaded[0], loading(), [&] {
    const driver_use use;
    auto loaded = std::make_unique<loaded_program>(device);
    loaded->kernel = loaded_name(code, kernel);
    const loader& functions = device.functions();
    const auto doing = [&] { return loading_words(loaded->kernel, code); };
    const cl_device_id id = device.id();
    const std::size_t bytes = program.image.size();
    const auto* image = reinterpret_cast<const unsigned char*>(program.image.data());
    cl_int result = CL_SUCCESS, of_device = CL_SUCCESS;
    loaded->program = functions.clCreateProgramWithBinary(device.native(), 1, &id, &bytes, &image, &of_device, &result);
    device.check(result, doing);
    build(device, loaded->program, doing);
    loaded->function = functions.clCreateKernel(loaded->program, program.entry.c_str(), &result);
    device.check(result, doing);
    describe(*loaded);
    loaded->can_fail = program.can_fail;
    if (program.can_fail && device.memory().host_reaches()) {
      loaded->failure = make_failure_record(
          device.allocate(memory_kind::host, sizeof(abi::gpu_failure), alignof(std::max_align_t)));
    }
    if (program.can_fail) loaded->may_fail = std::make_shared<failing_program>(loaded->kernel, loaded->failure);
    return loaded;
  });
}

void unload(gpu_program& program) noexcept { delete static_cast<loaded_program*>(program.loaded[0].exchange(nullptr)); }

namespace {

[[noreturn]] void refuse_argument(const loaded_program& loaded, const std::string& why) {
  sycl::detail::throw_error(sycl::errc::kernel_argument,
                            "kernel '" + loaded.kernel + "' on device '" + loaded.device.name() + "': " + why);
}

/// Called under the kernel's mutex.
void set_locked(loaded_program& loaded, const void* block) {
  const cl_device_context& device = loaded.device;
  const loader& functions = device.functions();
  const auto* bytes = static_cast<const char*>(block);
  std::uint64_t count = 0;
  std::memcpy(&count, bytes, sizeof(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    native_argument each;
    std::memcpy(&each, bytes + sizeof(count) + i * sizeof(each), sizeof(each));
    const char* value = bytes + each.offset;
    cl_int result = CL_SUCCESS;
    const char* what = "a value";
    if (each.what == native_argument::kind::pointer) {
      what = "a pointer";
      const void* pointer = nullptr;
      std::memcpy(&pointer, value, sizeof(pointer));
      result = device.memory().set_pointer(loaded.function, each.index, pointer);
    } else if (each.what == native_argument::kind::local_memory) {
      what = "local memory";
      result = functions.clSetKernelArg(loaded.function, each.index, each.bytes, nullptr);
    } else {
      result = functions.clSetKernelArg(loaded.function, each.index, each.bytes, value);
    }
    if (result == CL_SUCCESS) continue;
    if (each.what == native_argument::kind::pointer && !device.memory().has_addresses()) {
      refuse_argument(loaded,
                      "argument " + std::to_string(each.index) +
                          " is a pointer to something else than the beginning of a buffer, and the device has " +
                          text_of(device.memory().way()) +
                          "; give it an accessor of a whole buffer, and where to begin as a number");
    }
    refuse_argument(loaded, "argument " + std::to_string(each.index) + " can't be " + what + " of " +
                                std::to_string(each.bytes) + " bytes (" + text_of(result) +
                                "); give it in the type of the kernel's parameter");
  }
}

}  // namespace

void set_native_arguments(loaded_program& loaded, const kernel_launch& launch) {
  const prepared_launch range(launch);
  for (std::size_t d = 0; d < 3 && loaded.required_group[0] != 0; ++d) {
    const std::size_t wanted = loaded.required_group[d];
    if (range.grouped ? range.local[d] == wanted : range.global[d] % wanted == 0) continue;
    sycl::detail::throw_error(sycl::errc::nd_range,
                              "kernel '" + loaded.kernel + "' on device '" + loaded.device.name() +
                                  "': the range does not have the work-groups that its source requires " +
                                  "(reqd_work_group_size)");
  }
  std::lock_guard lock(loaded.mutex);
  set_locked(loaded, launch.block);
}

bool is_filled_by_driver(const memory_fill& fill) noexcept {
  constexpr std::size_t longest_pattern = 128;
  const std::size_t size = fill.pattern_bytes;
  return (size & (size - 1)) == 0 && size <= longest_pattern &&
         reinterpret_cast<std::uintptr_t>(fill.destination) % size == 0;
}

prepared_launch::prepared_launch(const kernel_launch& launch)
    : from_source(!launch.blocks && (launch.kernel->flags & abi::descriptor_from_source) != 0),
      dimensions(launch.kernel->dimensions == 0 ? 1 : launch.kernel->dimensions),
      grouped(launch.blocks ? launch.code->grouped : launch.kernel->shape == abi::kernel_shape::nd_range),
      block(launch.block),
      bytes(launch.kernel->block_size),
      reads_geometry(!from_source && launch.code->gpu->linear_groups) {
  for (std::size_t d = 0; d < 3; ++d) {
    offset[2 - d] = launch.global_offset[d];
    global[2 - d] = launch.global_range[d];
    local[2 - d] = grouped ? launch.local_range[d] : 1;
  }
  if (from_source) return;
  pointers = launch.code->gpu->pointers;
  if (launch.blocks) {
    m_copy.resize(abi::spirv_parameter_bytes(block_bytes(launch)));
    bytes = join_blocks(launch, m_copy.data());
    block = m_copy.data();
    dimensions = 3;
  } else if (!pointers.empty()) {
    m_copy.resize(abi::spirv_parameter_bytes(bytes));
    std::memcpy(m_copy.data(), block, bytes);
    block = m_copy.data();
  } else {
    block = whole_words(block, bytes, m_copy);
  }
  std::size_t groups = 1, items = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    geometry.global_range[d] = launch.global_range[d];
    geometry.global_offset[d] = launch.global_offset[d];
    const std::uint64_t size = local[2 - d];
    geometry.group_range[d] = (launch.global_range[d] + size - 1) / size;
    groups *= geometry.group_range[d];
    items *= size;
  }
  geometry.globals = reinterpret_cast<std::uint64_t>(launch.globals);
  if (reads_geometry) {
    dimensions = 1;
    offset[0] = 0;
    global[0] = groups * items;
    local[0] = items;
  }
  local_bytes = std::max<std::uint64_t>(local_bytes_of(launch, items_of_group(launch)), 8);
}

/// Sets the arguments for pointers to memory objects, and replaces the pointers in the block by offsets.
void prepared_launch::place_pointers(loaded_program& loaded) {
  const cl_device_context& device = loaded.device;
  for (std::uint32_t i = 0; i < pointers.size(); ++i) {
    const std::uint64_t place = pointers[i];
    const void* address = nullptr;
    std::uint64_t distance = 0;
    if (place > bytes || bytes - place < sizeof(address)) refuse_argument(loaded, "its code is of another kernel");
    std::memcpy(&address, m_copy.data() + place, sizeof(address));
    const cl_int result =
        device.memory().set_allocation(loaded.function, abi::first_spirv_pointer + i, address, distance);
    if (result == CL_INVALID_MEM_OBJECT) {
      sycl::detail::throw_error(
          sycl::errc::feature_not_supported,
          "kernel '" + loaded.kernel + "' on device '" + device.name() + "': byte " + std::to_string(place) +
              " of its arguments is a pointer to memory of the host's, and the device has no unified shared memory (no "
              "aspect::usm_device_allocations); let the kernel use accessors of buffers, or choose another device");
    }
    device.check(result, [&] { return "launching kernel '" + loaded.kernel + "'"; });
    std::memcpy(m_copy.data() + place, &distance, sizeof(distance));
  }
}

void set_arguments(loaded_program& loaded, prepared_launch& launch, const launch_memory& where) {
  if (!launch.grouped && loaded.required_group[0] != 0) {
    // The code of a single task requires a group size. Drivers before OpenCL 2.0 accept the launch only if it names
    // this size.
    std::copy(std::begin(loaded.required_group), std::end(loaded.required_group), std::begin(launch.local));
    launch.grouped = true;
  }
  if (launch.from_source) return set_locked(loaded, launch.block);
  const cl_device_context& device = loaded.device;
  const loader& functions = device.functions();
  const auto doing = [&] { return "launching kernel '" + loaded.kernel + "'"; };
  launch.place_pointers(loaded);
  if (where.block) {
    std::memcpy(where.block_on_host ? where.block_on_host : where.block, launch.block, launch.bytes);
    device.check(device.memory().set_pointer(loaded.function, 0, where.block), doing);
  } else {
    device.check(functions.clSetKernelArg(loaded.function, 0, abi::spirv_parameter_bytes(launch.bytes), launch.block),
                 doing);
  }
  if (!loaded.is_prepared || launch.reads_geometry) {
    device.check(functions.clSetKernelArg(loaded.function, 1, sizeof(launch.geometry), &launch.geometry), doing);
  }
  if (loaded.local_bytes != launch.local_bytes) {
    device.check(functions.clSetKernelArg(loaded.function, 2, launch.local_bytes, nullptr), doing);
    loaded.local_bytes = launch.local_bytes;
  }
  if (!loaded.is_prepared || where.failure) {
    device.check(device.memory().set_pointer(loaded.function, 3, where.failure ? where.failure : loaded.failure),
                 doing);
  }
  loaded.is_prepared = true;
}

cl_event enqueue(cl_command_queue queue, loaded_program& loaded, const kernel_launch& launch,
                 const launch_memory& where) {
  prepared_launch prepared(launch);
  const cl_device_context& device = loaded.device;
  const auto doing = [&] { return "launching kernel '" + loaded.kernel + "'"; };
  const auto& offset = prepared.offset;
  const bool has_offset = offset[0] != 0 || offset[1] != 0 || offset[2] != 0;
  cl_event event = nullptr;
  std::shared_lock<std::shared_mutex> held;
  std::lock_guard lock(loaded.mutex);
  set_arguments(loaded, prepared, where);
  if (where.block_on_host) {
    device.check(device.memory().copy(queue, where.block, where.block_on_host, prepared.bytes, nullptr), doing);
  }
  device.check(device.memory().name_allocations(loaded.function, loaded.named, held), doing);
  device.check(device.functions().clEnqueueNDRangeKernel(queue, loaded.function, prepared.dimensions,
                                                         has_offset ? offset : nullptr, prepared.global,
                                                         prepared.local_range(), 0, nullptr, &event),
               doing);
  return event;
}

}  // namespace sinter::opencl
