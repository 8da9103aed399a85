#pragma once
/// A kernel's accesses to global memory, in numbers: the language in which fusion is decided. No LLVM here.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::passes {

/// Variables of a form: a work-item's global, local and group ids, each in padded SYCL order, and how often the loops
/// around an access have turned, outermost first.
enum access_variable : unsigned {
  variable_global = 0,
  variable_local = 3,
  variable_group = 6,
  variable_loop = 9,
  variable_count = 12
};
inline constexpr unsigned loop_depth = variable_count - variable_loop;

/// constant + sum of coefficients * variables. Exact: no machine arithmetic wrapped.
struct affine_form {
  std::int64_t constant = 0;
  std::array<std::int64_t, variable_count> coefficients{};
  friend bool operator==(const affine_form&, const affine_form&) = default;
};

enum class access_kind : std::uint8_t { read, write, update };  ///< update: atomic read-modify-write

struct memory_access {
  unsigned leaf;           ///< byte offset of the pointer in the argument block; no_leaf: any memory
  bool known;              ///< the form says where; otherwise anywhere in the leaf's memory
  bool certain;            ///< every work-item whose guards hold does it, once in each turn
  access_kind kind;
  affine_form offset;      ///< bytes from the pointer
  std::uint64_t bytes;
  unsigned order;          ///< position in the kernel: an access sees the effects of certain accesses of lower order
  std::string where;       ///< "file:line" or empty
  /// Updates of equal size and number, other than 0, may change places; none returns the old value.
  std::uint8_t commutes = 0;
  std::vector<affine_form> guards{};  ///< not negative for work-items that make the access
  std::array<std::uint64_t, loop_depth> turns{1, 1, 1};  ///< how often the loops around it turn
};
inline constexpr unsigned no_leaf = ~0u;

/// Bytes of the argument block from which a form was computed: a verdict may be reused only if they are equal.
struct block_dependence {
  unsigned offset, size;
  friend bool operator==(const block_dependence&, const block_dependence&) = default;
};

struct access_summary {
  std::vector<memory_access> accesses;
  std::vector<block_dependence> depends_on;
  bool has_barrier = false;
  /// Whether its work-groups tell each other how far they are, so that one group may combine the results of all groups.
  bool is_collective = false;
  bool uses_extent = false;    ///< forms hold the extent of the slowest dimension
  std::string unknown_effect;  ///< something that can't be fused without a promise, e.g. a call; empty: nothing
};

} // namespace sinter::passes
