#pragma once
/// Contract 1 of 3: the functions that device code may call.
///
/// Each target implements these functions in its own way: captured code contains calls of them, and the JIT replaces
/// the calls by the target's code. Each change of the functions raises `device_abi_version`. In library mode (without
/// the capture plugin), libsinter.so defines the functions: they act for the work-item that the calling thread is
/// running.
///
/// Ids and ranges always have three dimensions, in SYCL order: a kernel of D dimensions uses the indices 3-D .. 2, and
/// the leading dimensions have size 1. On every target, index 2 is the dimension that varies fastest. GPU lowering maps
/// dimension 2 to x, 1 to y and 0 to z.

#include <cstddef>
#include <cstdint>

namespace sinter::abi {

inline constexpr std::uint32_t device_abi_version = 7;

/// Every symbol of the device ABI starts with this prefix. Only functions with this prefix may be undefined in captured
/// code.
inline constexpr const char* device_symbol_prefix = "__sinter_";

/// Capture renames math functions that have no LLVM intrinsic to "__sinter_math_<name>_f32" or "..._f64". <name> is
/// libm's name of the double version (hypot, lgamma, cbrt, erf ...). Only the JIT defines these functions.
inline constexpr const char* device_math_prefix = "__sinter_math_";

/// The name of the function __sinter_specialization_constant below.
inline constexpr const char* specialization_symbol = "__sinter_specialization_constant";
/// In bitcode, this attribute marks declarations of variables of the class device_global
/// (sycl_ext_oneapi_device_global).
inline constexpr const char* device_global_attribute = "sinter.device_global";
/// This bit is set in the keys of specialization constants without a default value. Programs have to set such
/// constants.
inline constexpr std::uint64_t specialization_without_default = std::uint64_t{1} << 63;
/// A key with both of these bits refers to bytes of an argument (abi::specialization_table). Keys of specialization
/// constants never have both bits.
inline constexpr std::uint64_t specialization_of_argument = std::uint64_t{3} << 62;
/// Returns the key for bytes in memory to which an argument points (abi::specialization_table). `offset` is the
/// argument's offset in the argument block, and `at` is the distance of the bytes from the address in the argument.
constexpr std::uint64_t specialization_of_memory(std::uint32_t offset, std::uint32_t at) noexcept {
  return specialization_of_argument | std::uint64_t{at + 1} << 32 | offset;
}

/// If the ids of a failing work-item are unknown, reports contain this value in their place.
inline constexpr std::uint64_t unknown_work_item = ~std::uint64_t{0};

/// The values are those of sycl::memory_scope.
enum class scope : std::uint32_t { work_item = 0, sub_group = 1, work_group = 2, device = 3, system = 4 };

/// The values are those of sycl::memory_order.
enum class order : std::uint32_t { relaxed = 0, acquire = 1, release = 2, acq_rel = 3, seq_cst = 4 };

} // namespace sinter::abi

#if defined(__clang__)
#define SINTER_DEVICE_CONVERGENT __attribute__((convergent))
#else
#define SINTER_DEVICE_CONVERGENT
#endif
/// A compiler that does not know "convergent" may move a call of a "const" function into a branch that only some
/// work-items reach. Only clang knows "convergent", so for other compilers the functions are not "const" either.
#if defined(__clang__)
#define SINTER_DEVICE_TOGETHER __attribute__((convergent, const))
#else
#define SINTER_DEVICE_TOGETHER
#endif
#define SINTER_DEVICE_CONST __attribute__((const))
#define SINTER_DEVICE_PURE __attribute__((pure))

// clang-format off
extern "C" {
/// Returns true in device code, and false in the host copy of the same code. Capture replaces the call by a constant,
/// so that each copy contains only its own branch. In library mode the result is always false.
SINTER_DEVICE_CONST bool __sinter_on_device() noexcept;

// These functions return the calling work-item's position and the sizes of its launch. The results never change. `dim`
// is 0, 1 or 2 (see the top of the file).
/// The id includes the global offset.
SINTER_DEVICE_CONST std::size_t __sinter_global_id(std::uint32_t dim) noexcept;
SINTER_DEVICE_CONST std::size_t __sinter_local_id(std::uint32_t dim) noexcept;       ///< nd_range kernels only
SINTER_DEVICE_CONST std::size_t __sinter_group_id(std::uint32_t dim) noexcept;       ///< nd_range kernels only
SINTER_DEVICE_CONST std::size_t __sinter_global_range(std::uint32_t dim) noexcept;
SINTER_DEVICE_CONST std::size_t __sinter_local_range(std::uint32_t dim) noexcept;    ///< nd_range kernels only
SINTER_DEVICE_CONST std::size_t __sinter_group_range(std::uint32_t dim) noexcept;    ///< nd_range kernels only
SINTER_DEVICE_CONST std::size_t __sinter_global_offset(std::uint32_t dim) noexcept;

/// Returns the first byte of the local memory of the calling work-item's group. A local accessor holds an offset from
/// this byte.
SINTER_DEVICE_CONST void* __sinter_local_base() noexcept;

/// Returns memory that the work-items of a group share, in addition to local memory. The memory has `bytes` bytes for
/// each work-item of the group, and `bytes` more for the whole group. The memory is aligned to 4096 bytes and not
/// initialised. Calls with the same number of bytes return the same memory. A call with more bytes may return other
/// memory; the earlier memory stays valid. `bytes` has to be constant. All work-items of the group have to call the
/// function, and a barrier has to follow. Only nd_range kernels may call it.
void* __sinter_group_scratch(std::uint32_t bytes) noexcept;

/// Returns the memory of a variable that the work-items of the calling work-item's group share. Calls with the same key
/// return the same memory, which is not initialised. `key` is the address of a constant; `alignment` is a power of two,
/// 4096 at most. All three arguments have to be constant. Only nd_range kernels may call the function.
SINTER_DEVICE_CONST void* __sinter_group_variable(const void* key, std::uint32_t bytes,
                                                  std::uint32_t alignment) noexcept;

/// A barrier for all work-items of the scope `execution`, and a memory fence with order acq_rel and scope `fence`.
/// `execution` is device, work_group or sub_group. The scope device is allowed if the launch has one work-group, or if
/// device_facts::groups_meet is set.
SINTER_DEVICE_CONVERGENT void __sinter_barrier(std::uint32_t execution, std::uint32_t fence) noexcept;

// A sub-group consists of work-items of one group with consecutive linear local ids. The first id of a sub-group is a
// multiple of the sub-group size, and the last sub-group of a group may be smaller. Only nd_range kernels have
// sub-groups.
/// Returns the sub-group size: a power of two, 64 at most, the same in the whole kernel.
SINTER_DEVICE_CONST std::uint32_t __sinter_sub_group_size() noexcept;
SINTER_DEVICE_CONST std::uint32_t __sinter_sub_group_local_id() noexcept;
/// Returns the number of work-items in the calling work-item's sub-group; the last sub-group may be smaller than the
/// sub-group size.
SINTER_DEVICE_CONST std::uint32_t __sinter_sub_group_local_range() noexcept;

// The work-items of a sub-group have to call the next functions together: either all of them call, or none.
/// Returns the `value` of the work-item whose number in the sub-group is `source` modulo the sub-group size. If the
/// sub-group has no such work-item, the result is undefined.
SINTER_DEVICE_TOGETHER std::uint8_t __sinter_sub_group_shuffle_8(std::uint8_t value, std::uint32_t source) noexcept;
SINTER_DEVICE_TOGETHER std::uint16_t __sinter_sub_group_shuffle_16(std::uint16_t value, std::uint32_t source) noexcept;
SINTER_DEVICE_TOGETHER std::uint32_t __sinter_sub_group_shuffle_32(std::uint32_t value, std::uint32_t source) noexcept;
SINTER_DEVICE_TOGETHER std::uint64_t __sinter_sub_group_shuffle_64(std::uint64_t value, std::uint32_t source) noexcept;
/// Bit i of the result says whether the condition holds for work-item i.
SINTER_DEVICE_TOGETHER std::uint64_t __sinter_sub_group_ballot(bool condition) noexcept;

// A work-item of a reduction over a range processes several elements, and calls the next two functions before and after
// each of them. The functions do nothing. The calls mark where fusion inserts the code of another kernel, which has one
// work-item for each element. The arguments are the element's coordinates, then the extents of the range.
void __sinter_element_begin(std::size_t, std::size_t, std::size_t, std::size_t, std::size_t, std::size_t) noexcept;
void __sinter_element_end(std::size_t, std::size_t, std::size_t, std::size_t, std::size_t, std::size_t) noexcept;
/// Returns `coordinate`, and marks it as a coordinate of the current element for fusion. Between the two calls above,
/// code may get the element's position only from this function.
SINTER_DEVICE_CONST std::size_t __sinter_element_id(std::size_t coordinate, std::uint32_t dim) noexcept;

// In a reduction over an nd_range, a work-item may do the work of several groups, one after the other. A turn is the
// work for one of these groups: turn 0 is for the work-item's own group. On devices that run each group by itself, turn
// 0 is the only one.
/// Returns whether the calling work-item's group has work in this turn. All work-items of the group get the same
/// result. Turns count from 0, and each group has turn 0.
SINTER_DEVICE_CONST bool __sinter_has_turn(std::size_t turn) noexcept;
/// These two functions return the values of __sinter_group_id and __sinter_global_id in turn `turn`. `group_id` and
/// `global_id` are the values in turn 0.
SINTER_DEVICE_CONST std::size_t __sinter_turn_group_id(std::size_t group_id, std::size_t turn,
                                                       std::uint32_t dim) noexcept;
SINTER_DEVICE_CONST std::size_t __sinter_turn_global_id(std::size_t global_id, std::size_t turn,
                                                        std::uint32_t dim) noexcept;
/// Returns how many of the launch's `groups` groups run in turn 0: the ones with the lowest linear ids. All other
/// groups run in later turns.
SINTER_DEVICE_CONST std::size_t __sinter_groups_of_turns(std::size_t groups) noexcept;

/// Fences memory for the calling work-item only.
void __sinter_fence(std::uint32_t order, std::uint32_t scope) noexcept;

/// Returns the address of a specialization constant's value. The value is in the launch's abi::specialization_table
/// (`table`, may be null). If the table has no value for the key, the result is `initial`. `key` has to be constant.
/// If the JIT compiles the kernel for one launch only, the table's contents replace the call.
SINTER_DEVICE_PURE const void* __sinter_specialization_constant(const void* table, std::uint64_t key,
    const void* initial) noexcept;

/// Ends the program with a message and never returns. Capture replaces a `throw` in device code by a call of this
/// function.
[[noreturn]] void __sinter_trap(const char* message) noexcept;

/// A failed assert() in device code calls this function, which never returns. Ids are in padded SYCL order. An id that
/// the kernel does not have is 0, and an unknown id is unknown_work_item. Captured code passes the first four arguments
/// only, and the JIT adds the others.
[[noreturn]] void __sinter_assert_fail(const char* expression, const char* file, unsigned line, const char* function,
    std::uint64_t global_id0, std::uint64_t global_id1, std::uint64_t global_id2, std::uint64_t local_id0,
    std::uint64_t local_id1, std::uint64_t local_id2) noexcept;
}
// clang-format on
