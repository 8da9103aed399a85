#include "driver.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <backends/driver_end.hpp>
#include <base/foreign_variables.hpp>
#include <images/cache.hpp>
#include <limits>

#include <sycl/exception.hpp>

#include "code_object.hpp"

namespace sinter::hip {
namespace {

// The newest library comes first: if a machine has several versions, the older ones are there for older programs.
constexpr const char* libraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
                                     "/opt/rocm/lib/libamdhip64.so"};
// The oldest supported version (5.2). It has graphs and memory pools, and Debian 12 contains it.
constexpr int least_version = 50200000;

struct opened {
  driver functions;
  bool usable = false;
  std::string problem;

  opened();
};

/// Returns the driver, which is never destroyed, because other threads may use it while the program ends.
opened& the_driver() {
  static opened& made = *new opened;
  return made;
}

std::string text_of(gpu::result_code result) {
  if (drivers_have_ended()) return driver_end_text;
  const driver& functions = the_driver().functions;
  const char* name = functions.hipGetErrorName(static_cast<hipError_t>(result));
  const char* text = functions.hipGetErrorString(static_cast<hipError_t>(result));
  return std::string(name ? name : "an unknown error") + " (" + (text ? text : "") + ")";
}

/// Converts pointers and numbers of gpu::driver's functions to HIP's types.
template <class To, class From>
To as(From value) {
  if constexpr (std::is_pointer_v<From> || std::is_pointer_v<To>) {
    return reinterpret_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class... Given, class... Taken>
hipError_t call(hipError_t (*driver::*which)(Taken...), Given... given) {
  if (drivers_have_ended()) {
    let_program_end();
    return hipErrorDeinitialized;
  }
  return (the_driver().functions.*which)(as<Taken>(given)...);
}

/// Sets a pointer in the table gpu::driver to a function that calls one of HIP's functions with the same parameters.
template <auto Which, class... Given>
void forward(gpu::result_code (*&place)(Given...)) {
  place = [](Given... given) -> gpu::result_code { return call(Which, given...); };
}

// HIP has no contexts; each thread has a current device. A context_handle is therefore the device's number plus 1.
gpu::context_handle context_of(int device) { return reinterpret_cast<gpu::context_handle>(std::intptr_t{device} + 1); }
int device_of(gpu::context_handle context) { return static_cast<int>(reinterpret_cast<std::intptr_t>(context) - 1); }

gpu::result_code retain_context(gpu::context_handle* context, gpu::device_number device) {
  *context = context_of(device);
  return hipSuccess;
}
gpu::result_code set_context(gpu::context_handle context) {
  return context ? call(&driver::hipSetDevice, device_of(context)) : hipSuccess;
}
gpu::result_code get_context(gpu::context_handle* context) {
  int device = 0;
  const gpu::result_code result = call(&driver::hipGetDevice, &device);
  *context = result == hipSuccess ? context_of(device) : nullptr;
  return result;
}
gpu::result_code enable_peer_access(gpu::context_handle context, unsigned flags) {
  return call(&driver::hipDeviceEnablePeerAccess, device_of(context), flags);
}

gpu::result_code copy(gpu::device_address to, gpu::device_address from, std::size_t bytes, gpu::stream_handle stream) {
  return call(&driver::hipMemcpyAsync, to, from, bytes, hipMemcpyDefault, stream);
}
/// Allocates coherent memory of the host: the host sees writes of kernels that are still running.
gpu::result_code allocate_host(void** memory, std::size_t bytes, unsigned flags) {
  return call(&driver::hipHostMalloc, memory, bytes, flags | hipHostMallocCoherent);
}
/// Returns an attribute of a pointer. HIP 6 has changed the numbers of the kinds of memory, so the function converts
/// them.
gpu::result_code get_pointer_attribute(void* value, gpu::pointer_attribute which, gpu::device_address address) {
  const gpu::result_code result = call(&driver::hipPointerGetAttribute, value, static_cast<int>(which), address);
  constexpr int first_renumbered = 60000000;
  unsigned& type = *static_cast<unsigned*>(value);
  if (result == hipSuccess && the_driver().functions.version < first_renumbered) {
    type = type == 0 ? gpu::host_memory_type : type == 1 ? gpu::device_memory_type : 0;
  }
  return result;
}

hipKernelNodeParams parameters_of(const gpu::kernel_node& node) {
  return {{node.threads[0], node.threads[1], node.threads[2]},
          node.extra,
          node.function,
          {node.blocks[0], node.blocks[1], node.blocks[2]},
          node.parameters,
          node.shared_bytes};
}
gpu::result_code add_kernel_node(gpu::node_handle* node, gpu::graph_handle graph, const gpu::node_handle* before,
                                 std::size_t count, const gpu::kernel_node* added) {
  const hipKernelNodeParams parameters = parameters_of(*added);
  return call(&driver::hipGraphAddKernelNode, node, graph, before, count, &parameters);
}
gpu::result_code change_kernel_node(gpu::executable_handle graph, gpu::node_handle node, const gpu::kernel_node* to) {
  const hipKernelNodeParams parameters = parameters_of(*to);
  return call(&driver::hipGraphExecKernelNodeSetParams, graph, node, &parameters);
}
gpu::result_code add_copy_node(gpu::node_handle* node, gpu::graph_handle graph, const gpu::node_handle* before,
                               std::size_t count, const gpu::copy_node* added, gpu::context_handle) {
  return call(&driver::hipGraphAddMemcpyNode1D, node, graph, before, count, added->destination, added->source,
              added->bytes, hipMemcpyDefault);
}
gpu::result_code add_fill_node(gpu::node_handle* node, gpu::graph_handle graph, const gpu::node_handle* before,
                               std::size_t count, const gpu::fill_node* added, gpu::context_handle) {
  const hipMemsetParams parameters{as<void*>(added->destination), added->element_bytes, added->height, added->pitch,
                                   added->value, added->width};
  return call(&driver::hipGraphAddMemsetNode, node, graph, before, count, &parameters);
}

void fill_in(driver& functions) {
  forward<&driver::hipDeviceGet>(functions.open_device);
  forward<&driver::hipDeviceCanAccessPeer>(functions.can_access_peer);
  functions.retain_context = retain_context;
  functions.set_context = set_context;
  functions.get_context = get_context;
  functions.enable_peer_access = enable_peer_access;
  forward<&driver::hipModuleLoadData>(functions.load_module);
  forward<&driver::hipModuleUnload>(functions.unload_module);
  forward<&driver::hipModuleGetFunction>(functions.find_function);
  forward<&driver::hipModuleGetGlobal>(functions.find_variable);
  forward<&driver::hipFuncGetAttribute>(functions.get_function_attribute);
  forward<&driver::hipModuleLaunchKernel>(functions.launch);
  forward<&driver::hipModuleOccupancyMaxActiveBlocksPerMultiprocessor>(functions.count_blocks_together);
  forward<&driver::hipStreamCreateWithFlags>(functions.make_stream);
  forward<&driver::hipStreamDestroy>(functions.destroy_stream);
  forward<&driver::hipStreamQuery>(functions.query_stream);
  forward<&driver::hipStreamSynchronize>(functions.finish_stream);
  forward<&driver::hipStreamWaitEvent>(functions.wait_for_event);
  forward<&driver::hipEventCreateWithFlags>(functions.make_event);
  forward<&driver::hipEventDestroy>(functions.destroy_event);
  forward<&driver::hipEventRecord>(functions.record_event);
  forward<&driver::hipEventQuery>(functions.query_event);
  forward<&driver::hipEventSynchronize>(functions.await_event);
  forward<&driver::hipEventElapsedTime>(functions.measure_time);
  forward<&driver::hipFree>(functions.free_memory);
  forward<&driver::hipMemGetInfo>(functions.get_memory_info);
  functions.allocate_host = allocate_host;
  forward<&driver::hipHostFree>(functions.free_host);
  forward<&driver::hipMallocManaged>(functions.allocate_managed);
  forward<&driver::hipMemPrefetchAsync>(functions.prefetch);
  forward<&driver::hipMemAdvise>(functions.advise);
  functions.copy = copy;
  forward<&driver::hipMemcpyDtoH>(functions.copy_to_host);
  functions.get_pointer_attribute = get_pointer_attribute;
  forward<&driver::hipMemsetD8Async>(functions.fill_8);
  forward<&driver::hipMemsetD16Async>(functions.fill_16);
  forward<&driver::hipMemsetD32Async>(functions.fill_32);
  forward<&driver::hipGraphCreate>(functions.make_graph);
  forward<&driver::hipGraphDestroy>(functions.destroy_graph);
  functions.add_kernel_node = add_kernel_node;
  functions.add_copy_node = add_copy_node;
  functions.add_fill_node = add_fill_node;
  forward<&driver::hipGraphAddEmptyNode>(functions.add_empty_node);
  forward<&driver::hipGraphAddChildGraphNode>(functions.add_graph_node);
  forward<&driver::hipGraphInstantiateWithFlags>(functions.make_executable);
  forward<&driver::hipGraphExecDestroy>(functions.destroy_executable);
  functions.change_kernel_node = change_kernel_node;
  forward<&driver::hipGraphLaunch>(functions.launch_graph);
  forward<&driver::hipMalloc>(functions.allocate);
  if (functions.hipModuleLaunchCooperativeKernel) {
    forward<&driver::hipModuleLaunchCooperativeKernel>(functions.launch_together);
  }
  functions.text_of = text_of;
  functions.fault_of_image = code_object_fault;
  functions.note_use = note_driver_use;
  functions.has_contexts = false;
}

/// Adds the functions of memory pools if all GPUs have pools.
void add_pools(driver& functions, int devices) {
  for (int each = 0; each < devices; ++each) {
    if (gpu_attribute(functions, each, hipDeviceAttributeMemoryPoolsSupported) == 0) return;
  }
  forward<&driver::hipDeviceGetDefaultMemPool>(functions.default_pool);
  forward<&driver::hipMemPoolSetAccess>(functions.set_pool_access);
  forward<&driver::hipMemPoolSetAttribute>(functions.set_pool_attribute);
  forward<&driver::hipMallocAsync>(functions.allocate_in_order);
  forward<&driver::hipFreeAsync>(functions.free_in_order);
}

opened::opened() {
  // Through these environment variables, the user could make HIP's runtime load any library with the program's rights.
  if (const char* variable = find_strangers_variable({"HSA_TOOLS_LIB", "ROCP_TOOL_LIB", "ROCP_TOOL_LIBRARIES"})) {
    problem = std::string("HIP is left out: the program has more rights than the user who set ") + variable;
    return;
  }
  void* handle = nullptr;
  for (const char* each : libraries) {
    if (!handle) handle = dlopen(each, RTLD_NOW | RTLD_LOCAL);
  }
  if (!handle) {
    problem = std::string("no HIP runtime (") + libraries[0] + " or an older one; it comes with AMD's ROCm)";
    return;
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (!function && problem.empty()) problem = std::string("HIP's runtime has no function ") + name;
  };
  // Runtimes of all versions have this function.
  find(functions.hipDriverGetVersion, "hipDriverGetVersion");
  if (functions.hipDriverGetVersion) functions.hipDriverGetVersion(&functions.version);
  if (functions.version < least_version) {
    problem = "HIP's runtime is too old: it is version " + version_text(functions.version) + ", " +
              version_text(least_version) + " is needed";
    return;
  }
  find(functions.hipGetErrorName, "hipGetErrorName");
  find(functions.hipGetErrorString, "hipGetErrorString");
#define SINTER_HIP_FIND(name, parameters) find(functions.name, #name);
  SINTER_HIP_FUNCTIONS(SINTER_HIP_FIND)
  const std::string missing = problem;
  SINTER_HIP_OPTIONAL_FUNCTIONS(SINTER_HIP_FIND)
#undef SINTER_HIP_FIND
  problem = missing;
  if (!problem.empty()) return;
  // hipGetDeviceCount is called first: without a GPU, other functions return an error that does not name the reason.
  int devices = 0;
  hipError_t result = functions.hipGetDeviceCount(&devices);
  note_driver_use();
  if (result == hipErrorNoDevice || (result == hipSuccess && devices == 0)) {
    problem = "HIP " + version_text(functions.version) + " finds no device";
    return;
  }
  if (result == hipSuccess) result = functions.hipInit(0);
  if (result != hipSuccess) {
    const char* text = functions.hipGetErrorString(result);
    problem = std::string("HIP can't be used: ") + (text ? text : "unknown error");
    return;
  }
  fill_in(functions);
  add_pools(functions, devices);
  usable = true;
  Dl_info place;
  if (dladdr(dlsym(handle, "hipInit"), &place) && place.dli_fname) functions.file = file_stamp(place.dli_fname);
}

hip_gpu describe(const driver& functions, int device) {
  const auto ask = [&](hipError_t result, const char* what) {
    gpu::check(functions, result, std::string("asking for ") + what + " of a GPU");
  };
  const auto attribute = [&](hipDeviceAttribute_t which) { return gpu_attribute(functions, device, which); };
  char name[256] = {};
  std::size_t bytes = 0;
  ask(functions.hipDeviceGetName(name, sizeof(name) - 1, device), "the name");
  ask(functions.hipDeviceTotalMem(&bytes, device), "the memory");
  std::string whole;
  if (functions.hipGetDevicePropertiesR0600) {
    hipDevicePropR0600 properties{};
    ask(functions.hipGetDevicePropertiesR0600(&properties, device), "properties");
    whole = properties.gcnArchName;
  } else if (functions.hipGetDeviceProperties) {
    hipDevicePropR0000 properties{};
    ask(functions.hipGetDeviceProperties(&properties, device), "properties");
    whole = properties.gcnArchName;
  }
  hip_gpu result{.description = {}, .whole_name = whole};
  gpu::gpu_description& its = result.description;
  its.architecture = whole.substr(0, whole.find(':'));
  its.name = name[0] != '\0' ? name : "AMD GPU " + its.architecture;
  its.memory_bytes = bytes;
  its.multiprocessors = static_cast<unsigned>(attribute(hipDeviceAttributeMultiprocessorCount));
  // On all GPUs so far, a wave has at most 2^23 - 1024 bytes of private memory, because the hardware's encoding of the
  // size has no larger number.
  its.private_bytes = ((1u << 23) - 1024) / static_cast<unsigned>(std::max(attribute(hipDeviceAttributeWarpSize), 1));
  its.local_bytes = static_cast<unsigned>(attribute(hipDeviceAttributeMaxSharedMemoryPerBlock));
  its.moves_pages = attribute(hipDeviceAttributeConcurrentManagedAccess) != 0;
  // HIP versions that store the limit as an unsigned number of 32 bits return -1.
  const auto grid = [&](hipDeviceAttribute_t which) {
    const int most = attribute(which);
    return most > 0 ? static_cast<std::uint64_t>(most) : std::uint64_t{std::numeric_limits<std::int32_t>::max()};
  };
  its.most_blocks_x = grid(hipDeviceAttributeMaxGridDimX);
  its.most_blocks_yz = std::min({grid(hipDeviceAttributeMaxGridDimY), grid(hipDeviceAttributeMaxGridDimZ),
                                 std::uint64_t{65535}});
  // The hardware counts work-items of a grid in 32 bits.
  its.most_items = std::numeric_limits<std::uint32_t>::max();
  return result;
}

}  // namespace

const driver* find_driver() {
  opened& found = the_driver();
  return found.usable ? &found.functions : nullptr;
}

const std::string& driver_problem() { return the_driver().problem; }

std::string version_text(int version) {
  return std::to_string(version / 10000000) + "." + std::to_string(version % 10000000 / 100000);
}

int gpu_attribute(const driver& functions, int device, hipDeviceAttribute_t which) {
  int value = 0;
  // If a GPU lacks an attribute, the function returns an error.
  return functions.hipDeviceGetAttribute(&value, which, device) == hipSuccess ? value : 0;
}

std::vector<hip_gpu> find_gpus() {
  std::vector<hip_gpu> result;
  const driver* functions = find_driver();
  if (!functions) return result;
  int count = 0;
  gpu::check(*functions, functions->hipGetDeviceCount(&count), "counting GPUs");
  for (int i = 0; i < count; ++i) result.push_back(describe(*functions, i));
  return result;
}

}  // namespace sinter::hip
