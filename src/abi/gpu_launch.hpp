#pragma once
/// The launch of kernels on GPUs: parameters of their code beside the argument block, and facts that their code states.
///
/// A kernel of a GPU has two parameters, both by value: its argument block, and a gpu_geometry. Words of the two
/// structures that the code does not read cost nothing. The block of a fused kernel joins the blocks of its members
/// (joined_blocks).

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
/// NVIDIA's drivers take no more bytes than this for both parameters. Drivers of CUDA 12.1 and later take the larger
/// number, in code of PTX 8.1 (32764 bytes, and blocks are padded to whole words).
inline constexpr std::uint64_t most_gpu_parameter_bytes = 4096, large_gpu_parameter_bytes = 32760;

/// The facts about a launch that GPU code reads. Arrays are in padded SYCL order (device_abi.hpp).
struct gpu_geometry {
  std::uint64_t global_range[3];
  std::uint64_t global_offset[3];
  std::uint64_t group_range[3];  ///< number of groups, for grids whose blocks are no groups (gpu_target::folded, turns)
  /// The address of a word for barriers of all work-groups (gpu_code_groups_meet); 0: the code has no such barriers.
  std::uint64_t meeting;
  std::uint64_t globals;  ///< address of a table with the addresses of the device_globals that the code uses
};

/// Blocks of a one-dimensional range: if the first two sizes of gpu_code::block are 0, the third is the largest size
/// that a block may have. Every multiple of this number up to that size is allowed.
inline constexpr std::uint32_t least_block = 32;

/// Replaces gpu_geometry for AMD's GPUs, where no register holds the size of a grid or of its blocks.
struct grid_geometry {
  gpu_geometry launch;
  std::uint32_t block_size[3];  ///< work-items
  std::uint32_t grid_size[3];   ///< blocks
};

/// The name of the target of drivers that take SPIR-V. Such a kernel has four parameters: its argument block and a
/// gpu_geometry, both by value, the local memory of a group, and the address of a gpu_failure. Groups and ids are the
/// driver's own, unless gpu_code_linear_groups is set: then each group is one row, and groups follow each other in one
/// dimension.
inline constexpr const char* spirv_target_name = "spirv64";
/// The default version is SPIR-V 1.4. "v1.0" to "v1.3" behind the target's name asks for that version. Sub-groups need
/// 1.3.
inline constexpr const char* spirv_version = "v1.4";
/// If a driver's memory has no addresses outside kernels (gpu_target::pointers_apart) more parameters follow: one for
/// each pointer of the argument block that the code reads (gpu_code::pointers). Such a parameter leads to the beginning
/// of an allocation. In place of the pointer, the block holds the distance in bytes from that beginning. No driver
/// takes more parameters than this.
inline constexpr std::uint32_t most_spirv_parameters = 255, first_spirv_pointer = 4;
/// Returns the size of a parameter that is passed by value: it is rounded up to whole words.
constexpr std::uint64_t spirv_parameter_bytes(std::uint64_t bytes) noexcept {
  return bytes < 8 ? 8 : (bytes + 7) / 8 * 8;
}

/// A flag of SPIR-V in gpu_code::flags, beside abi::gpu_code_flags: the argument block is larger than the bytes that
/// the driver takes by value, so the first parameter is the block's address in memory of the device.
inline constexpr std::uint32_t gpu_code_block_in_memory = 1u << 2;

/// The record that a failing work-item writes for the host, in memory that host and GPU reach. The first work-item that
/// fails gets the record: it sets `state` to 1, and to 2 when all is written. A work-item that fails ends; the other
/// work-items go on.
struct gpu_failure {
  std::uint32_t state;
  std::uint32_t line;                 ///< line of a failed assertion; 0: `text` is a message alone
  std::uint32_t block[3], thread[3];  ///< the block's place in the grid, the thread's place in the block; z, y, x
  /// Ids of a work-item whose assertion failed, in the order of __sinter_assert_fail.
  std::uint64_t ids[6];
  char text[944];                     ///< the message, or expression, file and function; a 0 ends each text
};
static_assert(sizeof(gpu_failure) == 1024);

/// The variable of a module that holds the address of its gpu_failure. If the address is null, failures trap.
inline constexpr const char* gpu_failure_symbol = "sinter_failure";

/// Modules whose kernels print have this variable. If it is a single byte, the driver prints the text when the host
/// waits for the kernel. Otherwise the variable is the address of a gpu_prints, null until the host sets it, with the
/// module's strings behind the address.
inline constexpr const char* gpu_prints_symbol = "sinter_prints";

/// A ring of words in memory that host and GPU reach, to which work-items write texts, and from which the host takes
/// them. The first word of a text is written last: (offset of the format in the strings) << 16 | words of the text.
/// Behind it is a word for each argument: an integer with the sign that its conversion wants, a double, an address, or
/// for %s the offset of a string. Words that nobody has written are 0.
struct gpu_prints {
  static constexpr std::uint64_t words = 1u << 17;
  std::uint64_t given;  ///< words that work-items have taken for their texts
  std::uint64_t taken;  ///< words that the host has read, and set to 0
  std::uint64_t lost;   ///< texts that were dropped because the ring was full
  std::uint64_t ring[words];
};

}  // namespace sinter::abi
