#include "strict_device.hpp"

#include <algorithm>
#include <images/code_variant.hpp>

#include <runtime/test_devices.hpp>
#include <sycl/backend_enum.hpp>

namespace strict {
namespace {

const char family_of_devices = 0;
constexpr std::size_t memory_bytes = std::size_t{1} << 28;

}  // namespace

strict_device::strict_device(std::string name, std::size_t number, std::uint32_t tiles)
    : driver_device(&family_of_devices), m_facts(sycl::detail::host_device().facts()), m_number(number) {
  m_facts.name = std::move(name);
  m_facts.vendor = "Nobody";
  m_facts.driver_version = "1";
  m_facts.platform_name = "Strict driver";
  // Sinter has no name for this backend, so the device reports HIP's.
  m_facts.backend = static_cast<std::uint8_t>(sycl::backend::ext_oneapi_hip);
  m_facts.is_integrated = true;
  m_facts.is_divisible = false;
  m_facts.tiles = tiles;
  m_facts.compute_units = 1;
  m_facts.global_memory_bytes = m_facts.max_allocation_bytes = memory_bytes;
  for (std::uint32_t i = 0; tiles > 1 && i < tiles; ++i) {
    m_tiles.push_back(std::make_unique<strict_device>(m_facts.name + " tile " + std::to_string(i), number, 1));
  }
}

/// The strict driver's kernels are compiled for the CPU.
const sinter::code_target& strict_device::target() const noexcept {
  return sycl::detail::host_device().target();
}

void strict_device::hold(const sinter::abi::kernel_descriptor& kernel) noexcept {
  sycl::detail::host_device().hold(kernel);
}
void strict_device::let_go(const sinter::abi::kernel_descriptor& kernel) noexcept {
  sycl::detail::host_device().let_go(kernel);
}

std::vector<sinter::device_backend*> strict_device::tile_devices() {
  std::vector<sinter::device_backend*> all;
  for (const auto& each : m_tiles) all.push_back(each.get());
  return all;
}

std::unique_ptr<sinter::device_stream> strict_device::make_stream(const sinter::stream_use& use) {
  {
    std::lock_guard lock(m_mutex);
    std::erase_if(m_left, [](const auto& each) { return each->can_go(); });
  }
  return std::make_unique<strict_stream>(*this, use);
}

void strict_device::keep(std::unique_ptr<stream_objects> objects) {
  std::lock_guard lock(m_mutex);
  m_left.push_back(std::move(objects));
}

/// A device can access the memory of devices with smaller numbers.
bool strict_device::reaches(const sinter::device_backend& other) const noexcept {
  return is_ordered_with(other) && static_cast<const strict_device&>(other).m_number <= m_number;
}

std::uint64_t strict_device::free_memory() { return memory_bytes - memory::instance().bytes_on(m_number); }

void* strict_device::allocate(sinter::memory_kind kind, std::size_t bytes, std::size_t alignment) {
  return memory::instance().allocate(m_number, kind, bytes, alignment);
}

const std::vector<sinter::device_backend*>& devices() {
  static const auto* all = [] {
    auto* list = new std::vector<sinter::device_backend*>;
    for (const char* name : {"Strict CPU 1", "Strict CPU 2"}) {
      memory::instance().add_device(memory_bytes);
      list->push_back(new strict_device(name, list->size(), 2));
    }
    return list;
  }();
  return *all;
}

sinter::driver_state state() {
  return {.label = "Strict", .driver = "a driver that tests bring", .devices = {"Strict CPU 1", "Strict CPU 2"}};
}

}  // namespace strict
