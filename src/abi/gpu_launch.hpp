#pragma once
/// Data that GPU code and the runtime exchange: the parameters of a kernel besides its argument block, and records that
/// a kernel writes for the runtime.
///
/// A GPU kernel has two parameters, both by value: its argument block and a gpu_geometry. Both parameters are passed as
/// a whole. This is not slower than passing single words, because words that the code does not read cost no time. The
/// argument block of a fused kernel consists of the argument blocks of its members (joined_blocks).

#include <cstdint>

namespace sinter::abi {

/// The layout of the argument blocks of fused kernels. The blocks lie in memory one behind the other.
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
  std::uint64_t group_range[3];  ///< number of work-groups; if gpu_target::folded or turns is set, the grid has another
                                 ///< size
  /// The address of a 32-bit counter with which the groups meet at barriers across all work-groups
  /// (gpu_code_groups_meet). 0: the code has no such barriers.
  std::uint64_t meeting;
  std::uint64_t globals;  ///< address of a table with the addresses of the device_globals that the code uses
};

/// If the first two sizes in gpu_code::block are 0, blocks are one-dimensional and may have any size that is a multiple
/// of least_block, up to the third size in gpu_code::block.
inline constexpr std::uint32_t least_block = 32;

/// AMD's GPUs get this structure in place of gpu_geometry. The structure also has the sizes of the grid and of the
/// blocks, because no register of these GPUs contains these sizes.
struct grid_geometry {
  gpu_geometry launch;
  std::uint32_t block_size[3];  ///< work-items
  std::uint32_t grid_size[3];   ///< blocks
};

/// The target's name for drivers that take SPIR-V. A SPIR-V kernel has four parameters: its argument block and a
/// gpu_geometry, both by value, the local memory of a group, and the address of a gpu_failure. The kernel gets the ids
/// of groups and work-items from the driver. With gpu_code_linear_groups, the launch has one dimension, and the kernel
/// computes three-dimensional ids from the linear ids.
inline constexpr const char* spirv_target_name = "spirv64";
/// The default version of SPIR-V. A suffix "v1.0" to "v1.3" behind the target's name selects an older version.
/// Sub-groups need 1.3.
inline constexpr const char* spirv_version = "v1.4";
/// Some drivers do not tell the host the addresses of device memory (gpu_target::pointers_apart). With such a driver, a
/// kernel has additional parameters: one for each pointer that the code reads from the argument block
/// (gpu_code::pointers). The parameter is the beginning of an allocation, and the argument block holds the pointer's
/// offset in the allocation, in bytes. `most_spirv_parameters` is the largest number of parameters that any driver
/// accepts.
inline constexpr std::uint32_t most_spirv_parameters = 255, first_spirv_pointer = 4;
/// Returns the size of a parameter that is passed by value, rounded up to whole words of 8 bytes.
constexpr std::uint64_t spirv_parameter_bytes(std::uint64_t bytes) noexcept {
  return bytes < 8 ? 8 : (bytes + 7) / 8 * 8;
}

/// One more flag of gpu_code::flags, for SPIR-V only. If it is set, the argument block is too large to be passed by
/// value, so the kernel's first parameter is the block's address in device memory.
inline constexpr std::uint32_t gpu_code_block_in_memory = 1u << 2;

/// A failing work-item writes this record for the host, in memory that both host and GPU can access. Only the first
/// failing work-item writes the record: it sets `state` to 1, writes the other fields, and then sets `state` to 2.
/// Every failing work-item ends; the other work-items continue.
struct gpu_failure {
  std::uint32_t state;
  std::uint32_t line;                 ///< line of a failed assertion; 0: no assertion failed, and `text` is a message
  std::uint32_t block[3], thread[3];  ///< indices of the block in the grid and of the thread in the block; order z, y,
                                      ///< x
  /// Ids of a work-item whose assertion failed, in the order of __sinter_assert_fail.
  std::uint64_t ids[6];
  char text[944];                     ///< the message, or expression, file and function; a 0 ends each text
};
static_assert(sizeof(gpu_failure) == 1024);

/// The name of a variable in each module. The variable holds the address of the module's gpu_failure. If the address is
/// null, failures trap.
inline constexpr const char* gpu_failure_symbol = "sinter_failure";

/// Modules whose kernels print have this variable. If the variable has one byte, the driver prints the texts itself
/// when the host waits for the kernel. Otherwise, the variable has two parts: the address of a gpu_prints, which the
/// host sets, and the module's strings.
inline constexpr const char* gpu_prints_symbol = "sinter_prints";

/// A ring buffer of words in memory that both host and GPU can access. Work-items write texts to the buffer, and the
/// host reads the texts. The first word of a text is (offset of the format in the strings) << 16 | (number of words of
/// the text). A work-item writes this word last. Behind the first word, the text has one word for each argument: an
/// integer (signed or unsigned, as its conversion specifier says), a double, an address, or the offset of a string (for
/// %s). Words that no work-item has written are 0.
struct gpu_prints {
  static constexpr std::uint64_t words = 1u << 17;
  std::uint64_t given;  ///< number of words that work-items have reserved for their texts
  std::uint64_t taken;  ///< number of words that the host has read and then set to 0
  std::uint64_t lost;   ///< number of texts that were dropped because the ring was full
  std::uint64_t ring[words];
};

}  // namespace sinter::abi
