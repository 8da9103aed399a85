/// A libcuda.so.1 for machines that have none: the functions of NVIDIA's driver that the GPU backend calls, without a
/// GPU. Kernels do nothing, memory is the host's, and work is complete after a number of queries. The library counts
/// the calls.

#include "fake_driver.hpp"

#include <atomic>
#include <backends/cuda/driver.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

fake_driver_counts fake_driver_calls;
thread_local long queries = 0;
long queries_of_this_thread() { return queries; }

namespace {

using namespace sinter::cuda;
namespace gpu = sinter::gpu;
/// NVIDIA's driver returns this error from every call once the program has ended.
constexpr CUresult deinitialized = 4;
std::atomic<bool> has_ended{false};
constexpr CUresult not_found = 500;
using sinter::gpu::success, sinter::gpu::out_of_memory, sinter::gpu::not_ready;

/// Protects the linker and the machine code that the linker produces.
std::mutex assembling;
constexpr const char* code_format = "machine code for %u blocks";

/// Makes a handle, which only has to be unique.
template <class Handle>
int give(Handle* handle) {
  static char object;
  *handle = reinterpret_cast<Handle>(&object);
  return success;
}

/// An event is ready after `questions_until_ready` queries.
struct event {
  int questions = 0;
};

/// The sizes of allocations. All allocations count as memory of the device.
std::mutex allocating;
std::map<CUdeviceptr, std::size_t> sizes;

int allocate(CUdeviceptr* memory, std::size_t bytes) {
  if (has_ended) return deinitialized;
  if (bytes > (std::size_t{3} << 28)) return out_of_memory;
  void* found = nullptr;
  if (posix_memalign(&found, 256, bytes) != 0) return out_of_memory;
  *memory = reinterpret_cast<CUdeviceptr>(found);
  ++fake_driver_calls.allocations;
  std::lock_guard lock(allocating);
  sizes[*memory] = bytes;
  return success;
}

int deallocate(void* memory) {
  if (has_ended) return deinitialized;
  {
    std::lock_guard lock(allocating);
    sizes.erase(reinterpret_cast<CUdeviceptr>(memory));
  }
  std::free(memory);
  --fake_driver_calls.allocations;
  return success;
}

template <class T>
int fill(CUdeviceptr memory, T value, std::size_t count) {
  if (has_ended) return deinitialized;
  for (std::size_t i = 0; i < count; ++i) reinterpret_cast<T*>(memory)[i] = value;
  return success;
}

int attribute(int which) {
  switch (which) {
    case 1:
    case 2:
    case 3:
      return 1024;  // limits of a work-group's size, and of its dimensions x and y
    case 4:
      return 64;  // limit of a work-group's dimension z
    case 39:
      return 2048;  // work-items that a multiprocessor can hold
    case 75:
      return 9;  // compute capability
    case 76:
      return 0;
    case 82:
      return 65536;  // registers of a multiprocessor
    case 86:
      return 0;  // atomic operations of host and device on the same memory
    case 97:
      return 232448;  // local memory
    case 106:
      return 32;  // blocks that a multiprocessor can hold
    default:
      return 1;
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// These declarations use the backend's types, because a sanitizer reports calls through a function type that differs
// from the function's own.
#define DECLARE(name, symbol, parameters) CUresult symbol parameters;
SINTER_CUDA_FUNCTIONS(DECLARE)
#undef DECLARE

// Like NVIDIA's driver, the fake driver stops working when the program ends, even if the program still calls it.
int cuInit(unsigned) {
  if (fake_driver_calls.init_result == success) std::atexit([] { has_ended = true; });
  return fake_driver_calls.init_result;
}
int cuDriverGetVersion(int* version) { return *version = fake_driver_calls.version, success; }
int cuGetErrorName(int result, const char** text) {
  *text = result == out_of_memory   ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == deinitialized ? "CUDA_ERROR_DEINITIALIZED"
                                    : "CUDA_ERROR_PLANTED";
  return success;
}
int cuGetErrorString(int, const char** text) { return *text = "planted", success; }
int cuDeviceGetCount(int* count) { return *count = 2, success; }
int cuDeviceGet(CUdevice* device, int ordinal) { return *device = ordinal, success; }
int cuDeviceGetName(char* name, int, CUdevice) { return std::strcpy(name, "Fake GPU"), success; }
int cuDeviceGetUuid_v2(CUuuid*, CUdevice) { return success; }
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = std::size_t{3} << 28, success; }
int cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) { return *value = attribute(which), success; }
int cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice) { return give(pool); }
int cuDeviceCanAccessPeer(int* can, int, int) { return *can = 1, success; }
int cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  ++fake_driver_calls.contexts;
  static char contexts[2];
  return *context = reinterpret_cast<CUcontext>(contexts + device), success;
}
int cuCtxSetCurrent(CUcontext) { return success; }
int cuCtxGetCurrent(CUcontext* context) { return give(context); }
int cuCtxEnablePeerAccess(CUcontext, unsigned) { return success; }
int cuModuleLoadData(CUmodule* module, const void* image) {
  if (has_ended) return deinitialized;
  ++fake_driver_calls.modules;
  std::lock_guard lock(assembling);
  fake_driver_calls.loaded_text =
      std::sscanf(static_cast<const char*>(image), code_format, &fake_driver_calls.blocks_loaded) != 1;
  return give(module);
}
int cuModuleUnload(CUmodule) { return --fake_driver_calls.modules, success; }
int cuModuleGetFunction(CUfunction* function, CUmodule, const char*) { return give(function); }
int cuModuleGetGlobal_v2(CUdeviceptr*, std::size_t*, CUmodule, const char* name) {
  return fake_driver_calls.prints && std::strcmp(name, "sinter_prints") == 0 ? success : not_found;
}
/// The real driver's compiler makes static objects at its first use.
int cuLinkCreate_v2(unsigned, CUjit_option*, void**, CUlinkState* state) {
  static std::atomic<bool> compiler_has_ended{false};
  [[maybe_unused]] static const int registered = std::atexit([] { compiler_has_ended = true; });
  if (compiler_has_ended) std::abort();
  return has_ended ? deinitialized : give(state);
}
int cuLinkAddData_v2(CUlinkState, CUjitInputType, void* text, std::size_t bytes, const char*, unsigned, CUjit_option*,
                     void**) {
  const long number = ++fake_driver_calls.assembled;
  constexpr std::string_view directive = ".minnctapersm ";
  const std::string_view code(static_cast<const char*>(text), bytes);
  const std::size_t place = code.find(directive);
  std::lock_guard lock(assembling);
  fake_driver_calls.blocks_asked.push_back(
      place == code.npos ? 0 : static_cast<unsigned>(std::atoi(code.data() + place + directive.size())));
  // Scripts that read the code of whole programs set this variable.
  if (const char* folder = std::getenv("FAKE_DRIVER_PTX")) {
    const std::string path = std::string(folder) + "/" + std::to_string(number) + ".ptx";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file || std::fwrite(text, 1, bytes, file) != bytes || std::fclose(file) != 0) std::abort();
  }
  return success;
}
int cuLinkComplete(CUlinkState, void** image, std::size_t* bytes) {
  thread_local char code[64];
  std::lock_guard lock(assembling);
  *image = code;
  *bytes =
      static_cast<std::size_t>(std::snprintf(code, sizeof(code), code_format, fake_driver_calls.blocks_asked.back())) +
      1;
  return success;
}
int cuLinkDestroy(CUlinkState) { return success; }
int cuFuncGetAttribute(int* value, gpu::function_attribute which, CUfunction) {
  if (which == gpu::function_attribute::registers) {
    const bool is_other = fake_driver_calls.loaded_text && fake_driver_calls.registers_of_text != 0;
    return *value = is_other ? fake_driver_calls.registers_of_text : fake_driver_calls.registers, success;
  }
  const bool spills = fake_driver_calls.blocks_loaded > fake_driver_calls.blocks_without_spills;
  return *value = fake_driver_calls.private_bytes + (spills ? 64 : 0), success;
}
int cuFuncSetAttribute(CUfunction, gpu::function_attribute, int value) {
  return fake_driver_calls.dynamic_memory = value, success;
}
int cuLaunchKernel(CUfunction, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz,
                   unsigned shared, CUstream, void**, void**) {
  if (has_ended) return deinitialized;
  fake_driver_calls.launches.push_back({{x, y, z}, {tx, ty, tz}, shared});
  return fake_driver_calls.launch_result;
}
int cuLaunchCooperativeKernel(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty,
                              unsigned tz, unsigned shared, CUstream stream, void** parameters) {
  ++fake_driver_calls.launches_together;
  return cuLaunchKernel(function, x, y, z, tx, ty, tz, shared, stream, parameters, nullptr);
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  return *blocks = fake_driver_calls.blocks_together, success;
}
int cuStreamCreate(CUstream* stream, unsigned) { return give(stream); }
int cuStreamDestroy_v2(CUstream) { return success; }
int cuStreamQuery(CUstream) {
  ++queries;
  return fake_driver_calls.query_result != success        ? fake_driver_calls.query_result.load()
         : fake_driver_calls.questions_until_ready > 1000 ? not_ready
                                                          : success;
}
int cuStreamSynchronize(CUstream) { return has_ended ? deinitialized : success; }
int cuStreamWaitEvent(CUstream, CUevent, unsigned) { return ++fake_driver_calls.stream_waits, success; }
int cuEventCreate(CUevent* made, unsigned) {
  *made = reinterpret_cast<CUevent>(new event);
  return success;
}
int cuEventDestroy_v2(CUevent gone) {
  delete reinterpret_cast<event*>(gone);
  return success;
}
int cuEventRecord(CUevent recorded, CUstream) {
  reinterpret_cast<event*>(recorded)->questions = 0;
  ++fake_driver_calls.events;
  return fake_driver_calls.record_result;
}
int cuEventQuery(CUevent asked) {
  ++queries;
  if (fake_driver_calls.query_result != success) return fake_driver_calls.query_result;
  return ++reinterpret_cast<event*>(asked)->questions > fake_driver_calls.questions_until_ready ? success : not_ready;
}
int cuEventSynchronize(CUevent awaited) {
  ++fake_driver_calls.event_waits;
  reinterpret_cast<event*>(awaited)->questions = fake_driver_calls.questions_until_ready;
  return success;
}
int cuEventElapsedTime(float* milliseconds, CUevent, CUevent) { return *milliseconds = 1, success; }
int cuMemFree_v2(CUdeviceptr memory) { return deallocate(reinterpret_cast<void*>(memory)); }
int cuMemAllocAsync(CUdeviceptr* memory, std::size_t bytes, CUstream) { return allocate(memory, bytes); }
int cuMemFreeAsync(CUdeviceptr memory, CUstream) { return deallocate(reinterpret_cast<void*>(memory)); }
int cuMemPoolSetAccess(CUmemoryPool, const gpu::pool_access*, std::size_t) { return success; }
int cuMemPoolSetAttribute(CUmemoryPool, gpu::pool_attribute, void*) { return success; }
int cuMemGetInfo_v2(std::size_t* left, std::size_t* all) { return *left = *all = std::size_t{3} << 28, success; }
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  CUdeviceptr found = 0;
  const int result = allocate(&found, bytes);
  *memory = reinterpret_cast<void*>(found);
  return result;
}
int cuMemFreeHost(void* memory) { return deallocate(memory); }
int cuMemAllocManaged(CUdeviceptr* memory, std::size_t bytes, unsigned) { return allocate(memory, bytes); }
int cuMemPrefetchAsync(CUdeviceptr, std::size_t, CUdevice, CUstream) { return ++fake_driver_calls.prefetches, success; }
int cuMemAdvise(CUdeviceptr, std::size_t, gpu::memory_advice, CUdevice) { return ++fake_driver_calls.advices, success; }
int cuMemcpyAsync(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes, CUstream) {
  if (has_ended) return deinitialized;
  std::memmove(reinterpret_cast<void*>(destination), reinterpret_cast<const void*>(source), bytes);
  return ++fake_driver_calls.copies, success;
}
int cuMemcpyDtoH_v2(void* destination, CUdeviceptr source, std::size_t bytes) {
  if (has_ended) return deinitialized;
  std::memcpy(destination, reinterpret_cast<const void*>(source), bytes);
  return ++fake_driver_calls.copies, ++fake_driver_calls.waiting_copies, success;
}
int cuPointerGetAttribute(void* value, gpu::pointer_attribute, CUdeviceptr address) {
  std::lock_guard lock(allocating);
  const auto next = sizes.upper_bound(address);
  if (next == sizes.begin() || address >= std::prev(next)->first + std::prev(next)->second) {
    return gpu::invalid_value;
  }
  const unsigned type = gpu::device_memory_type;
  std::memcpy(value, &type, sizeof(type));
  return success;
}
int cuGraphCreate(CUgraph* graph, unsigned) { return give(graph); }
int cuGraphDestroy(CUgraph) { return success; }
int cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph, const CUgraphNode*, std::size_t before,
                            const gpu::kernel_node*) {
  ++fake_driver_calls.graph_nodes;
  fake_driver_calls.graph_edges += static_cast<long>(before);
  return give(node);
}
int cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph, const CUgraphNode*, std::size_t, const gpu::copy_node*,
                         CUcontext) {
  return ++fake_driver_calls.graph_nodes, give(node);
}
int cuGraphAddMemsetNode(CUgraphNode* node, CUgraph, const CUgraphNode*, std::size_t, const gpu::fill_node*,
                         CUcontext) {
  return ++fake_driver_calls.graph_nodes, give(node);
}
int cuGraphAddEmptyNode(CUgraphNode* node, CUgraph, const CUgraphNode*, std::size_t) { return give(node); }
int cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph, const CUgraphNode*, std::size_t before, CUgraph) {
  fake_driver_calls.graph_edges += static_cast<long>(before);
  return ++fake_driver_calls.graph_nodes, give(node);
}
int cuGraphInstantiateWithFlags(CUgraphExec* made, CUgraph, unsigned long long) { return give(made); }
int cuGraphExecDestroy(CUgraphExec) { return success; }
int cuGraphExecKernelNodeSetParams_v2(CUgraphExec, CUgraphNode, const gpu::kernel_node*) {
  return ++fake_driver_calls.graph_changes, success;
}
int cuGraphLaunch(CUgraphExec, CUstream) { return ++fake_driver_calls.graph_launches, success; }
int cuMemsetD8Async(CUdeviceptr memory, unsigned char value, std::size_t count, CUstream) {
  return fill(memory, value, count);
}
int cuMemsetD16Async(CUdeviceptr memory, unsigned short value, std::size_t count, CUstream) {
  return fill(memory, value, count);
}
int cuMemsetD32Async(CUdeviceptr memory, unsigned value, std::size_t count, CUstream) {
  return fill(memory, value, count);
}
}
#pragma GCC visibility pop
