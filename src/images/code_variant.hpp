#pragma once
/// The code of one kernel or one fusion, and the conditions for which it was made.

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

/// A kind of machine for which code is made. Each kind has one such object, which is never destroyed.
struct code_target {
  const std::string identity;  ///< a text that is part of every key

  // The members below are only used for devices with drivers.
  const std::string gpu{};  ///< the compilers' name of the GPU, such as "sm_90" or "spirv64"; empty for the CPU
  std::uint32_t sub_group_size = 0;
  std::uint32_t parameter_bytes = 0;
  bool pointers_apart = false;  ///< see abi::gpu_target::pointers_apart
  const abi::matrix_units* matrices = nullptr;  ///< see abi::gpu_target::matrices
  bool specialises = false;     ///< the driver can set the values of specialization constants in a module (SpecIds)
  /// Returns whether the code is a function that this process calls. Otherwise, the code is a program for a driver.
  bool is_this_process() const noexcept { return gpu.empty(); }
  /// Returns the description of the target for a request to the JIT. Only valid for devices with drivers.
  abi::gpu_target request(const launch_class& launches) const noexcept {
    return {gpu.c_str(),    launches.no_offset, launches.folded,   parameter_bytes,
            pointers_apart, launches.turns,     launches.disjoint, false, matrices};
  }
  void* owner = nullptr;  ///< an object of the backend, which `assemble` receives
  /// Lets the driver convert the text that the JIT has made (gpu_program::image) to the form that the driver loads.
  /// `values` has the values of the text's SpecIds; it is null if the text has none. Throws sycl::exception.
  std::string (*assemble)(void* owner, const gpu_program& made, const abi::specialization_table* values) = nullptr;
  /// Makes the driver unload a program that no longer runs.
  void (*unload)(gpu_program& unused) noexcept = nullptr;
};
/// Returns the target of the CPU on which this process runs.
const code_target& cpu_code_target();

/// The conditions in which the variants of one kernel differ.
struct variant_key {
  const code_target* target = nullptr;
  launch_class launches;
  group_layout layout;    ///< the layout of work-groups, or any layout
  std::string constants;  ///< values of specialization constants, as text; empty: all have their defaults

  friend bool operator==(const variant_key&, const variant_key&) = default;
};

/// In variant_key::constants, this text means that the code reads the values at run time.
inline constexpr const char* any_constants = "any";
/// In variant_key::constants, this text, followed by keys and sizes, means that the variant is a module in which the
/// driver sets the values (gpu_code.cpp).
inline constexpr const char* named_constants = "ids ";

/// A kernel in the form that a device's driver loads.
struct gpu_program {
  std::string image, entry;
  abi::local_range block{};                  ///< see abi::gpu_code::block
  std::uint64_t scratch_bytes_per_item = 0;  ///< see abi::gpu_code
  std::uint64_t variable_bytes = 0;          ///< see abi::gpu_code
  bool linear_groups = false, can_fail = false, groups_meet = false;  ///< gpu_code_flags
  bool block_in_memory = false;                  ///< flag abi::gpu_code_block_in_memory
  std::vector<std::uint32_t> pointers, globals;  ///< abi::gpu_code
  /// Protects global_tables: the tables of gpu_geometry::globals for the devices that run the code
  /// (backends/global_memory.hpp).
  std::mutex tables_mutex;
  std::map<const void*, std::shared_ptr<void>> global_tables;
  /// For each device of the backend, the object that the backend has made from the program.
  static constexpr std::size_t most_devices = 16;
  std::atomic<void*> loaded[most_devices]{};
};

struct code_variant {
  variant_key made_for;
  abi::cpu_entry entry = nullptr;  ///< null if the host entry runs instead
  std::uint64_t context_bytes_per_item = 0;
  std::uint64_t scratch_bytes_per_item = 0;
  std::uint64_t variable_bytes = 0;
  std::uint64_t private_bytes = 0;
  code_origin origin = code_origin::host_entry;
  bool bounded = false;               ///< all work-items end after a short time and do not wait for others
  bool needs_stack = false;           ///< the code needs more stack than threads with small stacks have
  bool in_long_rows = false;          ///< the code is fastest if many neighbouring work-items run together
  std::uint8_t lanes = 1;             ///< number of work-items that run together as one vector
  bool grouped = false;               ///< whether the fused code is launched in work-groups
  bool has_tails = false;             ///< the last work-items of a row run in vectors with disabled lanes
  std::string name;                   ///< name of fused code, for reports
  std::vector<const abi::kernel_descriptor*> members;  ///< members of fused code, in the order of their argument blocks
  void* library = nullptr;            ///< dlopen handle of a cached kernel
  abi::jit_object* object = nullptr;  ///< the JIT's object, which owns the code
  std::unique_ptr<gpu_program> gpu;   ///< null for code of the CPU
  std::atomic<code_variant*> next{nullptr};  ///< the next older code of the same kernel
  /// The kernel's second list, which has the variants for specialization constants that are set (code_variants.hpp).
  /// Only one variant uses this pointer: the one without code in the kernel's first list.
  std::atomic<code_variant*> specialized{nullptr};
  /// Only in variants for constants that are set: the number of the last lookup that found this variant. Lookups are
  /// numbered for each kernel.
  mutable std::atomic<std::uint64_t> last_lookup{0};
  std::string raw_values;  ///< for constants that are set: keys and values in the launch for which the code was made
};

}  // namespace sinter
