#pragma once
/// A GPU and its context in the driver, which memory, streams and programs of the GPU share.
///
/// The driver needs a tenth of a second to make a context. Contexts are therefore made at the first use of a GPU.

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
  std::uint64_t private_bytes = 0;  ///< most private memory of a work-item, without registers
  unsigned local_bytes = 0;         ///< local memory that launches may have without set_function_attribute
  /// True if each page of shared memory migrates when it is accessed. False if all pages migrate together.
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
  /// Makes the GPU's context current: from now on, this thread's driver calls are for this GPU. Opens the context on
  /// the first call.
  void use();
  result_code try_to_use() noexcept;
  /// Valid once the context is open.
  context_handle native() const noexcept { return m_context.load(std::memory_order_acquire); }
  bool is_open() const noexcept { return m_context.load(std::memory_order_acquire) != nullptr; }
  /// If the result is an error, throws an exception that names the device.
  void check(result_code result, const std::string& doing) const {
    if (result != success) fail(result, doing);
  }
  /// Does what `check` above does, but makes the text only on failure, because making the text would take longer than
  /// the driver call.
  template <class Words>
    requires(std::is_invocable_v<const Words&>)
  void check(result_code result, const Words& doing) const {
    if (result != success) fail(result, doing());
  }

  /// Returns null if there is no more memory.
  void* allocate(memory_kind kind, std::size_t bytes);
  void deallocate(void* memory) noexcept;
  std::size_t free_memory();
  /// Returns the stream for short work of the runtime itself, such as initialisation of memory.
  stream_handle service_stream() const noexcept { return m_service; }
  void finish_service() const;
  /// Remembers the other GPUs. This GPU may access another GPU's memory when the contexts of both GPUs are open. Called
  /// once, before the first use.
  void know(std::vector<gpu_context*> others) { m_others = std::move(others); }
  bool reaches(gpu_context& other);
  /// Adds a program whose kernels may print. From then on, print_texts prints the program's texts.
  void know(printed_texts& texts);
  /// Prints the program's remaining texts, and removes the program.
  void forget(printed_texts& texts);
  void print_texts();
  /// Converts a copy to the driver's structure.
  copy_node node_of(const texel_copy& copy) const;
  /// Converts a copy of rows or planes to the driver's structure. Returns nothing if the driver has to copy the rows
  /// one by one.
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
