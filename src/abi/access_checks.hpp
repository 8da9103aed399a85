#pragma once
/// The reports of kernels that check their accesses (SINTER_CHECK): the runtime gets these reports.

#include <cstdint>

namespace sinter::abi {

enum access_flags : std::uint32_t {
  access_writes = 1u << 0,  ///< the access writes; without this flag, it reads
  access_atomic = 1u << 1,
  access_private = 1u << 2,   ///< the access is to an array of the work-item, of `object_bytes` bytes
  access_constant = 1u << 3,  ///< the access is to a constant or variable of the program, of `object_bytes` bytes
  access_argument = 1u << 4,  ///< the access is to the argument block itself, of `object_bytes` bytes
  access_group = 1u << 5,     ///< the access is to a variable that the group shares, of `object_bytes` bytes
  access_divides = 1u << 6,   ///< not an access, but an integer division without a result (wrong_division)
  access_exchanges = 1u << 7,  ///< not an access, but an exchange with a work-item outside of the sub-group
};

/// The reason why a division has no result. access_check_functions::access gets it in place of `bytes` if
/// access_divides is set.
enum class wrong_division : std::uint64_t { by_zero = 1, overflow = 2 };

/// An exchange of values from whose source no work-item of the sub-group can get a value. If access_exchanges is set,
/// access_check_functions::access gets the number of the source in the low half of `bytes`, and the sub-group size in
/// the high half.
struct wrong_exchange {
  std::int32_t source;
  std::uint32_t size;
};

/// A read or write of memory in a kernel's source, for code that checks accesses (SINTER_CHECK=memory, races).
struct checked_access {
  const char* file;  ///< source file; null: not known
  const char* name;  ///< name of the array or variable; null: not known
  std::uint32_t line;
  std::uint32_t flags;  ///< access_flags
  std::int64_t leaf;    ///< index of the argument whose pointer leads to the memory; -1: not known
  std::uint64_t object_bytes;
};

/// Checked kernels report to the runtime through these functions.
struct access_check_functions {
  /// A work-item starts. The ids are in padded SYCL order. `item` is the linear local id, and `group` is the linear id
  /// of the group. `item` and `group` are 0 in kernels without groups.
  void (*start)(std::uint64_t id0, std::uint64_t id1, std::uint64_t id2, std::uint64_t item,
                std::uint64_t group) noexcept;
  /// The work-item continues after a barrier or another exchange of data within its group or sub-group (`scope`:
  /// abi::scope).
  void (*resume)(std::uint64_t id0, std::uint64_t id1, std::uint64_t id2, std::uint64_t item,
                 std::uint32_t scope) noexcept;
  /// The work-item is about to access `bytes` bytes at `address`, which was computed from `base`. The function does not
  /// return if the access is wrong.
  void (*access)(const checked_access* place, const void* base, const void* address, std::uint64_t bytes) noexcept;
};

}  // namespace sinter::abi
