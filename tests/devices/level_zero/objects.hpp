#pragma once
/// Modules and kernels of the driver, and the structures into which its functions are grouped.

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <backends/level_zero/ze_abi_newer.hpp>

#include "cl_core.hpp"
#include "commands.hpp"

namespace judge {

/// Facts that the device reports.
inline constexpr std::uint32_t most_group_items = 1024, longest_pattern = 16;

/// The number in an environment variable that changes the driver's features, or `usual` if the variable is not set.
inline std::uint32_t layer(const char* variable, std::uint32_t usual = 0) {
  const char* const value = std::getenv(variable);
  return value ? static_cast<std::uint32_t>(std::atoi(value)) : usual;
}
inline std::uint32_t api_version() {
  return ZE_MAKE_VERSION(1, layer("TEST_ZE_API", layer("TEST_ZE_IN_ORDER") != 0 ? 9u : 3u));
}
inline bool has_doubles() { return layer("TEST_ZE_DOUBLE", 1) != 0; }
inline bool has_halves() { return layer("TEST_ZE_HALF", 1) != 0; }
inline bool has_wide_atomics() { return layer("TEST_ZE_ATOMIC64", 1) != 0; }
/// The device's stepping (hardware revision). A file contains the stepping, and tests change that file. A native binary
/// runs only on the stepping for which it was made.
inline std::uint64_t stepping() {
  const char* const path = std::getenv("TEST_ZE_STEPPING");
  std::uint64_t number = 0;
  if (path) std::ifstream(path) >> number;
  return number;
}
/// The largest number of bytes that all allocations together may have.
inline std::uint64_t memory_bytes(std::uint64_t usual) {
  const std::uint64_t mebibytes = layer("TEST_ZE_MEMORY");
  return mebibytes == 0 ? usual : mebibytes << 20;
}
/// Whether the first kernel faults. The device is lost after this fault.
inline bool loses_device() { return layer("TEST_ZE_LOST") != 0; }
inline std::atomic<bool>& is_lost() {
  static std::atomic<bool> lost{false};
  return lost;
}
inline std::uint32_t most_arguments() {
  static const std::uint32_t most = layer("TEST_ZE_ARGUMENTS", 2048);
  return most;
}
inline std::uint32_t spirv_version() { return ZE_MAKE_VERSION(1, layer("TEST_ZE_SPIRV", 2)); }
/// The newest version of SPIR-V that the compiler accepts, as the second word of a module. Intel's compiler has such a
/// limit.
inline std::uint32_t newest_module() { return 0x10000u | std::max(layer("TEST_ZE_SPIRV"), 3u) << 8; }
/// Whether the driver supports in-order lists. If it does, all immediate lists have to be in order.
inline bool has_ordered_lists() { return layer("TEST_ZE_IN_ORDER") != 0; }
/// If not 0, the compiler calls exit() with this number, as Intel's compiler does for some damaged modules.
inline int exit_of_compiler() { return static_cast<int>(layer("TEST_ZE_EXIT")); }
/// Whether the driver has extensions that are newer than its version.
inline bool has_mutable_lists() { return layer("TEST_ZE_MUTABLE") != 0; }
inline bool appends_lists() { return layer("TEST_ZE_APPEND") != 0; }
/// Calls that tests count.
struct driver_counts {
  std::atomic<std::uint64_t> lists{0}, executions{0}, changes{0}, groups{0};
};
driver_counts& counts();

void* newer_kernel_function(const std::string& name);
void* newer_list_function(const std::string& name);

struct build_log : object {
  std::string text;
};
struct module : object {
  cl_program program = nullptr;
  std::string spirv;
  std::map<std::string, kernel_facts> kernels;
  std::atomic<int> made_kernels{0};
};
struct kernel : object {
  module* of = nullptr;
  std::string name;
  const kernel_facts* facts = nullptr;
  cl_kernel native = nullptr;
  std::vector<argument> arguments;
  std::array<std::uint32_t, 3> group{}, offset{};
  bool indirect = false;
};

template <class Object, class Handle>
Object& of(Handle handle) {
  return *reinterpret_cast<Object*>(handle);
}

void fill(ze_driver_dditable_t& table);
void fill(ze_device_dditable_t& table);
void fill(ze_mem_dditable_t& table);
void fill(ze_context_dditable_t& table);
void fill(ze_module_dditable_t& table);
void fill(ze_module_build_log_dditable_t& table);
void fill(ze_kernel_dditable_t& table);
void fill(ze_kernel_exp_dditable_t& table);
void fill(ze_command_list_dditable_t& table);
void fill(ze_command_queue_dditable_t& table);
void fill(ze_event_pool_dditable_t& table);
void fill(ze_event_dditable_t& table);

}  // namespace judge
