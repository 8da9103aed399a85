#include "global_memory.hpp"

#include <images/code_variant.hpp>
#include <images/device_globals.hpp>
#include <images/kernel_name.hpp>
#include <images/registry.hpp>
#include <mutex>

#include <sycl/exception.hpp>

namespace sinter {
namespace {

std::shared_ptr<void> device_memory(device_backend& device, std::uint64_t bytes) {
  constexpr std::size_t alignment = 128;  // the alignment of the largest vectors
  void* memory = device.allocate(memory_kind::device, bytes, alignment);
  if (!memory) {
    sycl::detail::throw_error(sycl::errc::memory_allocation,
                              "device '" + device.facts().name + "' has no memory for a device_global of " +
                                  std::to_string(bytes) + " bytes");
  }
  return {memory, [&device](void* unused) { device.deallocate(unused); }};
}

}  // namespace

void* global_memory(device_backend& device, const void* variable, std::uint64_t bytes) {
  return device_global_on(&device, variable, bytes, [&](const std::string& initial, std::uint64_t its_bytes) {
    std::shared_ptr<void> memory = device_memory(device, its_bytes);
    if (initial.empty()) {
      device.fill({.destination = memory.get(), .pattern_bytes = 1, .count = its_bytes, .large = nullptr, .small = {}});
    } else {
      device.copy_bytes(memory.get(), initial.data(), its_bytes);
    }
    return memory;
  });
}

const void* table_of_globals(device_backend& device, const kernel_launch& launch) {
  gpu_program& program = *launch.code->gpu;
  if (program.globals.empty()) return nullptr;
  std::lock_guard lock(program.tables_mutex);
  std::shared_ptr<void>& table = program.global_tables[&device];
  if (table) return table.get();
  const std::vector<const void*>& imports = links_of(*launch.kernel).imports;
  std::vector<const void*> addresses;
  for (const std::uint32_t place : program.globals) {
    if (place >= imports.size()) {
      sycl::detail::throw_error(sycl::errc::runtime,
                                "kernel '" + kernel_display_name(*launch.kernel) +
                                    "': its code in the cache is another program's; remove the cache's folder "
                                    "(SINTER_CACHE_DIR)");
    }
    addresses.push_back(global_memory(device, imports[place], 0));
  }
  std::shared_ptr<void> made = device_memory(device, addresses.size() * sizeof(void*));
  device.copy_bytes(made.get(), addresses.data(), addresses.size() * sizeof(void*));
  table = std::move(made);
  return table.get();
}

}  // namespace sinter
