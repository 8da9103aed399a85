#pragma once
/// Builds, loads and launches kernels with Level Zero's driver.

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

/// Numbers of work-items or groups, with x first.
struct ze_range {
  std::uint32_t size[3];
  friend bool operator==(const ze_range&, const ze_range&) = default;
};

/// A kernel that is loaded on its device.
struct loaded_kernel {
  explicit loaded_kernel(ze_device_context& its_device) : device(its_device) {}
  loaded_kernel(const loaded_kernel&) = delete;
  ~loaded_kernel();

  ze_device_context& device;
  ze_module_handle_t module = nullptr;
  ze_kernel_handle_t function = nullptr;
  bool is_foreign = false;  ///< the user's program owns the function and destroys it
  std::string kernel;                   ///< the kernel's name for messages
  ze_kernel_properties_t properties;
  abi::gpu_failure* failure = nullptr;  ///< record of a failed work-item; null: work-items can't report failures
  std::shared_ptr<failing_program> may_fail;

  /// Arguments, group size and offset are state of the kernel object, and a launch copies this state. So only one
  /// thread at a time may set the state and launch.
  std::mutex mutex;  // protects the members below
  ze_range offset{}, group{};
  /// The values of arguments that most launches do not change. If local_bytes is 0, these values are not set yet.
  abi::gpu_geometry geometry{};
  std::uint64_t local_bytes = 0;
  /// A second kernel object of this code, for the user's program, which may set the arguments of this second object;
  /// null if the program has not requested it.
  ze_kernel_handle_t given = nullptr;
  ze_range suggested_for{}, suggested{};  ///< the latest range without groups, and the group size chosen for it
};

/// Compiles a SPIR-V module to the driver's own binary. `values` has the values of the module's SpecIds
/// (abi::specialization_unit), or is null.
std::string build(ze_device_context& device, const std::string& spirv, const abi::specialization_table* values);
/// Returns the loaded kernel. The first call loads it.
loaded_kernel& load(ze_device_context& device, const code_variant& code, const abi::kernel_descriptor& kernel);
void unload(gpu_program& program) noexcept;

/// Returns whether the common range of these launches has to be padded, because no useful group size divides it. The
/// launches are one launch of a kernel, or the launches of a fused list.
bool are_padded(std::span<const kernel_launch* const> together) noexcept;

/// The parameters of the driver's functions for a launch. The object has pointers into itself and to the launch's
/// block.
struct prepared_launch {
  explicit prepared_launch(const kernel_launch& launch);
  prepared_launch(const prepared_launch&) = delete;

  bool from_source;  ///< the kernel is from source, so the block contains native_arguments
  const void* block;
  std::uint64_t bytes;  ///< size of the block
  abi::gpu_geometry geometry{};
  std::uint64_t offset[3], global[3], local[3];  ///< in the order x, y, z
  bool grouped;                                  ///< false: the launch has no groups; the size is chosen later
  std::uint64_t local_bytes;

private:
  std::vector<char> m_copy;
};

/// Makes a loaded_kernel from a module that the caller still owns. `known` is the module's kernel object; if `known` is
/// null, the function creates one.
std::unique_ptr<loaded_kernel> load_from(ze_device_context& device, ze_module_handle_t module, const std::string& name,
                                         ze_kernel_handle_t known);
/// Returns a kernel object for the user's program. The kernel object exists as long as the loaded kernel.
ze_kernel_handle_t kernel_to_give(loaded_kernel& loaded, const std::string& entry);
/// Builds a module from the user's SPIR-V, and sets `log` to the compiler's messages. Throws errc::build with the
/// messages if building fails.
ze_module_handle_t build_source(ze_device_context& device, const kernel_source& source, std::string& log);

/// Throws if the launch has too many groups for the driver, or an offset that the driver does not support.
void check_range(loaded_kernel& loaded, const kernel_launch& launch);

/// The group size, the offset and the number of groups of a launch.
struct launch_shape {
  ze_range group, offset;
  ze_group_count_t count;
};
/// Returns the shape of a launch. Called under the kernel's mutex.
launch_shape shape_of(loaded_kernel& loaded, const prepared_launch& prepared);

/// Appends the launch to a command list. `block` is device memory for the argument block, if the code does not take the
/// block by value.
void append(ze_command_list_handle_t list, loaded_kernel& loaded, const kernel_launch& launch, void* block,
            ze_event_handle_t signalled, std::span<ze_event_handle_t> awaited);

/// Returns whether the engine's fill command supports this fill. Other fills are done by copies.
bool is_filled_by_driver(const ze_device_context::engine& engine, const memory_fill& fill) noexcept;

}  // namespace sinter::level_zero
