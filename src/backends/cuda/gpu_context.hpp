#pragma once
/// A GPU of the driver, with the parts that its memory, streams and programs share.
///
/// The driver's context takes a tenth of a second to make, and is made at the first use of the GPU.

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <backends/device.hpp>

#include "driver.hpp"
#include "gpus.hpp"
#include "staged_copies.hpp"

namespace sinter::cuda {

inline CUdeviceptr address_of(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

class gpu_context {
public:
  /// Throws sycl::exception.
  gpu_context(const driver& functions, int ordinal, gpu description);
  gpu_context(const gpu_context&) = delete;

  const driver& functions() const noexcept { return m_functions; }
  int ordinal() const noexcept { return m_ordinal; }
  CUdevice device() const noexcept { return m_device; }
  CUcontext native() {
    use();
    return m_context.load(std::memory_order_relaxed);
  }
  const gpu& description() const noexcept { return m_description; }
  const std::string& name() const noexcept { return m_description.name; }
  int attribute(CUdevice_attribute which) const;
  /// From now on, driver calls of this thread are for this GPU.
  void use();
  CUresult try_to_use() noexcept;
  /// Valid once the context is open.
  CUcontext native() const noexcept { return m_context.load(std::memory_order_acquire); }
  bool is_open() const noexcept { return m_context.load(std::memory_order_acquire) != nullptr; }
  /// Throws the error for a result that is no success, with the device's name.
  void check(CUresult result, const std::string& doing) const {
    if (result != CUDA_SUCCESS) fail(result, doing);
  }
  /// Makes the text of `doing` only on failure, because it would cost more than the call.
  template <class Words>
    requires(std::is_invocable_v<const Words&>)
  void check(CUresult result, const Words& doing) const {
    if (result != CUDA_SUCCESS) fail(result, doing());
  }

  /// Returns null when there is no memory.
  void* allocate(memory_kind kind, std::size_t bytes);
  void deallocate(void* memory) noexcept;
  std::size_t free_memory();
  /// Work of the runtime's own, which takes moments: initialisation of memory.
  CUstream service_stream() const noexcept { return m_service; }
  void finish_service() const;
  /// Which other GPUs' memory it may reach once both are used. Called once, before it is.
  void know(std::vector<gpu_context*> others) { m_others = std::move(others); }
  bool reaches(gpu_context& other);
  staged_copies& staged() noexcept { return m_staged; }

private:
  [[noreturn]] void fail(CUresult result, const std::string& doing) const;
  CUresult open(const char*& doing) noexcept;
  void connect(gpu_context& other) noexcept;

  const driver& m_functions;
  const int m_ordinal;
  const gpu m_description;
  CUdevice m_device = 0;
  std::vector<gpu_context*> m_others;
  // Set where the context is made, under the mutex for all.
  std::atomic<CUcontext> m_context{nullptr};
  CUmemoryPool m_pool = nullptr;
  CUstream m_service = nullptr;
  std::set<const gpu_context*> m_reached;

  staged_copies m_staged{*this};

  std::mutex m_mutex;  // protects what follows
  std::map<void*, memory_kind> m_allocations;
};

}  // namespace sinter::cuda
