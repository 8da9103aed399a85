#pragma once
/// Code of one kernel, or of one fusion, and the conditions it is made for.

#include <abi/launch_abi.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "code_origin.hpp"
#include "group_layout.hpp"
#include "launch_class.hpp"

namespace sinter {

struct gpu_program;

/// A kind of machine that code is made for. Each has one object, which is never destroyed.
struct code_target {
  const std::string identity;  ///< part of every key

  // Devices with drivers only.
  const std::string gpu{};  ///< as compilers call it: "sm_90", "spirv64"; empty: the CPU
  std::uint32_t sub_group_size = 0;
  std::uint32_t parameter_bytes = 0;
  bool pointers_apart = false;  ///< abi::gpu_target
  bool specialises = false;     ///< the driver puts in values of specialization constants (SpecIds)
  /// Code is a function that this process calls, not a program for a driver.
  bool is_this_process() const noexcept { return gpu.empty(); }
  /// The request to compilers; only for devices with drivers.
  abi::gpu_target request(const launch_class& launches) const noexcept {
    return {gpu.c_str(),    launches.no_offset, launches.folded,   parameter_bytes,
            pointers_apart, launches.turns,     launches.disjoint, false};
  }
  void* owner = nullptr;  ///< an object of the backend, which `assemble` gets
  /// Lets the driver turn the compiler's text, which is the program's image, into the form that it loads. `values`: of
  /// text with SpecIds, else null. Throws sycl::exception.
  std::string (*assemble)(void* owner, const gpu_program& made, const abi::specialization_table* values) = nullptr;
  /// Nothing runs the program any more.
  void (*unload)(gpu_program& unused) noexcept = nullptr;
};
/// The CPU this process runs on.
const code_target& cpu_code_target();

/// The differences between the variants of one kernel.
struct variant_key {
  const code_target* target = nullptr;
  launch_class launches;
  group_layout layout;    ///< how work-groups are laid out; "any": code for all layouts
  std::string constants;  ///< values of specialization constants, as text; empty: none are set, all have their defaults

  friend bool operator==(const variant_key&, const variant_key&) = default;
};

/// Instead of values: the code reads them when it runs.
inline constexpr const char* any_constants = "any";
/// Before keys and sizes, instead of values: no code, but text into which the driver puts them (gpu_code.cpp).
inline constexpr const char* named_constants = "ids ";

/// A kernel as a device's driver takes it.
struct gpu_program {
  std::string image, entry;
  abi::local_range block{};                  ///< abi::gpu_code
  std::uint64_t scratch_bytes_per_item = 0;  ///< as well
  std::uint64_t variable_bytes = 0;          ///< as well
  bool linear_groups = false, can_fail = false, groups_meet = false;  ///< gpu_code_flags
  bool block_in_memory = false;                  ///< abi::gpu_code_block_in_memory
  std::vector<std::uint32_t> pointers, globals;  ///< abi::gpu_code
  /// gpu_geometry::globals of each device that runs the code (backends/global_memory.hpp).
  std::mutex tables_mutex;
  std::map<const void*, std::shared_ptr<void>> global_tables;
  /// The object that the backend has made of it on each of its devices.
  static constexpr std::size_t most_devices = 16;
  std::atomic<void*> loaded[most_devices]{};
};

struct code_variant {
  variant_key made_for;
  abi::cpu_entry entry = nullptr;  ///< null: run the host entry
  std::uint64_t context_bytes_per_item = 0;
  std::uint64_t scratch_bytes_per_item = 0;
  std::uint64_t variable_bytes = 0;
  std::uint64_t private_bytes = 0;
  code_origin origin = code_origin::host_entry;
  bool bounded = false;               ///< work-items end by themselves, soon
  bool needs_stack = false;           ///< more than small threads have
  bool in_long_rows = false;          ///< best run many neighbours at a time
  std::uint8_t lanes = 1;             ///< work-items that run together, in a vector
  bool grouped = false;               ///< fused code: whether it counts work-groups
  bool has_tails = false;             ///< fewer than that run together as well, where a row ends
  std::string name;                   ///< fused code: for reports
  std::vector<const abi::kernel_descriptor*> members;  ///< fused code: whose argument blocks it takes, in which order
  void* library = nullptr;            ///< dlopen handle of a cached kernel
  abi::jit_object* object = nullptr;  ///< owner of JIT code
  std::unique_ptr<gpu_program> gpu;   ///< null: of a CPU
  std::atomic<code_variant*> next{nullptr};  ///< older code of the same kernel
  /// Leads to the variants for set constants, from one variant without code (code_variants.hpp).
  std::atomic<code_variant*> specialized{nullptr};
  /// For set constants: when it was asked for last, in lookups of the kernel's.
  mutable std::atomic<std::uint64_t> last_lookup{0};
  std::string raw_values;  ///< for set constants: keys and bytes of the launch for which it was made
};

}  // namespace sinter
