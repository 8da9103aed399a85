#include "gpu_context.hpp"

#include <cstdlib>
#include <limits>

#include <sycl/exception.hpp>

namespace sinter::cuda {
namespace {

/// Contexts are made one at a time, because each is connected to all others.
std::mutex& opening() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

}  // namespace

gpu_context::gpu_context(const driver& functions, int ordinal, gpu description)
    : m_functions(functions), m_ordinal(ordinal), m_description(std::move(description)) {
  check(functions.cuDeviceGet(&m_device, ordinal), "opening the device");
}

int gpu_context::attribute(CUdevice_attribute which) const {
  int value = 0;
  check(m_functions.cuDeviceGetAttribute(&value, which, m_device), "asking for an attribute");
  return value;
}

void gpu_context::use() {
  const char* doing = "choosing the device";
  if (!is_open()) check(open(doing), [&] { return doing; });
  check(try_to_use(), [&] { return doing; });
}

CUresult gpu_context::try_to_use() noexcept {
  static constinit thread_local CUcontext current = nullptr;
  const char* doing = "";
  if (const CUresult result = is_open() ? CUDA_SUCCESS : open(doing); result != CUDA_SUCCESS) return result;
  const CUcontext context = m_context.load(std::memory_order_relaxed);
  if (current == context) return CUDA_SUCCESS;
  const CUresult result = m_functions.cuCtxSetCurrent(context);
  if (result == CUDA_SUCCESS) current = context;
  return result;
}

/// Returns the driver's error. Next time it is tried again.
CUresult gpu_context::open(const char*& doing) noexcept {
  std::lock_guard lock(opening());
  if (is_open()) return CUDA_SUCCESS;
  CUcontext context = nullptr, before = nullptr;
  doing = "making its context";
  CUresult result = m_functions.cuDevicePrimaryCtxRetain(&context, m_device);
  if (result != CUDA_SUCCESS) return result;
  // The thread keeps the context that it used before.
  m_functions.cuCtxGetCurrent(&before);
  result = m_functions.cuCtxSetCurrent(context);
  if (result == CUDA_SUCCESS) result = m_functions.cuStreamCreate(&m_service, CU_STREAM_NON_BLOCKING);
  doing = "setting up its memory";
  if (result == CUDA_SUCCESS) result = m_functions.cuDeviceGetDefaultMemPool(&m_pool, m_device);
  // Freed memory is kept: giving it back and taking it anew costs more than most kernels.
  std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
  if (result == CUDA_SUCCESS) {
    result = m_functions.cuMemPoolSetAttribute(m_pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
  }
  if (result == CUDA_SUCCESS) m_context.store(context, std::memory_order_release);
  for (gpu_context* each : m_others) {
    if (result != CUDA_SUCCESS || !each->is_open()) continue;
    connect(*each);
    each->connect(*this);
  }
  m_functions.cuCtxSetCurrent(before);
  note_driver_use();
  return result;
}

void gpu_context::fail(CUresult result, const std::string& doing) const {
  cuda::check(result, "device '" + name() + "': " + doing);
  std::abort();  // not reached: it is no success
}

std::size_t gpu_context::free_memory() {
  use();
  std::size_t left = 0, all = 0;
  check(m_functions.cuMemGetInfo(&left, &all), "asking for free memory");
  return left;
}

void* gpu_context::allocate(memory_kind kind, std::size_t bytes) {
  use();
  CUdeviceptr address = 0;
  void* memory = nullptr;
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
  if (kind == memory_kind::host) {
    result = m_functions.cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  } else if (kind == memory_kind::shared) {
    // The driver hands out more managed memory than there is, and then hangs.
    std::size_t left = free_memory();
    if (bytes > left) {
      // Memory that was freed may still be in use by commands.
      finish_service();
      left = free_memory();
    }
    if (bytes <= left) result = m_functions.cuMemAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL);
  } else {
    result = m_functions.cuMemAllocAsync(&address, bytes, m_service);
    if (result == CUDA_SUCCESS) finish_service();
  }
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  check(result, "allocating " + std::to_string(bytes) + " bytes");
  if (address != 0) memory = reinterpret_cast<void*>(address);
  std::lock_guard lock(m_mutex);
  m_allocations[memory] = kind;
  return memory;
}

void gpu_context::deallocate(void* memory) noexcept {
  memory_kind kind;
  {
    std::lock_guard lock(m_mutex);
    const auto found = m_allocations.find(memory);
    if (found == m_allocations.end()) return;
    kind = found->second;
    m_allocations.erase(found);
  }
  // A device that has failed has nothing to give back.
  if (try_to_use() != CUDA_SUCCESS) return;
  if (kind == memory_kind::device) {
    m_functions.cuMemFreeAsync(address_of(memory), m_service);
  } else if (kind == memory_kind::host) {
    m_functions.cuMemFreeHost(memory);
  } else {
    m_functions.cuMemFree(address_of(memory));
  }
}

void gpu_context::finish_service() const {
  check(m_functions.cuStreamSynchronize(m_service), "waiting for its memory");
}

/// Both contexts are open. From now on this GPU reaches the other one's memory, if the driver supports that.
void gpu_context::connect(gpu_context& other) noexcept {
  int can = 0;
  if (m_functions.cuDeviceCanAccessPeer(&can, m_device, other.m_device) != CUDA_SUCCESS || can == 0) return;
  if (m_functions.cuCtxSetCurrent(m_context) != CUDA_SUCCESS) return;
  const CUresult result = m_functions.cuCtxEnablePeerAccess(other.m_context, 0);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) return;
  // Memory of pools asks for itself.
  CUmemAccessDesc access{.location_id = m_ordinal};
  if (m_functions.cuMemPoolSetAccess(other.m_pool, &access, 1) == CUDA_SUCCESS) m_reached.insert(&other);
}

bool gpu_context::reaches(gpu_context& other) {
  use();
  other.use();
  std::lock_guard lock(opening());
  return m_reached.contains(&other);
}

}  // namespace sinter::cuda
