#pragma once
/// The launch of kernels on GPUs: parameters of their code beside the argument block, and facts that their code states.
///
/// A kernel of a GPU has two parameters, both by value: its argument block, and a gpu_geometry. Words of these
/// structures that the code does not read cost nothing. The block of a fused kernel joins the blocks of its members
/// (joined_blocks).

#include <cstdint>

namespace sinter::abi {

/// The argument blocks of fused kernels, one behind the other.
struct joined_blocks {
  std::uint64_t bytes = 0, alignment = 8;

  /// The offset of the next parameter. Alignments are powers of two.
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

/// Arrays are padded SYCL order (device_abi.hpp).
struct gpu_geometry {
  std::uint64_t global_range[3];
  std::uint64_t global_offset[3];
  std::uint64_t group_range[3];  ///< where a grid's blocks are no groups: folded, or by turns
  /// Address of a word for barriers of all work-groups (gpu_code_groups_meet); 0: there are none.
  std::uint64_t meeting;
  std::uint64_t globals;  ///< address of a table with the addresses of the device_globals that the code uses
};

/// A one-dimensional range's blocks: if the first two sizes of gpu_code::block are 0, the third is the largest size
/// that a block may have, and any multiple of this number that is no larger will do.
inline constexpr std::uint32_t least_block = 32;

/// Replaces gpu_geometry for AMD's GPUs, because no register has the size of a grid and of its blocks.
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
/// SPIR-V 1.4; if "v1.0" to "v1.3" follows the name, that version. Sub-groups are there since 1.3.
inline constexpr const char* spirv_version = "v1.4";
/// If a driver's memory has no addresses outside kernels (gpu_target::pointers_apart) more parameters follow: one for
/// each pointer of the argument block that the code reads (gpu_code::pointers). It leads to the beginning of an
/// allocation. The block holds, in place of the pointer, the distance in bytes from there. No driver takes more
/// parameters than this.
inline constexpr std::uint32_t most_spirv_parameters = 255, first_spirv_pointer = 4;
/// Parameters passed by value are rounded up to whole words.
constexpr std::uint64_t spirv_parameter_bytes(std::uint64_t bytes) noexcept {
  return bytes < 8 ? 8 : (bytes + 7) / 8 * 8;
}

/// A flag of SPIR-V in gpu_code::flags, beside abi::gpu_code_flags: the argument block is larger than the bytes that
/// the driver takes by value, so the first parameter is the block's address in memory of the device.
inline constexpr std::uint32_t gpu_code_block_in_memory = 1u << 2;

/// The record that a failing work-item leaves for the host, in memory that both reach. The first work-item that fails
/// gets the record: it sets `state` to 1, and to 2 when all is written. A work-item that fails ends; the other
/// work-items go on.
struct gpu_failure {
  std::uint32_t state;
  std::uint32_t line;                 ///< of a failed assertion; 0: a message alone
  std::uint32_t block[3], thread[3];  ///< of the grid and in the block; z, y, x
  std::uint64_t ids[6];               ///< of a failed assertion, as __sinter_assert_fail takes them
  char text[944];                     ///< message, or expression, file and function, each ended by 0
};
static_assert(sizeof(gpu_failure) == 1024);

/// The variable of a module that holds the address of its gpu_failure; null: failures trap.
inline constexpr const char* gpu_failure_symbol = "sinter_failure";

/// This variable is in modules whose kernels print. A single byte: the driver prints their text when the host waits for
/// it. Else it is the address of a gpu_prints, null until the host sets it, and behind that the module's strings.
inline constexpr const char* gpu_prints_symbol = "sinter_prints";

/// A ring of words in memory that host and GPU reach, to which work-items write texts, and from which the host takes
/// them. A text is a word that is written last, (offset of its format in the strings) << 16 | words of the text, and a
/// word for each argument: an integer with the sign that its conversion wants, a double, an address, or for %s the
/// offset of a string. Words that nobody has written are 0.
struct gpu_prints {
  static constexpr std::uint64_t words = 1u << 17;
  std::uint64_t given;  ///< words that work-items have taken for their texts
  std::uint64_t taken;  ///< words that the host has read, and set to 0
  std::uint64_t lost;   ///< texts that found no place
  std::uint64_t ring[words];
};

}  // namespace sinter::abi
