#pragma once
/// Kernels as the driver has them: assembled, loaded, launched.

#include <abi/gpu_launch.hpp>
#include <backends/work_item_failure.hpp>
#include <images/code_variant.hpp>
#include <memory>
#include <string>

#include "gpu_context.hpp"
#include "printed_texts.hpp"

namespace sinter::gpu {

/// A kernel on one GPU.
struct loaded_program {
  module_handle module = nullptr;
  function_handle function = nullptr;
  std::string kernel;                   ///< for messages
  abi::gpu_failure* failure = nullptr;  ///< where its work-items report a failure; null: they can't
  std::shared_ptr<failing_program> may_fail;  ///< for the thread that reads failures; null: there are none to read
  bool prints = false;                  ///< with printf
  std::unique_ptr<printed_texts> texts;  ///< that it prints; null: the driver prints them
  int dynamic_memory = 0;                ///< the function's limit now
  int private_bytes = 0;                ///< of a work-item, beside registers
};

/// On this GPU; loaded once.
loaded_program& load(gpu_context& gpu, const code_variant& code, const abi::kernel_descriptor& kernel);
void unload(gpu_context& gpu, gpu_program& program) noexcept;

/// The division of a launch into blocks.
struct grid {
  unsigned blocks[3], threads[3];  ///< x, y, z
  unsigned shared_bytes;

  std::uint64_t all_blocks() const noexcept { return std::uint64_t{blocks[0]} * blocks[1] * blocks[2]; }
};
/// Whether there are more groups than a grid has.
bool is_folded(const gpu_description& gpu, const kernel_launch& launch, const abi::local_range& block) noexcept;
/// Whether blocks had better take several groups each: the kernel can, and there are many.
bool takes_turns(const kernel_launch& launch) noexcept;
/// The code was made for the class `made_for`.
grid grid_of(const gpu_description& gpu, const kernel_launch& launch, const launch_class& made_for,
             abi::gpu_geometry& geometry);

/// The number of such blocks that run at the same time on the whole GPU.
std::uint64_t blocks_together(gpu_context& gpu, const loaded_program& loaded, const grid& shape);

/// A launch as the driver takes it. The program is for this GPU, whose context the calling thread uses.
struct driver_launch {
  driver_launch(gpu_context& gpu, const kernel_launch& launch);
  driver_launch(const driver_launch&) = delete;

  loaded_program& loaded;
  abi::grid_geometry geometry;
  grid shape;
  void* parameters[2];

private:
  alignas(64) char m_joined[abi::most_gpu_parameter_bytes];
  std::unique_ptr<char[]> m_large;  ///< joined blocks that do not fit
};

}  // namespace sinter::gpu
