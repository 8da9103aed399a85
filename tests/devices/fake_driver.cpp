/// A libcuda.so.1 for machines that have none: what the GPU backend asks of NVIDIA's driver, without a GPU. Kernels do
/// nothing, memory is the host's, work is complete after a number of questions. Counts what is asked for.

#include "fake_driver.hpp"

#include <cstdlib>
#include <cstring>

fake_driver_counts fake_driver_calls;

namespace {

using address = unsigned long long;
constexpr int success = 0, out_of_memory = 2, not_found = 500, not_ready = 600;

int give(void** handle) {
  static char objects[16];
  *handle = objects;
  return success;
}

/// Streams and events need no difference: an event is ready when it was asked `questions_until_ready` times.
struct event {
  int questions = 0;
};

int allocate(address* memory, std::size_t bytes) {
  if (bytes > (std::size_t{1} << 30)) return out_of_memory;
  void* found = nullptr;
  if (posix_memalign(&found, 256, bytes) != 0) return out_of_memory;
  *memory = reinterpret_cast<address>(found);
  ++fake_driver_calls.allocations;
  return success;
}

int deallocate(void* memory) {
  std::free(memory);
  --fake_driver_calls.allocations;
  return success;
}

template <class T>
int fill(address memory, T value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) reinterpret_cast<T*>(memory)[i] = value;
  return success;
}

int attribute(int which) {
  switch (which) {
    case 1:
      return 1024;  // work-items of a group
    case 75:
      return 9;  // compute capability
    case 76:
      return 0;
    case 97:
      return 232448;  // local memory
    default:
      return 1;
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int cuInit(unsigned) { return fake_driver_calls.init_result; }
int cuDriverGetVersion(int* version) { return *version = fake_driver_calls.version, success; }
int cuGetErrorName(int result, const char** text) {
  *text = result == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_PLANTED";
  return success;
}
int cuGetErrorString(int, const char** text) { return *text = "planted", success; }
int cuDeviceGetCount(int* count) { return *count = 2, success; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, success; }
int cuDeviceGetName(char* name, int, int) { return std::strcpy(name, "Fake GPU"), success; }
int cuDeviceGetUuid_v2(void*, int) { return success; }
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = std::size_t{1} << 30, success; }
int cuDeviceGetAttribute(int* value, int which, int) { return *value = attribute(which), success; }
int cuDeviceGetDefaultMemPool(void** pool, int) { return give(pool); }
int cuDeviceCanAccessPeer(int* can, int, int) { return *can = 1, success; }
int cuDevicePrimaryCtxRetain(void** context, int device) {
  static char contexts[2];
  return *context = contexts + device, success;
}
int cuCtxSetCurrent(void*) { return success; }
int cuCtxGetCurrent(void** context) { return give(context); }
int cuCtxEnablePeerAccess(void*, unsigned) { return success; }
int cuModuleLoadDataEx(void** module, const void*, unsigned, void*, void**) {
  ++fake_driver_calls.modules;
  return give(module);
}
int cuModuleUnload(void*) { return --fake_driver_calls.modules, success; }
int cuModuleGetFunction(void** function, void*, const char*) { return give(function); }
int cuModuleGetGlobal_v2(address*, std::size_t*, void*, const char*) { return not_found; }
int cuLinkCreate_v2(unsigned, void*, void**, void** state) { return give(state); }
int cuLinkAddData_v2(void*, int, void*, std::size_t, const char*, unsigned, void*, void**) {
  ++fake_driver_calls.assembled;
  return success;
}
int cuLinkComplete(void*, void** image, std::size_t* bytes) {
  static char code[] = "machine code";
  *image = code;
  *bytes = sizeof(code);
  return success;
}
int cuLinkDestroy(void*) { return success; }
int cuFuncGetAttribute(int* value, int, void*) { return *value = fake_driver_calls.private_bytes, success; }
int cuFuncSetAttribute(void*, int, int value) { return fake_driver_calls.dynamic_memory = value, success; }
int cuLaunchKernel(void*, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz, unsigned shared,
                   void*, void**, void**) {
  fake_driver_calls.launches.push_back({{x, y, z}, {tx, ty, tz}, shared});
  return fake_driver_calls.launch_result;
}
int cuStreamCreate(void** stream, unsigned) { return give(stream); }
int cuStreamDestroy_v2(void*) { return success; }
int cuStreamQuery(void*) {
  ++fake_driver_calls.queries;
  return fake_driver_calls.query_result != success          ? fake_driver_calls.query_result.load()
         : fake_driver_calls.questions_until_ready > 1000 ? not_ready
                                                            : success;
}
int cuStreamSynchronize(void*) { return success; }
int cuStreamWaitEvent(void*, void*, unsigned) { return ++fake_driver_calls.stream_waits, success; }
int cuEventCreate(void** made, unsigned) {
  *made = new event;
  return success;
}
int cuEventDestroy_v2(void* gone) {
  delete static_cast<event*>(gone);
  return success;
}
int cuEventRecord(void* recorded, void*) {
  static_cast<event*>(recorded)->questions = 0;
  ++fake_driver_calls.events;
  return fake_driver_calls.record_result;
}
int cuEventQuery(void* asked) {
  ++fake_driver_calls.queries;
  if (fake_driver_calls.query_result != success) return fake_driver_calls.query_result;
  return ++static_cast<event*>(asked)->questions > fake_driver_calls.questions_until_ready ? success : not_ready;
}
int cuEventSynchronize(void* awaited) {
  static_cast<event*>(awaited)->questions = fake_driver_calls.questions_until_ready;
  return success;
}
int cuEventElapsedTime(float* milliseconds, void*, void*) { return *milliseconds = 1, success; }
int cuMemAlloc_v2(address* memory, std::size_t bytes) { return allocate(memory, bytes); }
int cuMemFree_v2(address memory) { return deallocate(reinterpret_cast<void*>(memory)); }
int cuMemAllocAsync(address* memory, std::size_t bytes, void*) { return allocate(memory, bytes); }
int cuMemFreeAsync(address memory, void*) { return deallocate(reinterpret_cast<void*>(memory)); }
int cuMemPoolSetAccess(void*, const void*, std::size_t) { return success; }
int cuMemPoolSetAttribute(void*, int, void*) { return success; }
int cuMemGetInfo_v2(std::size_t* left, std::size_t* all) { return *left = *all = std::size_t{1} << 30, success; }
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  address found = 0;
  const int result = allocate(&found, bytes);
  *memory = reinterpret_cast<void*>(found);
  return result;
}
int cuMemFreeHost(void* memory) { return deallocate(memory); }
int cuMemAllocManaged(address* memory, std::size_t bytes, unsigned) { return allocate(memory, bytes); }
int cuMemcpyAsync(address destination, address source, std::size_t bytes, void*) {
  std::memmove(reinterpret_cast<void*>(destination), reinterpret_cast<const void*>(source), bytes);
  return ++fake_driver_calls.copies, success;
}
int cuMemsetD8Async(address memory, unsigned char value, std::size_t count, void*) {
  return fill(memory, value, count);
}
int cuMemsetD16Async(address memory, unsigned short value, std::size_t count, void*) {
  return fill(memory, value, count);
}
int cuMemsetD32Async(address memory, unsigned value, std::size_t count, void*) { return fill(memory, value, count); }
}
#pragma GCC visibility pop
