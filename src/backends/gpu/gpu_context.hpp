#pragma once
/// A GPU of the driver, with the parts that its memory, streams and programs share.
///
/// The driver's context takes a tenth of a second to make, and is made at the first use of the GPU.

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <backends/device.hpp>

#include "driver.hpp"
#include "printed_texts.hpp"
#include "staged_copies.hpp"

namespace sinter::gpu {

/// Facts about a GPU that are known before it is used.
struct gpu_description {
  std::string name;          ///< "NVIDIA H200"
  std::string architecture;  ///< as compilers call it: "sm_90", "gfx942"
  std::uint64_t memory_bytes = 0;
  unsigned multiprocessors = 0;
  std::uint64_t private_bytes = 0;  ///< that a work-item can have beside registers
  unsigned local_bytes = 0;         ///< that launches may have without set_function_attribute
  bool moves_pages = false;         ///< shared memory, page by page, to its users; otherwise it is moved as a whole
  std::uint64_t most_blocks_x = 0x7fffffff, most_blocks_yz = 65535;  ///< of a grid
  std::uint64_t most_items = ~std::uint64_t{0};                      ///< of a grid, in each dimension
};

inline device_address address_of(const void* memory) { return reinterpret_cast<device_address>(memory); }

class gpu_context {
public:
  /// Throws sycl::exception.
  gpu_context(const driver& functions, int ordinal, gpu_description description);
  gpu_context(const gpu_context&) = delete;

  const driver& functions() const noexcept { return m_functions; }
  int ordinal() const noexcept { return m_ordinal; }
  device_number device() const noexcept { return m_device; }
  context_handle native() {
    use();
    return m_context.load(std::memory_order_relaxed);
  }
  const gpu_description& description() const noexcept { return m_description; }
  const std::string& name() const noexcept { return m_description.name; }
  /// From now on, driver calls of this thread are for this GPU.
  void use();
  result_code try_to_use() noexcept;
  /// Valid once the context is open.
  context_handle native() const noexcept { return m_context.load(std::memory_order_acquire); }
  bool is_open() const noexcept { return m_context.load(std::memory_order_acquire) != nullptr; }
  /// Throws the error for a result that is no success, with the device's name.
  void check(result_code result, const std::string& doing) const {
    if (result != success) fail(result, doing);
  }
  /// Makes the text of `doing` only on failure, because it would cost more than the call.
  template <class Words>
    requires(std::is_invocable_v<const Words&>)
  void check(result_code result, const Words& doing) const {
    if (result != success) fail(result, doing());
  }

  /// Returns null when there is no memory.
  void* allocate(memory_kind kind, std::size_t bytes);
  void deallocate(void* memory) noexcept;
  std::size_t free_memory();
  /// Work of the runtime's own, which takes moments: initialisation of memory.
  stream_handle service_stream() const noexcept { return m_service; }
  void finish_service() const;
  /// Which other GPUs' memory it may reach once both are used. Called once, before the first use.
  void know(std::vector<gpu_context*> others) { m_others = std::move(others); }
  bool reaches(gpu_context& other);
  /// Texts of a program that kernels may be printing.
  void know(printed_texts& texts);
  /// Prints what is left.
  void forget(printed_texts& texts);
  void print_texts();
  /// The driver's form of a copy.
  copy_node node_of(const texel_copy& copy) const;
  /// Likewise of rows or planes; nothing where the driver has to copy them one by one.
  std::optional<copy_node> node_of(const abi::strided_copy& copy) const;
  staged_copies& staged() noexcept { return m_staged; }

private:
  [[noreturn]] void fail(result_code result, const std::string& doing) const;
  result_code open(const char*& doing) noexcept;
  void connect(gpu_context& other) noexcept;

  const driver& m_functions;
  const int m_ordinal;
  const gpu_description m_description;
  device_number m_device = 0;
  std::vector<gpu_context*> m_others;
  // Set where the context is made, under the mutex for all.
  std::atomic<context_handle> m_context{nullptr};
  pool_handle m_pool = nullptr;
  stream_handle m_service = nullptr;
  std::set<const gpu_context*> m_reached;

  staged_copies m_staged{*this};

  std::mutex m_texts_mutex;  // protects the members below
  std::vector<printed_texts*> m_texts;

  std::mutex m_mutex;  // protects the members below
  std::map<void*, memory_kind> m_allocations;
};

}  // namespace sinter::gpu
