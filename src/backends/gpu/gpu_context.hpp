#pragma once
/// A GPU of the driver, with the parts that its memory, streams and programs share.
///
/// The driver needs a tenth of a second to make a context, which is therefore made at the first use of the GPU.

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
  std::string name;          ///< for example "NVIDIA H200"
  std::string architecture;  ///< the compilers' name of the architecture: "sm_90", "gfx942"
  std::uint64_t memory_bytes = 0;
  unsigned multiprocessors = 0;
  std::uint64_t private_bytes = 0;  ///< most private memory of a work-item, beside registers
  unsigned local_bytes = 0;         ///< local memory that launches may have without set_function_attribute
  /// Pages of shared memory move one by one to their users; otherwise all pages move together.
  bool moves_pages = false;
  std::uint64_t most_blocks_x = 0x7fffffff, most_blocks_yz = 65535;  ///< most blocks of a grid
  std::uint64_t most_items = ~std::uint64_t{0};                      ///< most work-items of a grid, in each dimension
};

inline device_address address_of(const void* memory) { return reinterpret_cast<device_address>(memory); }

class gpu_context {
public:
  /// The constructor throws sycl::exception.
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
  /// If the result is an error, throws an exception that names the device.
  void check(result_code result, const std::string& doing) const {
    if (result != success) fail(result, doing);
  }
  /// Does the same, but makes the text only on failure, because the text would cost more than the call.
  template <class Words>
    requires(std::is_invocable_v<const Words&>)
  void check(result_code result, const Words& doing) const {
    if (result != success) fail(result, doing());
  }

  /// Returns null if there is no memory.
  void* allocate(memory_kind kind, std::size_t bytes);
  void deallocate(void* memory) noexcept;
  std::size_t free_memory();
  /// Returns the stream for short work of the runtime itself, such as initialisation of memory.
  stream_handle service_stream() const noexcept { return m_service; }
  void finish_service() const;
  /// Sets the other GPUs whose memory this GPU may reach once the two are used. Called once, before the first use.
  void know(std::vector<gpu_context*> others) { m_others = std::move(others); }
  bool reaches(gpu_context& other);
  /// Adds the texts of a program whose kernels may print.
  void know(printed_texts& texts);
  /// Prints the texts that are left, and removes the program.
  void forget(printed_texts& texts);
  void print_texts();
  /// Returns the driver's form of a copy.
  copy_node node_of(const texel_copy& copy) const;
  /// Returns the driver's form of a copy of rows or planes, or nothing if the driver has to copy them one by one.
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
  // The members below are set when the context is made, under the mutex for all contexts.
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
