#pragma once
/// The launch of kernels on GPUs: parameters of a kernel besides its argument block, and data that a kernel's code has
/// for the runtime.
///
/// A GPU kernel has two parameters, both by value: its argument block and a gpu_geometry. Words of the two structures
/// that the code does not read cost no time. The argument block of a fused kernel contains the argument blocks of its
/// members (joined_blocks).

#include <cstdint>

namespace sinter::abi {

/// The layout of the argument blocks of fused kernels, one behind the other.
struct joined_blocks {
  std::uint64_t bytes = 0, alignment = 8;

  /// Adds a block and returns its offset. Alignments are powers of two.
  constexpr std::uint64_t add(std::uint64_t its_bytes, std::uint64_t its_alignment) noexcept {
    const std::uint64_t step = its_alignment > 8 ? its_alignment : 8;
    if (step > alignment) alignment = step;
    const std::uint64_t begin = (bytes + step - 1) / step * step;
    bytes = begin + its_bytes;
    return begin;
  }
};
/// NVIDIA's drivers accept at most most_gpu_parameter_bytes for both parameters together. Drivers of CUDA 12.1 and
/// later accept large_gpu_parameter_bytes for code of PTX 8.1. The exact limit is 32764 bytes, but blocks are padded to
/// whole words of 8 bytes.
inline constexpr std::uint64_t most_gpu_parameter_bytes = 4096, large_gpu_parameter_bytes = 32760;

/// The facts about a launch that GPU code reads. Arrays are in padded SYCL order (device_abi.hpp).
struct gpu_geometry {
  std::uint64_t global_range[3];
  std::uint64_t global_offset[3];
  std::uint64_t group_range[3];  ///< number of work-groups; with gpu_target::folded or turns, not the grid's size
  /// The address of a word that barriers across all work-groups use (gpu_code_groups_meet); 0: the code has no such
  /// barriers.
  std::uint64_t meeting;
  std::uint64_t globals;  ///< address of a table with the addresses of the device_globals that the code uses
};

/// The smallest size of blocks for one-dimensional ranges. If the first two sizes of gpu_code::block are 0, the third
/// is the largest size of a block. The size of a block may then be any multiple of least_block up to this largest size.
inline constexpr std::uint32_t least_block = 32;

/// AMD's GPUs get this structure in place of gpu_geometry, because none of their registers holds the size of a grid or
/// of its blocks.
struct grid_geometry {
  gpu_geometry launch;
  std::uint32_t block_size[3];  ///< work-items
  std::uint32_t grid_size[3];   ///< blocks
};

/// The target's name for drivers that take SPIR-V. A SPIR-V kernel has four parameters: its argument block and a
/// gpu_geometry, both by value, the local memory of a group, and the address of a gpu_failure. The kernel takes group
/// ids and work-item ids from the driver. If gpu_code_linear_groups is set, the launch has one dimension, and the code
/// computes three-dimensional ids from the linear ids.
inline constexpr const char* spirv_target_name = "spirv64";
/// The default version of SPIR-V. A suffix "v1.0" to "v1.3" behind the target's name selects an older version.
/// Sub-groups need 1.3.
inline constexpr const char* spirv_version = "v1.4";
/// Some drivers do not tell the host the addresses of device memory (gpu_target::pointers_apart). Then more parameters
/// follow: one for each pointer of the argument block that the code reads (gpu_code::pointers). Each such parameter
/// points to the beginning of an allocation. In place of the pointer itself, the argument block holds the pointer's
/// distance in bytes from this beginning. `most_spirv_parameters` is the largest number of parameters that any driver
/// accepts.
inline constexpr std::uint32_t most_spirv_parameters = 255, first_spirv_pointer = 4;
/// Returns the size of a parameter that is passed by value: it is rounded up to whole words.
constexpr std::uint64_t spirv_parameter_bytes(std::uint64_t bytes) noexcept {
  return bytes < 8 ? 8 : (bytes + 7) / 8 * 8;
}

/// A flag in gpu_code::flags that only SPIR-V code has, besides abi::gpu_code_flags. The argument block is too large
/// for the driver to pass it by value, so the first parameter is the block's address in device memory.
inline constexpr std::uint32_t gpu_code_block_in_memory = 1u << 2;

/// A failing work-item writes this record for the host, in memory that both host and GPU can access. Only the first
/// work-item that fails writes it: the work-item sets `state` to 1, writes the other fields, and sets `state` to 2. A
/// work-item that fails ends, and the other work-items continue.
struct gpu_failure {
  std::uint32_t state;
  std::uint32_t line;                 ///< line of a failed assertion; 0: not an assertion, `text` is only a message
  std::uint32_t block[3], thread[3];  ///< the block's place in the grid, the thread's place in the block; z, y, x
  /// Ids of a work-item whose assertion failed, in the order of __sinter_assert_fail.
  std::uint64_t ids[6];
  char text[944];                     ///< the message, or expression, file and function; a 0 ends each text
};
static_assert(sizeof(gpu_failure) == 1024);

/// The variable of a module that holds the address of its gpu_failure. If the address is null, failures trap.
inline constexpr const char* gpu_failure_symbol = "sinter_failure";

/// Modules whose kernels print have this variable. If the variable is a single byte, the driver prints the text when
/// the host waits for the kernel. Otherwise the variable holds the address of a gpu_prints, which is null until the
/// host sets it. The module's strings follow this address in the variable.
inline constexpr const char* gpu_prints_symbol = "sinter_prints";

/// A ring buffer of words in memory that both host and GPU can access. Work-items write texts to it, and the host reads
/// them. The first word of a text is (offset of the format in the strings) << 16 | (number of words of the text). A
/// work-item writes this word last. One word for each argument of the text follows: an integer, signed or unsigned as
/// its conversion specifier says, a double, an address, or for %s the offset of a string. Words that no work-item has
/// written are 0.
struct gpu_prints {
  static constexpr std::uint64_t words = 1u << 17;
  std::uint64_t given;  ///< number of words that work-items have reserved for their texts
  std::uint64_t taken;  ///< number of words that the host has read and then set to 0
  std::uint64_t lost;   ///< number of texts that were dropped because the ring was full
  std::uint64_t ring[words];
};

}  // namespace sinter::abi
