#pragma once
/// Loads kernels into the driver, and divides launches into blocks.

#include <abi/gpu_launch.hpp>
#include <atomic>
#include <backends/work_item_failure.hpp>
#include <images/code_variant.hpp>
#include <memory>
#include <string>

#include "gpu_context.hpp"
#include "printed_texts.hpp"

namespace sinter::gpu {

/// A kernel that is loaded on one GPU.
struct loaded_program {
  module_handle module = nullptr;
  function_handle function = nullptr;
  std::string kernel;                   ///< the kernel's name for messages
  abi::gpu_failure* failure = nullptr;  ///< record of a failed work-item; null: work-items can't report failures
  /// Streams read failures through this object. This object is null if work-items can't report failures.
  std::shared_ptr<failing_program> may_fail;
  bool prints = false;                  ///< whether the kernel calls printf
  std::unique_ptr<printed_texts> texts;  ///< texts that the kernel prints; null: the driver prints them
  std::atomic<int> dynamic_memory{0};    ///< current limit of the function's local memory per launch
  int private_bytes = 0;                ///< private memory of a work-item, without registers
};

/// Returns the kernel on this GPU. The first call loads it.
loaded_program& load(gpu_context& gpu, const code_variant& code, const abi::kernel_descriptor& kernel);
void unload(gpu_context& gpu, gpu_program& program) noexcept;

/// The division of a launch into blocks.
struct grid {
  unsigned blocks[3], threads[3];  ///< in the order x, y, z
  unsigned shared_bytes;

  std::uint64_t all_blocks() const noexcept { return std::uint64_t{blocks[0]} * blocks[1] * blocks[2]; }
};
/// Returns whether the launch has more groups in a dimension than a grid can have blocks.
bool is_folded(const gpu_description& gpu, const kernel_launch& launch, const abi::local_range& block) noexcept;
/// Returns whether each block should run several groups, one after the other. It should if the kernel allows this and
/// there are many groups.
bool takes_turns(const kernel_launch& launch) noexcept;
/// Returns the launch's grid, and fills in `geometry`. `made_for` is the class of launches for which the launch's code
/// was made.
grid grid_of(const gpu_description& gpu, const kernel_launch& launch, const launch_class& made_for,
             abi::gpu_geometry& geometry);

/// Returns the number of the grid's blocks that run at the same time on the whole GPU.
std::uint64_t blocks_together(gpu_context& gpu, const loaded_program& loaded, const grid& shape);

/// The parameters of the driver's launch function. The constructor loads the program on this GPU; the GPU's context is
/// current for the calling thread.
struct driver_launch {
  driver_launch(gpu_context& gpu, const kernel_launch& launch);
  driver_launch(const driver_launch&) = delete;

  loaded_program& loaded;
  abi::grid_geometry geometry;
  grid shape;
  void* parameters[2];

private:
  alignas(64) char m_joined[abi::most_gpu_parameter_bytes];
  std::unique_ptr<char[]> m_large;  ///< joined blocks that do not fit into the array
};

}  // namespace sinter::gpu
