#pragma once
/// Describes a kernel's accesses to global memory by numbers, from which the fusion is decided. The file needs no LLVM.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::passes {

/// Variables of an affine form: a work-item's global, local and group ids, each in padded SYCL order, and for each loop
/// around an access the number of finished iterations ("turns"), outermost loop first.
enum access_variable : unsigned {
  variable_global = 0,
  variable_local = 3,
  variable_group = 6,
  variable_loop = 9,
  variable_count = 12
};
inline constexpr unsigned loop_depth = variable_count - variable_loop;

/// The value constant + sum of coefficients * variables. The form is exact: no addition or multiplication overflowed
/// when the form was computed.
struct affine_form {
  std::int64_t constant = 0;
  std::array<std::int64_t, variable_count> coefficients{};
  friend bool operator==(const affine_form&, const affine_form&) = default;
};

enum class access_kind : std::uint8_t { read, write, update };  ///< an update is an atomic read-modify-write

struct memory_access {
  /// Byte offset of the pointer in the argument block; no_leaf if the access may go to any memory.
  unsigned leaf;
  bool known;              ///< whether `offset` is valid; otherwise the access may be anywhere in the leaf's memory
  bool certain;            ///< whether each work-item whose guards hold makes the access in each iteration
  access_kind kind;
  affine_form offset;      ///< bytes from the pointer to the access
  std::uint64_t bytes;
  /// Position in the kernel. Only accesses with a higher number see the effects of this access.
  unsigned order;
  std::string where;       ///< "file:line" or empty
  /// Updates of equal size may be done in any order if they have the same number here, and the number is not 0. Such
  /// updates do not return the old value.
  std::uint8_t commutes = 0;
  std::vector<affine_form> guards{};  ///< affine forms that are at least 0 for work-items that make the access
  std::array<std::uint64_t, loop_depth> turns{1, 1, 1};  ///< number of iterations of each loop around the access
};
inline constexpr unsigned no_leaf = ~0u;

/// Bytes of the argument block from which an affine form was computed. A verdict may be reused only for launches in
/// which these bytes are equal.
struct block_dependence {
  unsigned offset, size;
  friend bool operator==(const block_dependence&, const block_dependence&) = default;
};

struct access_summary {
  std::vector<memory_access> accesses;
  std::vector<block_dependence> depends_on;
  bool has_barrier = false;
  /// Whether work-groups may learn how far other work-groups have got. For example, the last group may combine the
  /// results of all groups.
  bool is_collective = false;
  bool uses_extent = false;    ///< whether affine forms contain the extent of the slowest dimension
  /// An effect, such as an unknown call, that prevents fusion unless the user promises that members are independent;
  /// empty if the kernel has no such effect.
  std::string unknown_effect;
};

} // namespace sinter::passes
