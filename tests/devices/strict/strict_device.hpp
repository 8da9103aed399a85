#pragma once
/// Devices of the strict driver, and facts about their backend.

#include <backends/backend_row.hpp>
#include <backends/driver_device.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "strict_stream.hpp"

namespace strict {

class strict_device final : public sinter::driver_device {
public:
  /// `tiles` is the number of the device's tiles. `tiles` is 1 if the device is not divided, or if the device itself is
  /// a tile.
  strict_device(std::string name, std::size_t number, std::uint32_t tiles);

  const sinter::device_facts& facts() const override { return m_facts; }
  const sinter::code_target& target() const noexcept override;
  std::vector<sinter::device_backend*> tile_devices() override;
  void check_memory(const sinter::kernel_launch&) const override {}
  void hold(const sinter::abi::kernel_descriptor& kernel) noexcept override;
  void let_go(const sinter::abi::kernel_descriptor& kernel) noexcept override;
  void prepare(sinter::kernel_launch&) override {}
  std::unique_ptr<sinter::device_stream> make_stream(const sinter::stream_use& use) override;
  bool reaches(const sinter::device_backend& other) const noexcept override;
  void* allocate(sinter::memory_kind kind, std::size_t bytes, std::size_t alignment) override;
  std::uint64_t free_memory() override;
  void deallocate(void* pointer) noexcept override { memory::instance().free(pointer); }
  bool share_host_memory(void* begin, std::size_t bytes) override { return memory::instance().share(begin, bytes); }
  void unshare_host_memory(void* begin) noexcept override { memory::instance().unshare(begin); }

  /// Keeps the objects of a destroyed stream until the stream's work is complete and no command waits for this work.
  void keep(std::unique_ptr<stream_objects> objects);

private:
  sinter::device_facts m_facts;
  const std::size_t m_number;
  std::vector<std::unique_ptr<strict_device>> m_tiles;

  std::mutex m_mutex;  // protects the members below
  std::vector<std::unique_ptr<stream_objects>> m_left;
};

const std::vector<sinter::device_backend*>& devices();
sinter::driver_state state();

}  // namespace strict
