#pragma once
/// Builds, loads and launches kernels with OpenCL's driver.

#include <abi/gpu_launch.hpp>
#include <backends/work_item_failure.hpp>
#include <images/code_variant.hpp>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "cl_context.hpp"

namespace sinter::opencl {

/// A kernel that is loaded on its device.
struct loaded_program {
  explicit loaded_program(cl_device_context& its_device) : device(its_device) {}
  loaded_program(const loaded_program&) = delete;
  ~loaded_program();

  cl_device_context& device;
  cl_program program = nullptr;
  std::string kernel;                   ///< the kernel's name for messages
  bool can_fail = false;                ///< work-items may report failures
  abi::gpu_failure* failure = nullptr;  ///< record of a failed work-item, if the host can read it while kernels run
  /// Streams read failures through this object. The pointer is null if work-items can't report failures.
  std::shared_ptr<failing_program> may_fail;
  std::size_t most_items = 0;           ///< limit for the work-items of a work-group
  std::size_t required_group[3] = {};   ///< size in the order x, y, z; zeros: the kernel requires no size
  std::uint64_t private_bytes = 0;

  std::mutex mutex;  ///< locked by a launch while it sets the kernel's arguments
  cl_kernel function = nullptr;
  std::uint64_t local_bytes = 0;  ///< local memory of the latest launch
  bool is_prepared = false;       ///< whether the arguments that never change are set
  std::uint64_t named = 0;        ///< the parameter `known` of cl_memory::name_allocations, for this kernel
};

/// Creates a program from SPIR-V. Drivers before OpenCL 2.1 can do this only by an extension (cl_khr_il_program).
cl_program create_with_il(cl_device_context& device, const std::string& spirv, cl_int& result);
/// Compiles a SPIR-V module to the driver's own binary. `values` has the values of the module's SpecIds
/// (abi::specialization_unit), or is null.
std::string build(cl_device_context& device, const std::string& spirv, const abi::specialization_table* values);
/// Returns the loaded kernel. The first call loads the kernel.
loaded_program& load(cl_device_context& device, const code_variant& code, const abi::kernel_descriptor& kernel);
void unload(gpu_program& program) noexcept;

/// Reads the properties of the kernel from the driver. Throws sycl::exception.
void describe(loaded_program& loaded);
std::string build_log(const cl_device_context& device, cl_program program);

/// Sets the arguments of a kernel that was built from source. Throws errc::kernel_argument if the kernel has other
/// parameters.
void set_native_arguments(loaded_program& loaded, const kernel_launch& launch);

/// Returns whether the driver's fill command supports this fill. Other fills are done by copies.
bool is_filled_by_driver(const memory_fill& fill) noexcept;

struct launch_memory;

/// The parameters of the driver's functions for a launch. The object has pointers into itself and to the launch's
/// block.
struct prepared_launch {
  explicit prepared_launch(const kernel_launch& launch);
  prepared_launch(const prepared_launch&) = delete;
  const std::size_t* local_range() const noexcept { return grouped ? local : nullptr; }

  bool from_source;  ///< the kernel is from source, so the block contains native_arguments
  // The sizes below have the order x, y, z.
  cl_uint dimensions;
  std::size_t offset[3], global[3], local[3];
  bool grouped;  ///< whether the launch has groups; otherwise the driver chooses them
  const void* block;
  std::uint64_t bytes;  ///< size of the block; bytes up to the next whole word can be read, too
  bool reads_geometry;
  abi::gpu_geometry geometry{};
  std::uint64_t local_bytes = 0;
  /// offsets of pointers in the block (abi::gpu_code); if there are any, `block` is a copy
  std::span<const std::uint32_t> pointers;

private:
  friend void set_arguments(loaded_program& loaded, prepared_launch& launch, const launch_memory& where);
  void place_pointers(loaded_program& loaded);

  std::vector<char> m_copy;
};

/// Device memory that a launch needs until its event is complete.
struct launch_memory {
  void* block = nullptr;          ///< memory for the argument block; null: the code takes the block by value
  void* block_on_host = nullptr;  ///< the block on the host, if a command has to copy it to `block`
  void* failure = nullptr;        ///< a gpu_failure for this launch; null: the program's record is used
};

/// Sets the arguments of a launch. Called under the kernel's mutex.
void set_arguments(loaded_program& loaded, prepared_launch& launch, const launch_memory& where);

/// Hands the launch over. The caller releases the event.
cl_event enqueue(cl_command_queue queue, loaded_program& loaded, const kernel_launch& launch,
                 const launch_memory& where);

}  // namespace sinter::opencl
