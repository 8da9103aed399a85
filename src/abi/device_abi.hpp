#pragma once
/// Contract 1 of 3: the functions that device code may call.
///
/// Every operation that targets lower differently is a call to one of these functions. The list is closed: adding,
/// removing or changing a function raises `device_abi_version`. In captured code they stay calls until the JIT lowers
/// them; in library mode (no capture plugin) libsinter.so defines them for the work-item the calling thread is running.
///
/// Geometry is always three-dimensional and in SYCL order: a kernel of D dimensions uses the indices 3-D .. 2 and the
/// leading dimensions have size 1. Index 2 is the fastest one on every target (GPU lowering: x = 2 - dim).

#include <cstddef>
#include <cstdint>

namespace sinter::abi {

inline constexpr std::uint32_t device_abi_version = 7;

/// Every symbol of the device ABI starts with this; capture keeps such declarations, everything else must be defined.
inline constexpr const char* device_symbol_prefix = "__sinter_";

/// Math functions without an LLVM intrinsic are canonicalised by capture to "__sinter_math_<name>_f32|_f64", where
/// <name> is libm's name of the double version (hypot, lgamma, cbrt, erf ...). Only the JIT defines them.
inline constexpr const char* device_math_prefix = "__sinter_math_";

/// See __sinter_specialization_constant.
inline constexpr const char* specialization_symbol = "__sinter_specialization_constant";
/// Attribute of declarations in bitcode: variables of the class device_global (sycl_ext_oneapi_device_global).
inline constexpr const char* device_global_attribute = "sinter.device_global";
/// Bit of the keys of constants that have no default: programs have to set them.
inline constexpr std::uint64_t specialization_without_default = std::uint64_t{1} << 63;
/// Two bits that are never both set in keys of constants (abi::specialization_table).
inline constexpr std::uint64_t specialization_of_argument = std::uint64_t{3} << 62;
/// For memory to which an argument points, `at` bytes from there; `offset` is the argument's
/// (abi::specialization_table).
constexpr std::uint64_t specialization_of_memory(std::uint32_t offset, std::uint32_t at) noexcept {
  return specialization_of_argument | std::uint64_t{at + 1} << 32 | offset;
}

/// Instead of the ids of a failing work-item.
inline constexpr std::uint64_t unknown_work_item = ~std::uint64_t{0};

/// Scope operands, numbered as sycl::memory_scope.
enum class scope : std::uint32_t { work_item = 0, sub_group = 1, work_group = 2, device = 3, system = 4 };

/// Order operands, numbered as sycl::memory_order.
enum class order : std::uint32_t { relaxed = 0, acquire = 1, release = 2, acq_rel = 3, seq_cst = 4 };

} // namespace sinter::abi

#if defined(__clang__)
#define SINTER_DEVICE_CONVERGENT __attribute__((convergent))
#else
#define SINTER_DEVICE_CONVERGENT
#endif
/// Not "const" for compilers that would move a call to where only some work-items get.
#if defined(__clang__)
#define SINTER_DEVICE_TOGETHER __attribute__((convergent, const))
#else
#define SINTER_DEVICE_TOGETHER
#endif
#define SINTER_DEVICE_CONST __attribute__((const))
#define SINTER_DEVICE_PURE __attribute__((pure))

// clang-format off
extern "C" {
/// Whether this is the copy of the code that devices run. Capture knows the answer on both sides: neither keeps the
/// branch of the other. Always false in library mode.
SINTER_DEVICE_CONST bool __sinter_on_device() noexcept;

// Position of the calling work-item. Constant for the life of a work-item. `dim` is 0, 1 or 2 (see above).
SINTER_DEVICE_CONST std::size_t __sinter_global_id(std::uint32_t dim) noexcept;      ///< includes the global offset
SINTER_DEVICE_CONST std::size_t __sinter_local_id(std::uint32_t dim) noexcept;       ///< nd_range kernels only
SINTER_DEVICE_CONST std::size_t __sinter_group_id(std::uint32_t dim) noexcept;       ///< nd_range kernels only
SINTER_DEVICE_CONST std::size_t __sinter_global_range(std::uint32_t dim) noexcept;
SINTER_DEVICE_CONST std::size_t __sinter_local_range(std::uint32_t dim) noexcept;    ///< nd_range kernels only
SINTER_DEVICE_CONST std::size_t __sinter_group_range(std::uint32_t dim) noexcept;    ///< nd_range kernels only
SINTER_DEVICE_CONST std::size_t __sinter_global_offset(std::uint32_t dim) noexcept;

/// First byte of the local memory of the calling work-item's group. A local accessor holds an offset from here.
SINTER_DEVICE_CONST void* __sinter_local_base() noexcept;

/// Memory that the work-items of the calling work-item's group share besides local memory: `bytes` for each of them and
/// once more for the group, aligned to 4096 bytes. Uninitialised. All calls return the same memory, except that a call
/// with more bytes may return other memory; the memory of earlier calls then stays valid. `bytes` has to be constant,
/// and all work-items of the group have to call it, followed by a barrier. nd_range kernels only.
void* __sinter_group_scratch(std::uint32_t bytes) noexcept;

/// A variable that the work-items of the calling work-item's group share: the same memory for all calls with the same
/// key, other memory for other keys. Uninitialised. `key` is the address of a constant, `alignment` a power of two,
/// 4096 at most; they and `bytes` have to be constant. nd_range kernels only.
SINTER_DEVICE_CONST void* __sinter_group_variable(const void* key, std::uint32_t bytes,
                                                  std::uint32_t alignment) noexcept;

/// All work-items of `execution` meet here; memory is fenced with acq_rel at `fence` scope. `execution` is device,
/// work_group or sub_group; device is possible if the launch has one work-group, or if device_facts::groups_meet is
/// set.
SINTER_DEVICE_CONVERGENT void __sinter_barrier(std::uint32_t execution, std::uint32_t fence) noexcept;

// Sub-groups consist of work-items of a group with consecutive linear local ids, beginning at each multiple of the
// size; the last one of a group may have fewer. nd_range kernels only.
/// A power of two, 64 at most; one per kernel.
SINTER_DEVICE_CONST std::uint32_t __sinter_sub_group_size() noexcept;
SINTER_DEVICE_CONST std::uint32_t __sinter_sub_group_local_id() noexcept;
SINTER_DEVICE_CONST std::uint32_t __sinter_sub_group_local_range() noexcept;  ///< how many work-items it really has

// All work-items of a sub-group call these together, or none.
/// `value` of the work-item `source` modulo the size; any value if there is no such work-item.
SINTER_DEVICE_TOGETHER std::uint8_t __sinter_sub_group_shuffle_8(std::uint8_t value, std::uint32_t source) noexcept;
SINTER_DEVICE_TOGETHER std::uint16_t __sinter_sub_group_shuffle_16(std::uint16_t value, std::uint32_t source) noexcept;
SINTER_DEVICE_TOGETHER std::uint32_t __sinter_sub_group_shuffle_32(std::uint32_t value, std::uint32_t source) noexcept;
SINTER_DEVICE_TOGETHER std::uint64_t __sinter_sub_group_shuffle_64(std::uint64_t value, std::uint32_t source) noexcept;
/// Bit i: whether the condition holds for work-item i.
SINTER_DEVICE_TOGETHER std::uint64_t __sinter_sub_group_ballot(bool condition) noexcept;

// If a work-item does the work of several elements of a range in turn, as in reductions over ranges, these calls stand
// around each element. They do nothing themselves: fusion puts kernels that have a work-item for each element between
// them. Coordinates, then extents.
void __sinter_element_begin(std::size_t, std::size_t, std::size_t, std::size_t, std::size_t, std::size_t) noexcept;
void __sinter_element_end(std::size_t, std::size_t, std::size_t, std::size_t, std::size_t, std::size_t) noexcept;
/// The coordinate itself, marked as an element's: between the two calls, nothing else tells the element's position.
SINTER_DEVICE_CONST std::size_t __sinter_element_id(std::size_t coordinate, std::uint32_t dim) noexcept;

// A work-item of a reduction over an nd_range may do the work of several groups: that of its own group first, then that
// of further groups, turn by turn. Devices that run each group by itself have one turn.
/// Whether the group has this turn; all its work-items get the same answer. Turns count from 0, and each group has turn
/// 0.
SINTER_DEVICE_CONST bool __sinter_has_turn(std::size_t turn) noexcept;
/// The results of __sinter_group_id and __sinter_global_id in that turn; their results in turn 0 are passed in.
SINTER_DEVICE_CONST std::size_t __sinter_turn_group_id(std::size_t group_id, std::size_t turn,
                                                       std::uint32_t dim) noexcept;
SINTER_DEVICE_CONST std::size_t __sinter_turn_global_id(std::size_t global_id, std::size_t turn,
                                                        std::uint32_t dim) noexcept;
/// The number of groups, among `groups`, that have their own turn 0: those with the lowest linear ids.
SINTER_DEVICE_CONST std::size_t __sinter_groups_of_turns(std::size_t groups) noexcept;

/// Memory fence of the calling work-item only.
void __sinter_fence(std::uint32_t order, std::uint32_t scope) noexcept;

/// The address of a specialization constant's value: the one in the launch's abi::specialization_table (or null) if
/// that has one, otherwise `initial`. `key` has to be constant. The JIT knows the table's contents where it compiles
/// for one launch.
SINTER_DEVICE_PURE const void* __sinter_specialization_constant(const void* table, std::uint64_t key,
    const void* initial) noexcept;

/// Ends the program with a message: a `throw` in device code becomes this call. Never returns.
[[noreturn]] void __sinter_trap(const char* message) noexcept;

/// A failed assert() in device code. Never returns. Ids are in padded SYCL order, 0 where a kernel has none, and
/// unknown_work_item where they are unknown; captured code passes the first four arguments only, and the JIT adds the
/// others.
[[noreturn]] void __sinter_assert_fail(const char* expression, const char* file, unsigned line, const char* function,
    std::uint64_t global_id0, std::uint64_t global_id1, std::uint64_t global_id2, std::uint64_t local_id0,
    std::uint64_t local_id1, std::uint64_t local_id2) noexcept;
}
// clang-format on
