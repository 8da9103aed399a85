#pragma once
/// Kernels as OpenCL's driver has them: built, loaded, launched.

#include <abi/gpu_launch.hpp>
#include <backends/work_item_failure.hpp>
#include <images/code_variant.hpp>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "cl_context.hpp"

namespace sinter::opencl {

/// A kernel on its device.
struct loaded_program {
  explicit loaded_program(cl_device_context& its_device) : device(its_device) {}
  loaded_program(const loaded_program&) = delete;
  ~loaded_program();

  cl_device_context& device;
  cl_program program = nullptr;
  std::string kernel;                   ///< for messages
  bool can_fail = false;                ///< work-items may report failures
  abi::gpu_failure* failure = nullptr;  ///< where, if the host can look there meanwhile
  /// For the thread that reads failures; null: work-items can't report them.
  std::shared_ptr<failing_program> may_fail;
  std::size_t most_items = 0;           ///< of a work-group
  std::size_t required_group[3] = {};   ///< x first; 0: none
  std::uint64_t private_bytes = 0;

  std::mutex mutex;  ///< arguments are set on the kernel, one launch at a time
  cl_kernel function = nullptr;
  std::uint64_t local_bytes = 0;  ///< set last
  bool is_prepared = false;       ///< arguments that stay
  std::uint64_t named = 0;        ///< cl_memory::name_allocations
};

/// Creates a program from SPIR-V. Drivers before OpenCL 2.1 take it by an extension (cl_khr_il_program).
cl_program create_with_il(cl_device_context& device, const std::string& spirv, cl_int& result);
/// The driver's own binary of a SPIR-V module. `values`: of its SpecIds (abi::specialization_unit), else null.
std::string build(cl_device_context& device, const std::string& spirv, const abi::specialization_table* values);
/// Loaded once.
loaded_program& load(cl_device_context& device, const code_variant& code, const abi::kernel_descriptor& kernel);
void unload(gpu_program& program) noexcept;

/// Reads the properties of the kernel from the driver. Throws sycl::exception.
void describe(loaded_program& loaded);
std::string build_log(const cl_device_context& device, cl_program program);

/// Sets the arguments of a kernel that was built from source. Throws errc::kernel_argument where the kernel has other
/// parameters.
void set_native_arguments(loaded_program& loaded, const kernel_launch& launch);

/// Other fills are copies.
bool is_filled_by_driver(const memory_fill& fill) noexcept;

struct launch_memory;

/// A launch as the driver takes it. Points into itself, and to the launch's block.
struct prepared_launch {
  explicit prepared_launch(const kernel_launch& launch);
  prepared_launch(const prepared_launch&) = delete;
  const std::size_t* local_range() const noexcept { return grouped ? local : nullptr; }

  bool from_source;  ///< the block says what the arguments are
  // x first.
  cl_uint dimensions;
  std::size_t offset[3], global[3], local[3];
  bool grouped;  ///< else the driver chooses groups
  const void* block;
  std::uint64_t bytes;  ///< of the block; whole words can be read
  bool reads_geometry;
  abi::gpu_geometry geometry{};
  std::uint64_t local_bytes = 0;
  std::span<const std::uint32_t> pointers;  ///< places in the block, which is a copy then (abi::gpu_code)

private:
  friend void set_arguments(loaded_program& loaded, prepared_launch& launch, const launch_memory& where);
  void place_pointers(loaded_program& loaded);

  std::vector<char> m_copy;
};

/// Device memory that a launch needs until its event is complete.
struct launch_memory {
  void* block = nullptr;          ///< as many bytes as the block has; null: the code takes its block by value
  void* block_on_host = nullptr;  ///< if the host can't write there: the copy of it that is sent
  void* failure = nullptr;        ///< a gpu_failure for this launch; null: the program's is used
};

/// Called under the kernel's mutex.
void set_arguments(loaded_program& loaded, prepared_launch& launch, const launch_memory& where);

/// Hands the launch over. The event is for the caller to release.
cl_event enqueue(cl_command_queue queue, loaded_program& loaded, const kernel_launch& launch,
                 const launch_memory& where);

}  // namespace sinter::opencl
