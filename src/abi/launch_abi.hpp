#pragma once
/// Contract 3 of 3: how a kernel is described, launched and compiled.
///
/// The file has plain data only, because user code (descriptors), libsinter.so (launches, cache) and libsinter-jit.so
/// (compiler) all include it.

#include <cstddef>
#include <cstdint>

#include "access_checks.hpp"
#include "geometry.hpp"
#include "image_format.hpp"
#include "local_range.hpp"
#include "promotion.hpp"
#include "report.hpp"

namespace sinter::abi {

/// This version changes with every change of the three contracts, and is part of every cache key.
inline constexpr std::uint32_t contract_version = 30;

// ---------------------------------------------------------------------------------------------------- CPU entry

/// The facts about a launch that a CPU entry reads. Each executing thread has a copy; arrays are in padded SYCL order
/// (device_abi.hpp).
struct nd_state {
  std::uint64_t global_range[3];
  std::uint64_t local_range[3];    ///< 1,1,1 for range kernels
  std::uint64_t group_range[3];    ///< equals global_range for range kernels
  std::uint64_t global_offset[3];
  void* local_memory;  ///< local memory of the group that this thread runs, 4096-byte aligned; null if none is needed
  void* context;       ///< values that live across barriers: kernel_info::context_bytes_per_item * local size,
                       ///< page-aligned
  void* scratch;       ///< __sinter_group_scratch: kernel_info::scratch_bytes_per_item * (local size + 1), page-aligned
  void* private_memory;  ///< arrays that are too large for the stack: kernel_info::private_bytes, page-aligned
};

/// Runs part of a launch on the calling thread. `blocks` points to one argument block for each member of a fused
/// kernel, or to one block for a kernel that is not fused. [first, last) is an interval of work-groups for nd_range
/// kernels, and of work-items for range and single_task kernels. Work-groups and work-items are numbered in linear SYCL
/// order (last dimension fastest). Several threads may call the function at the same time for disjoint intervals, each
/// with its own state.
using cpu_entry = void (*)(const void* const* blocks, const nd_state* state, std::uint64_t first, std::uint64_t last);

/// Compiled kernels call functions of libsinter.so through this table, so that a kernel can be loaded without symbols
/// of libsinter.so.
struct runtime_functions {
  void (*trap)(const char* message) noexcept;
  void (*assert_fail)(const char* expression, const char* file, unsigned line, const char* function,
                      std::uint64_t global_id0, std::uint64_t global_id1, std::uint64_t global_id2,
                      std::uint64_t local_id0, std::uint64_t local_id1, std::uint64_t local_id2) noexcept;
  access_check_functions checks;  ///< null unless SINTER_CHECK requests checks of accesses
};

enum code_flags : std::uint32_t {
  code_is_bounded = 1u << 0,  ///< work-items never wait, and each loop has at most a few dozen iterations
  code_needs_stack = 1u << 1,  ///< the code needs more stack than threads with small stacks have
  /// The code has a loop from one row of memory to the next row. In each iteration, neighbouring work-items or groups
  /// together read contiguous memory of one row. Such code is fastest if many neighbours run together.
  code_in_long_rows = 1u << 2,
  code_has_tails = 1u << 3,  ///< the last work-items of a row also run as a vector, with disabled lanes
};
/// Four bits of kernel_info::flags, from this bit on, hold the binary logarithm of the number of lanes.
inline constexpr unsigned code_lanes_shift = 8;

/// The only symbol of a compiled kernel that the loader looks up; its name is "sinter_kernel_info".
struct kernel_info {
  std::uint32_t contract;  ///< contract_version
  std::uint32_t flags;     ///< code_flags
  cpu_entry entry;
  std::uint64_t context_bytes_per_item;     ///< bytes of nd_state::context per work-item of a group; 0: none needed
  /// Bytes of nd_state::scratch for each work-item. The group as a whole needs this number of bytes in addition. 0:
  /// none needed.
  std::uint64_t scratch_bytes_per_item;
  std::uint64_t variable_bytes;             ///< bytes of nd_state::local_memory in front of the local accessors
  std::uint64_t private_bytes;              ///< bytes of nd_state::private_memory; 0: none needed
  const void* const** imports;              ///< the loader stores image_record::import_addresses here; may be null
  const runtime_functions** runtime;        ///< the loader stores the table of functions here; may be null
};
inline constexpr const char* kernel_info_symbol = "sinter_kernel_info";

// ---------------------------------------------------------------------------------------------------- descriptor

enum descriptor_flags : std::uint32_t {
  descriptor_is_helper = 1u << 0,  ///< the kernel belongs to the runtime and is hidden from kernel queries
  descriptor_refused = 1u << 1,    ///< capture has refused the kernel: no image has it, and it runs as host code
  descriptor_from_source = 1u << 2,  ///< the kernel was built at run time: it has no host code and no type
};

/// Runs one work-item on the host. To get the work-item's position, the code calls the device ABI's functions in
/// libsinter.so.
using host_entry = void (*)(const void* block);

/// A kernel's descriptor in one translation unit, with internal linkage. The headers initialise it with constants. The
/// capture plugin writes `image` and `index` into the initialiser. Without the plugin, `image` is null and `index` is
/// 0.
struct kernel_descriptor {
  host_entry host;
  /// Returns the mangled name of the kernel-name type (std::type_info::name), or its readable name without RTTI.
  const char* (*type_name)() noexcept;
  std::uint32_t block_size;
  std::uint32_t block_alignment;
  kernel_shape shape;
  std::uint32_t dimensions;   ///< 1 to 3
  const image_record* image;  ///< the kernel's image, written by capture
  std::uint32_t index;        ///< capture writes the kernel's index in the image's table here
  std::uint32_t flags;        ///< descriptor_flags
  void* variants;             ///< the kernel's code; libsinter.so owns it and accesses the pointer atomically
};
static_assert(sizeof(kernel_descriptor) == 56);

/// The positions in kernel_descriptor of the fields that capture reads and writes.
inline constexpr unsigned descriptor_host_field = 0;
inline constexpr unsigned descriptor_image_field = 6;
inline constexpr unsigned descriptor_index_field = 7;
inline constexpr unsigned descriptor_flags_field = 8;

/// Capture finds kernels and descriptors by these annotations, which the headers add.
inline constexpr const char* kernel_annotation = "sinter.kernel";
inline constexpr const char* descriptor_annotation = "sinter.descriptor";
/// Marks SYCL_EXTERNAL functions.
inline constexpr const char* external_annotation = "sinter.external";
/// Marks functions whose work-items may do the work of several groups in turns, if the function does not use the group
/// itself.
inline constexpr const char* turns_annotation = "sinter.turns";

// ---------------------------------------------------------------------------------------------------- specialization

/// Values of specialization constants, as kernels see them. An entry whose key has both bits of
/// specialization_of_argument describes bytes that are equal in all launches of the code. The key's lower 32 bits are
/// an offset in the argument block. If the key's other bits are 0, the bytes are in the argument block, at this offset.
/// Otherwise (specialization_of_memory) a pointer is at this offset, and the bytes are in the memory to which the
/// pointer points.
struct specialization_table {
  struct entry {
    std::uint64_t key;
    const void* value;
    std::uint64_t size;  ///< bytes
  };
  std::uint32_t count;
  const entry* entries;
};
/// SPIR-V code divides each specialization constant into units (gpu_target::specialization_ids). All units of the table
/// are numbered in order from 0 on, and a unit's number is its SpecId. This function returns the size of a unit in
/// bytes: the largest power of two up to 8 that divides the constant's size.
constexpr std::uint64_t specialization_unit(std::uint64_t size) noexcept {
  const std::uint64_t largest = size & (~size + 1);
  return largest < 8 ? largest : 8;
}

// ---------------------------------------------------------------------------------------------------- compile service

enum class access_check : std::uint32_t {
  none,
  reported,   ///< work-items run one by one and report each memory access to runtime_functions::checks
  sanitized,  ///< the code calls the process's address sanitizer before each access
};

/// Options for making code, independent of the kernel. The options' bytes are part of the cache's keys.
struct compile_options {
  id_width ids;
  std::uint32_t check_barriers;  ///< 1: report divergent barriers instead of trusting the kernel
  access_check accesses;
  std::uint32_t lanes;           ///< work-items per vector; 0: as many as fit, 1: no vectors
  std::uint32_t sub_group_size;  ///< sub-group size of kernels that require none; a power of two
  std::uint32_t block;           ///< number of vectors or rows that one loop body runs together; 0: the JIT chooses
};
static_assert(sizeof(compile_options) == 24);

/// Properties of the work-groups that are the same in all launches of the code.
struct known_groups {
  local_range range;                 ///< size of the groups; all 0: any
  /// A copy of the local accessors in the argument block, one behind the other in the order of the leaves.
  const void* local_accessors;
  std::uint64_t local_accessor_bytes;  ///< size of the copy; 0: any accessors
};

struct matrix_units;  // matrix_layout.hpp

/// A GPU for which code is made, and properties that are the same in all launches of the code.
struct gpu_target {
  const char* name;          ///< name of the GPU, for example "sm_90"; null: the host CPU
  std::uint32_t no_offset;   ///< 1: no global offset
  /// 1: the launch has more groups along y or z than a grid allows (65535). In such a launch, all groups are numbered
  /// linearly: the numbers count along x, and continue along y where x ends.
  std::uint32_t folded;
  std::uint32_t parameter_bytes;  ///< the driver's limit for argument block and gpu_geometry together
  std::uint32_t pointers_apart;   ///< 1: the host does not know addresses of device memory (gpu_launch.hpp)
  std::uint32_t turns;            ///< 1: a block runs several groups, one after the other (kernel_takes_turns); the
                                  ///< grid has one dimension
  std::uint32_t disjoint;         ///< 1: no two accessors of a launch can access the same memory
  /// 1: jit_request::constants has only keys and sizes, and the driver sets the values (SPIR-V only).
  std::uint32_t specialization_ids;
  const matrix_units* matrices;  ///< SPIR-V only; null: the device has no matrix units
};

/// A request to compile one kernel for the host CPU or a GPU. The caller has validated the image.
struct jit_request {
  std::uint32_t contract;      ///< contract_version
  std::uint32_t kernel_index;
  compile_options options;
  known_groups groups;
  const image_header* image;
  /// Values that become part of the code; null: the code reads them when it runs.
  const specialization_table* constants;
  /// Images that export functions which `image` imports; the JIT compiles these functions together with the kernel. The
  /// code's table of imports begins with the imports of `image`, and the imports of each of these images follow.
  const image_header* const* externals;
  std::uint64_t external_count;
  gpu_target gpu;
};

// ---------------------------------------------------------------------------------------------------- fusion

enum fusion_flags : std::uint32_t {
  fusion_no_barriers = 1u << 0,  ///< the user promises that no barrier between members is needed
  fusion_only_proved = 1u << 1,  ///< accesses have to be proved safe; otherwise the fusion is refused
  fusion_show_code = 1u << 2,    ///< the result contains the text of the fused module
  fusion_tiles = 1u << 3,        ///< members that read their neighbours' elements may be computed tile by tile
  /// the user promises that no work-item needs a result that another work-item computes in another member, so no proof
  /// is necessary
  fusion_trusted = 1u << 4,
  /// The program has not asked for the fusion. The JIT refuses tiles that may be slower than the members alone.
  fusion_must_pay = 1u << 5,
  fusion_slow_tiles = 1u << 6,   ///< tiles are allowed even if the code for their rows is not vectorized, and hence
                                 ///< slow
  /// With fusion_must_pay: the JIT may return fused code that may be slower than the members, because the caller
  /// measures the fused code (fusion_choice.hpp).
  fusion_is_measured = 1u << 7,
};

/// One kernel of a fusion, with the sizes of its launch. The local range is 0,0,0 for members that are no nd_range
/// kernels.
struct fusion_member : launch_geometry {
  const image_header* image;
  std::uint32_t kernel_index;
  std::uint32_t dimensions;
  std::uint64_t local_memory_bytes;
  const void* block;              ///< argument block, which is read only while the fusion is compiled
};

/// A pointer in a member's argument block: an accessor or a raw pointer.
struct fusion_pointer {
  std::uint32_t member;
  std::uint32_t offset;           ///< offset in bytes in the argument block
  const char* name;               ///< name of the accessor or pointer, for reports
  std::uint32_t space;            ///< number of the allocation, from 1 on; 0: not known
  promotion requested;           ///< the promotion that the program asks for
  std::int64_t base;              ///< offset in bytes from the start of the allocation
  std::uint64_t elements;         ///< number of elements that an accessor can access; 0 for a raw pointer
  std::uint32_t element_size;
  std::uint32_t unobservable;     ///< flags of members_behind.hpp; is_unobservable: the final contents are never read
};

struct fusion_request {
  std::uint32_t contract;
  std::uint32_t fusion;           ///< fusion_flags, and tile_limits (tile_limits.hpp)
  compile_options options;
  std::uint32_t member_count;
  std::uint32_t pointer_count;
  const fusion_member* members;
  const fusion_pointer* pointers;
  const struct fusion_dependence* constants;  ///< bytes of argument blocks that the code contains as constants
  std::uint64_t constant_count;
  const image_header* const* externals;  ///< see jit_request::externals, for the first member's image
  std::uint64_t external_count;
  gpu_target gpu;
};

/// Bytes of a member's argument block on which the code relies. The code may be used again only if the bytes are equal.
struct fusion_dependence {
  std::uint32_t member, offset, size;
};

/// Memory that fused kernels no longer use. Its contents are in registers or local memory instead.
struct fusion_promotion {
  std::uint32_t member, offset;  ///< identify a pointer into the memory (fusion_pointer)
  std::uint32_t to;              ///< where the contents are instead (promotion)
  std::uint32_t bytes;           ///< size of the replacement, for each work-item or each group
};

struct fusion_result {
  report_statements report;               ///< the JIT's decisions; owned by the object
  const char* code;                       ///< the fused module's text (with fusion_show_code); owned by the jit_object
  const fusion_dependence* depends_on;    ///< owned by the object
  const fusion_promotion* promotions;     ///< owned by the object
  std::uint32_t dependence_count;
  std::uint32_t promotion_count;
  std::uint64_t local_memory_bytes;       ///< local memory that a group of the fused kernel needs
  std::uint64_t saved_bytes;              ///< bytes that each launch need not read or write
  std::uint32_t range_member;             ///< the member with the most work-items
  std::uint32_t local_member;             ///< the member whose groups are launched (fused_range.hpp)
  std::uint64_t any_size;                 ///< 1: the code fits any extent of the members' slowest dimension
  /// The geometry of the fused launch. Zeros: the ranges have to be computed from range_member and local_member.
  std::uint64_t global_range[3], local_range[3];
};

struct jit_object;  ///< opaque: a compiled kernel, owner of its code

/// The flags of a GPU kernel's code.
enum gpu_code_flags : std::uint32_t {
  gpu_code_linear_groups = 1u << 0,  ///< SPIR-V: see spirv_target_name (gpu_launch.hpp)
  gpu_code_can_fail = 1u << 1,       ///< work-items may report a gpu_failure
  gpu_code_groups_meet = 1u << 3,    ///< all work-groups meet at barriers, so they have to run at the same time
};

struct gpu_code {
  const char* text;  ///< ends with 0
  std::uint64_t size;
  const char* entry;  ///< function that takes the argument blocks and a gpu_geometry (gpu_launch.hpp)
  /// The size that the grid's blocks must have; all 0: any. Grids of range kernels may be larger than the range.
  local_range block;
  /// Dynamic shared memory has three parts: scratch memory, the variables of groups (variable_bytes), and the local
  /// accessors. The first part has scratch_bytes_per_item bytes for each work-item of a group and once for the group,
  /// rounded up to a multiple of 128.
  std::uint64_t scratch_bytes_per_item, variable_bytes;
  std::uint32_t flags;  ///< gpu_code_flags
  /// The offsets, in the argument block, of the pointers that are passed as separate parameters (gpu_launch.hpp).
  const std::uint32_t* pointers;
  std::uint64_t pointer_count;
  /// The device_globals that the code uses, as indices into the table of imports. The table at gpu_geometry::globals
  /// has the same order.
  const std::uint32_t* globals;
  std::uint64_t global_count;
};

struct jit_result {
  const kernel_info* info;  ///< valid until release(object); null for a GPU
  jit_object* object;
  double milliseconds;      ///< time spent in the compile service
  report_statements lanes;  ///< the loops and kernels that became vectors; owned by the object
  const char* warnings;     ///< lines for people, may be empty; owned by the object
  const gpu_code* gpu;      ///< owned by the object; null for the CPU
  /// Null on success. Otherwise a sentence that names the failure and its reason. `object` owns this sentence, and has
  /// no code.
  const char* error;
};

/// The function table of libsinter-jit.so. All functions in it are thread-safe and never throw.
struct jit_api {
  std::uint64_t contract;
  const char* llvm_version;  ///< "22.1.8"
  const char* llvm_path;     ///< file of the LLVM library in use
  const char* cpu_name;
  /// Compiles a kernel; the code may run as soon as the function returns true.
  bool (*compile)(const jit_request* request, jit_result* result) noexcept;
  /// Compiles a fusion into one entry that runs all members. The entry takes the members' argument blocks in order.
  /// Also returns false if the members must not be fused; jit_result::error says why.
  bool (*fuse)(const fusion_request* request, jit_result* result, fusion_result* fusion) noexcept;
  /// Links the object into a shared object at `path` (created or truncated). On failure writes a sentence to `error`.
  bool (*link)(const jit_object* object, const char* path, char* error, std::size_t error_size) noexcept;
  /// Frees the object and its code. No thread may be running the code.
  void (*release)(jit_object* object) noexcept;
};

/// The type of "sinter_jit_open", the only function that libsinter-jit.so exports. The function returns null if
/// `contract` is not the library's contract_version.
using jit_open_function = const jit_api* (*)(std::uint32_t contract);
inline constexpr const char* jit_open_symbol = "sinter_jit_open";

} // namespace sinter::abi
