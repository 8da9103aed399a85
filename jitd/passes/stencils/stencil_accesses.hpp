#pragma once
/// Finds where a kernel accesses memory that other kernels of its list write, as seen from its work-item: the place as
/// a sum of values for each dimension, and the box around the work-item that contains it (a *footprint*).
///
/// Input: a kernel `void(ptr block)` of a range with device calls inlined. It is rewritten for its launch: what is
///   known of its arguments and its range become numbers, loops of few turns are unrolled, and calls of
///   __sinter_global_id carry the range of what they return.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "passes/fusion/fusion_metadata.hpp"
#include "tile_plan.hpp"

namespace sinter::passes {

/// value * factor, with the value's bits read as a signed number.
struct index_part {
  llvm::Value* value;
  std::int64_t factor;
};

struct stencil_access {
  llvm::Instruction* instruction;
  unsigned leaf;  ///< of the pointer, in the argument block
  bool is_write;
  std::uint64_t bytes;
  std::int64_t constant = 0;         ///< bytes from the pointer, and
  std::vector<index_part> terms{};   ///< the rest of them

  // The following members are set when it is placed in a layout:
  std::vector<index_part> parts[3]{};  ///< of the element's coordinates, and
  std::int64_t shift[3] = {0, 0, 0};   ///< the rest of these
  std::uint64_t within = 0;            ///< bytes from the element's start
  reach footprint{};                   ///< of the element, from the work-item
  std::int64_t least[3] = {0, 0, 0}, most[3] = {0, 0, 0};  ///< coordinates that it may have
};

/// The layout of the work-items' own elements: item (i, j, k) has the bytes from base + i * step[0] + j * step[1] + k *
/// step[2] on.
struct element_layout {
  std::int64_t base = 0;
  std::int64_t step[3] = {0, 0, 0};  ///< 0: one work-item in this dimension
  std::int64_t element_bytes = 0;
  friend bool operator==(const element_layout&, const element_layout&) = default;
};

/// A part of an argument block whose contents are known.
struct argument_bytes {
  unsigned offset;  ///< in the argument block
  std::string bytes;
};

/// Numbers of the argument block that indices are computed from, and how they are limited.
struct argument_place {
  std::uint32_t offset, bytes;
};
std::vector<argument_place> numbers_of_indices(const llvm::Function& kernel);

/// Rewrites the kernel as said above.
void specialize_for_launch(llvm::Function& kernel, const fusion_range& range, const std::vector<argument_bytes>& known);
/// For a kernel that visits elements: its arguments become numbers, the rest stays. Its view is of a range.
void specialize_visits(llvm::Function& kernel, const std::vector<argument_bytes>& known);
void specialize_view(llvm::Function& view, const fusion_range& range);

/// Ids along a dimension: [first, last).
struct id_span {
  std::int64_t first, last;
};
/// slope * id + rest, for the ids of a span.
struct settled_value {
  llvm::Instruction* value;
  std::int64_t slope, rest;
};
/// Work-items away from borders along a dimension, and values that are simple there: clamped indices are indices, and
/// conditions hold or do not.
struct inner_ids {
  id_span ids;
  std::vector<settled_value> values;
};

/// Whether the kernel may have atomic operations in memory that is not followed.
enum class atomics { refused, elsewhere };

class stencil_analysis {
public:
  stencil_analysis(llvm::Function& kernel, const fusion_range& range);
  ~stencil_analysis();

  /// Accesses by pointers at these places of the block; "" or why they can't be followed.
  std::string collect(const std::function<bool(unsigned leaf)>& is_wanted, atomics others = atomics::refused);
  std::vector<stencil_access>& accesses() { return m_accesses; }

  /// Whether each work-item makes the access, whatever its data are.
  bool is_certain(const llvm::Instruction& access) const;
  /// Whether one instruction may run behind the other.
  bool may_follow(const llvm::Instruction& later, const llvm::Instruction& earlier) const;

  /// The layout in which the write goes to its work-item's own element, from its element's first byte on; "" or why
  /// there is none.
  std::string find_layout(const stencil_access& write, element_layout& layout);
  /// Fills in the place of the access; "" or why it has none.
  std::string place(stencil_access& access, const element_layout& layout);
  inner_ids find_inner(unsigned dimension);

private:
  class implementation;
  std::unique_ptr<implementation> m_implementation;
  std::vector<stencil_access> m_accesses;
};

}  // namespace sinter::passes
