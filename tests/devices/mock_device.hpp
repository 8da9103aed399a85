#pragma once
/// A device for tests. The device has little memory, and the host must not access this memory. Each of the device's
/// streams is a slow thread. Kernels run as code for the CPU device.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <backends/device.hpp>

namespace test {

/// Device memory: the program gets addresses that it can't access, and the device's own threads use a second mapping of
/// the same memory.
class mock_memory {
public:
  explicit mock_memory(std::size_t bytes);
  mock_memory(const mock_memory&) = delete;

  void* allocate(std::size_t bytes, std::size_t alignment);
  void deallocate(void* memory);
  bool contains(const void* address) const noexcept;
  /// Translates an address for the device's threads; other addresses are not changed.
  void* seen_by_device(const void* address) const noexcept;
  std::size_t allocations() const;
  /// Whether the number of allocations falls to this number within a minute. A thread notices that a command is
  /// complete and then releases the command's memory. A busy machine may delay this thread.
  bool comes_to(std::size_t allocations) const;

private:
  std::size_t m_bytes;
  char *m_addresses, *m_view;
  mutable std::mutex m_mutex;                         // protects the members below
  std::map<std::size_t, std::size_t> m_free, m_used;  ///< offset and size of each block
};

class mock_device final : public sinter::device_backend {
public:
  /// Some commands wait for a random time of up to `delay` microseconds.
  mock_device(std::string name, std::size_t memory_bytes, unsigned delay);

  const sinter::device_facts& facts() const override { return m_facts; }
  const sinter::code_target& target() const noexcept override;
  const sinter::code_variant* bounded_code(const sinter::kernel_launch&) const noexcept override { return nullptr; }
  sinter::code_origin run(const sinter::kernel_launch&) override;
  void check_memory(const sinter::kernel_launch&) const override {}
  void hold(const sinter::abi::kernel_descriptor& kernel) noexcept override;
  void let_go(const sinter::abi::kernel_descriptor& kernel) noexcept override;
  void prepare(sinter::kernel_launch&) override {}
  std::unique_ptr<sinter::device_stream> make_stream(const sinter::stream_use& use) override;
  bool has_own_memory() const noexcept override { return true; }
  bool reaches(const sinter::device_backend& other) const noexcept override;
  void* allocate(sinter::memory_kind kind, std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* memory) noexcept override;
  void copy(const sinter::abi::strided_copy& copy) override;
  void fill(const sinter::memory_fill& fill) override;

  mock_memory& memory() noexcept { return m_memory; }
  unsigned delay() const noexcept { return m_delay; }
  /// The number of commands that will fail, beginning with the next one.
  std::atomic<int> failures{0};
  /// Whether the device supports host memory, which both the host and the device can access.
  std::atomic<bool> has_host_memory{true};

private:
  sinter::device_facts m_facts;
  mock_memory m_memory;
  const unsigned m_delay;
};

/// All mock devices. A copy uses this list to find the memory of each device.
const std::vector<mock_device*>& mock_devices();
/// Makes two mock devices and adds them to the devices of this program.
void add_mock_devices(std::size_t memory_bytes, unsigned delay);

}  // namespace test
