#pragma once
/// Kernels as Level Zero's driver has them: built, loaded, launched.

#include <abi/gpu_launch.hpp>
#include <backends/natives.hpp>
#include <backends/work_item_failure.hpp>
#include <images/code_variant.hpp>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ze_context.hpp"

namespace sinter::level_zero {

/// Numbers of work-items or groups, x first.
struct ze_range {
  std::uint32_t size[3];
  friend bool operator==(const ze_range&, const ze_range&) = default;
};

/// A kernel on its device.
struct loaded_kernel {
  explicit loaded_kernel(ze_device_context& its_device) : device(its_device) {}
  loaded_kernel(const loaded_kernel&) = delete;
  ~loaded_kernel();

  ze_device_context& device;
  ze_module_handle_t module = nullptr;
  ze_kernel_handle_t function = nullptr;
  bool is_foreign = false;  ///< the function is the program's, which destroys it
  std::string kernel;                   ///< for messages
  ze_kernel_properties_t properties;
  abi::gpu_failure* failure = nullptr;  ///< where work-items may say that they failed; null: they can't
  std::shared_ptr<failing_program> may_fail;

  /// Arguments, groups and offset belong to the kernel object and are copied by a launch, so one thread at a time sets
  /// them.
  std::mutex mutex;  // protects the members below
  ze_range offset{}, group{};
  /// Arguments that most launches leave as they are; no local bytes: not set yet.
  abi::gpu_geometry geometry{};
  std::uint64_t local_bytes = 0;
  /// Another kernel object of this code, whose arguments the program may set; null: none.
  ze_kernel_handle_t given = nullptr;
  ze_range suggested_for{}, suggested{};  ///< groups of the last range without any
};

/// The driver's own binary of a SPIR-V module. `values`: of its SpecIds (abi::specialization_unit), else null.
std::string build(ze_device_context& device, const std::string& spirv, const abi::specialization_table* values);
/// Loaded once.
loaded_kernel& load(ze_device_context& device, const code_variant& code, const abi::kernel_descriptor& kernel);
void unload(gpu_program& program) noexcept;

/// Whether no groups of a useful size divide the range that these launches, of one kernel or a fused list, have in
/// common, so that more is launched.
bool are_padded(std::span<const kernel_launch* const> together) noexcept;

/// A launch as the driver takes it. Points into itself, and to the launch's block.
struct prepared_launch {
  explicit prepared_launch(const kernel_launch& launch);
  prepared_launch(const prepared_launch&) = delete;

  bool from_source;  ///< the block lists native_arguments
  const void* block;
  std::uint64_t bytes;  ///< of the block
  abi::gpu_geometry geometry{};
  std::uint64_t offset[3], global[3], local[3];  ///< x first
  bool grouped;                                  ///< else the driver chooses groups
  std::uint64_t local_bytes;

private:
  std::vector<char> m_copy;
};

/// The kernel of a module that stays the caller's; null: the kernel is made.
std::unique_ptr<loaded_kernel> load_from(ze_device_context& device, ze_module_handle_t module, const std::string& name,
                                         ze_kernel_handle_t known);
/// A kernel object for the program's own use, which lives as long as Sinter's.
ze_kernel_handle_t kernel_to_give(loaded_kernel& loaded, const std::string& entry);
/// A module of the program's SPIR-V. Throws errc::build with the compiler's messages, which `log` gets in any case.
ze_module_handle_t build_source(ze_device_context& device, const kernel_source& source, std::string& log);

/// Throws if the driver has no launch of so many groups, or none with an offset.
void check_range(loaded_kernel& loaded, const kernel_launch& launch);

/// Groups of a launch, and where its range begins.
struct launch_shape {
  ze_range group, offset;
  ze_group_count_t count;
};
/// Called under the kernel's mutex.
launch_shape shape_of(loaded_kernel& loaded, const prepared_launch& prepared);

/// Hands the launch over to a list. `block`: memory of the device's for the argument block, where the code does not
/// take it by value.
void append(ze_command_list_handle_t list, loaded_kernel& loaded, const kernel_launch& launch, void* block,
            ze_event_handle_t signalled, std::span<ze_event_handle_t> awaited);

/// Whether an engine of the device's has such fills; else they are copies.
bool is_filled_by_driver(const ze_device_context::engine& engine, const memory_fill& fill) noexcept;

}  // namespace sinter::level_zero
