#pragma once
/// Code of one kernel, or of one fusion, and the conditions for which it is made.

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

/// A kind of machine for which code is made. Each kind has one object, which is never destroyed.
struct code_target {
  const std::string identity;  ///< part of every key

  // Only devices with drivers use the members below.
  const std::string gpu{};  ///< the compilers' name of the GPU: "sm_90", "spirv64"; empty: the CPU
  std::uint32_t sub_group_size = 0;
  std::uint32_t parameter_bytes = 0;
  bool pointers_apart = false;  ///< see abi::gpu_target::pointers_apart
  bool specialises = false;     ///< the driver puts in values of specialization constants (SpecIds)
  /// Returns whether code is a function that this process calls, and not a program for a driver.
  bool is_this_process() const noexcept { return gpu.empty(); }
  /// Returns the target for the compiler's request. Only for devices with drivers.
  abi::gpu_target request(const launch_class& launches) const noexcept {
    return {gpu.c_str(),    launches.no_offset, launches.folded,   parameter_bytes,
            pointers_apart, launches.turns,     launches.disjoint, false};
  }
  void* owner = nullptr;  ///< an object of the backend, which is passed to `assemble`
  /// Lets the driver turn the compiler's text, which is the program's image, into the form that the driver loads.
  /// `values` has the values for a text with SpecIds, or is null. Throws sycl::exception.
  std::string (*assemble)(void* owner, const gpu_program& made, const abi::specialization_table* values) = nullptr;
  /// Called when the program no longer runs: the driver unloads it.
  void (*unload)(gpu_program& unused) noexcept = nullptr;
};
/// Returns the target of the CPU on which this process runs.
const code_target& cpu_code_target();

/// The differences between the variants of one kernel.
struct variant_key {
  const code_target* target = nullptr;
  launch_class launches;
  group_layout layout;    ///< layout of work-groups; may stand for any layout
  std::string constants;  ///< values of specialization constants, as text; empty: all constants have their defaults

  friend bool operator==(const variant_key&, const variant_key&) = default;
};

/// This text stands in place of the values if the code reads them when it runs.
inline constexpr const char* any_constants = "any";
/// This text, with keys and sizes behind it, stands in place of the values if the variant is a text into which the
/// driver puts the values (gpu_code.cpp).
inline constexpr const char* named_constants = "ids ";

/// A kernel in the form that a device's driver takes.
struct gpu_program {
  std::string image, entry;
  abi::local_range block{};                  ///< see abi::gpu_code::block
  std::uint64_t scratch_bytes_per_item = 0;  ///< see abi::gpu_code
  std::uint64_t variable_bytes = 0;          ///< see abi::gpu_code
  bool linear_groups = false, can_fail = false, groups_meet = false;  ///< gpu_code_flags
  bool block_in_memory = false;                  ///< flag abi::gpu_code_block_in_memory
  std::vector<std::uint32_t> pointers, globals;  ///< abi::gpu_code
  /// Protects the tables of gpu_geometry::globals for the devices that run the code (backends/global_memory.hpp).
  std::mutex tables_mutex;
  std::map<const void*, std::shared_ptr<void>> global_tables;
  /// The object that the backend has made of the program on each of its devices.
  static constexpr std::size_t most_devices = 16;
  std::atomic<void*> loaded[most_devices]{};
};

struct code_variant {
  variant_key made_for;
  abi::cpu_entry entry = nullptr;  ///< null: the host entry runs
  std::uint64_t context_bytes_per_item = 0;
  std::uint64_t scratch_bytes_per_item = 0;
  std::uint64_t variable_bytes = 0;
  std::uint64_t private_bytes = 0;
  code_origin origin = code_origin::host_entry;
  bool bounded = false;               ///< work-items end soon without waiting
  bool needs_stack = false;           ///< the code needs a larger stack than small threads have
  bool in_long_rows = false;          ///< fastest if many neighbours run at a time
  std::uint8_t lanes = 1;             ///< number of work-items that run together in a vector
  bool grouped = false;               ///< whether fused code counts work-groups
  bool has_tails = false;             ///< vectors with disabled lanes run the last work-items of a row
  std::string name;                   ///< name of fused code, for reports
  std::vector<const abi::kernel_descriptor*> members;  ///< members of fused code, in the order of their argument blocks
  void* library = nullptr;            ///< dlopen handle of a cached kernel
  abi::jit_object* object = nullptr;  ///< owner of JIT code
  std::unique_ptr<gpu_program> gpu;   ///< null for code of the CPU
  std::atomic<code_variant*> next{nullptr};  ///< older code of the same kernel
  /// Only the variant without code has this pointer, to the list of variants for set constants (code_variants.hpp).
  std::atomic<code_variant*> specialized{nullptr};
  /// In variants for set constants: the number of the kernel's latest lookup that found this variant.
  mutable std::atomic<std::uint64_t> last_lookup{0};
  std::string raw_values;  ///< in variants for set constants: keys and bytes of the launch for which it was made
};

}  // namespace sinter
