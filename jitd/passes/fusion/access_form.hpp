#pragma once
/// Describes a kernel's accesses to global memory by numbers, from which fusion is decided. This file needs no LLVM.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::passes {

/// Variables of a form: a work-item's global, local and group ids, each in padded SYCL order, and the number of turns
/// that each loop around an access has made, outermost loop first.
enum access_variable : unsigned {
  variable_global = 0,
  variable_local = 3,
  variable_group = 6,
  variable_loop = 9,
  variable_count = 12
};
inline constexpr unsigned loop_depth = variable_count - variable_loop;

/// The value constant + sum of coefficients * variables. It is exact: no machine arithmetic wrapped.
struct affine_form {
  std::int64_t constant = 0;
  std::array<std::int64_t, variable_count> coefficients{};
  friend bool operator==(const affine_form&, const affine_form&) = default;
};

enum class access_kind : std::uint8_t { read, write, update };  ///< an update is an atomic read-modify-write

struct memory_access {
  /// Byte offset of the pointer in the argument block; no_leaf if the access may go to any memory.
  unsigned leaf;
  bool known;              ///< whether `offset` is the place; otherwise the access may be anywhere in the leaf's memory
  bool certain;            ///< whether every work-item whose guards hold makes the access, once in each turn
  access_kind kind;
  affine_form offset;      ///< place of the access: bytes from the pointer
  std::uint64_t bytes;
  /// Position in the kernel: an access sees the effects of accesses of lower order that are certain.
  unsigned order;
  std::string where;       ///< "file:line" or empty
  /// Updates of equal size whose numbers here are equal and not 0 may be done in any order. None of them returns the
  /// old value.
  std::uint8_t commutes = 0;
  std::vector<affine_form> guards{};  ///< forms that are not negative for work-items that make the access
  std::array<std::uint64_t, loop_depth> turns{1, 1, 1};  ///< how often each loop around the access turns
};
inline constexpr unsigned no_leaf = ~0u;

/// Bytes of the argument block from which a form was computed. A verdict may be reused only if these bytes are equal.
struct block_dependence {
  unsigned offset, size;
  friend bool operator==(const block_dependence&, const block_dependence&) = default;
};

struct access_summary {
  std::vector<memory_access> accesses;
  std::vector<block_dependence> depends_on;
  bool has_barrier = false;
  /// Whether the kernel's work-groups tell each other about their progress, so that one group may combine the results
  /// of all groups.
  bool is_collective = false;
  bool uses_extent = false;    ///< whether forms contain the extent of the slowest dimension
  /// Something that can't be fused without a promise, e.g. a call; empty if there is nothing like it.
  std::string unknown_effect;
};

} // namespace sinter::passes
