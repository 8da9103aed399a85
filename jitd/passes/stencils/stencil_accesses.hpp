#pragma once
/// Analyses one kernel of a fusion list. Other kernels of the list write a part of the memory that this kernel
/// accesses. The analysis finds the elements of this part that the kernel accesses. An element's coordinate in each
/// dimension is a sum of values. The *footprint* is a box around the work-item that contains all elements of an access.
///
/// Input: a kernel `void(ptr block)` of a range with device calls inlined. The kernel is rewritten for its launch:
/// known arguments and ranges become constants, loops of few iterations are unrolled, and calls of __sinter_global_id
/// get metadata with the range of their results.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "passes/fusion/fusion_metadata.hpp"
#include "tile_plan.hpp"

namespace sinter::passes {

/// A summand value * factor, where the value's bits are read as a signed number.
struct index_part {
  llvm::Value* value;
  std::int64_t factor;
};

struct stencil_access {
  llvm::Instruction* instruction;
  unsigned leaf;  ///< offset of the pointer in the argument block
  bool is_write;
  std::uint64_t bytes;
  std::int64_t constant = 0;        ///< bytes from the pointer, without `terms`
  std::vector<index_part> terms{};  ///< variable parts of the bytes from the pointer

  // place() sets the following members:
  std::vector<index_part> parts[3]{};  ///< variable parts of the element's coordinates
  std::int64_t shift[3] = {0, 0, 0};   ///< constant parts of the element's coordinates
  std::uint64_t within = 0;            ///< distance in bytes from the element's start
  reach footprint{};                   ///< the element's distance from the work-item
  std::int64_t least[3] = {0, 0, 0}, most[3] = {0, 0, 0};  ///< bounds of the element's coordinates
};

/// The layout of the work-items' own elements. The element of work-item (i, j, k) begins at byte base + step[0] * i +
/// step[1] * j + step[2] * k.
struct element_layout {
  std::int64_t base = 0;
  std::int64_t step[3] = {0, 0, 0};  ///< 0 if this dimension has one work-item
  std::int64_t element_bytes = 0;
  friend bool operator==(const element_layout&, const element_layout&) = default;
};

/// A part of an argument block whose contents are known.
struct argument_bytes {
  unsigned offset;  ///< in the argument block
  std::string bytes;
};

/// A number in the argument block on which an index or the control flow depends.
struct argument_place {
  std::uint32_t offset, bytes;
};
std::vector<argument_place> numbers_of_indices(const llvm::Function& kernel);

/// Rewrites the kernel for its launch, as the comment at the beginning of this file describes.
void specialize_for_launch(llvm::Function& kernel, const fusion_range& range, const std::vector<argument_bytes>& known);
/// For a kernel that visits elements, specialize_visits replaces only the known arguments by constants. specialize_view
/// replaces the range of the kernel's view (element_view) by constants.
void specialize_visits(llvm::Function& kernel, const std::vector<argument_bytes>& known);
void specialize_view(llvm::Function& view, const fusion_range& range);

/// The ids [first, last) along a dimension.
struct id_span {
  std::int64_t first, last;
};
/// A value that equals slope * id + rest for the ids of a span.
struct settled_value {
  llvm::Instruction* value;
  std::int64_t slope, rest;
};
/// The inner ids along a dimension, which are away from borders. Some values are simple for these ids: clamped indices
/// are plain indices, and conditions are constant.
struct inner_ids {
  id_span ids;
  std::vector<settled_value> values;
};

/// Says how `collect` treats atomic operations in memory that it does not analyse: it refuses the kernel, or ignores
/// the operations.
enum class atomics { refused, elsewhere };

class stencil_analysis {
public:
  stencil_analysis(llvm::Function& kernel, const fusion_range& range);
  ~stencil_analysis();

  /// Collects accesses through those pointers of the argument block for which `is_wanted` returns true. Returns "", or
  /// the reason why the accesses can't be analysed.
  std::string collect(const std::function<bool(unsigned leaf)>& is_wanted, atomics others = atomics::refused);
  std::vector<stencil_access>& accesses() { return m_accesses; }

  /// Whether each work-item executes the access, whatever the data are.
  bool is_certain(const llvm::Instruction& access) const;
  /// Whether `later` may run after `earlier`.
  bool may_follow(const llvm::Instruction& later, const llvm::Instruction& earlier) const;

  /// Finds the layout in which each work-item writes its own element, beginning at the first byte that it writes.
  /// Returns "", or the reason why there is no such layout.
  std::string find_layout(const stencil_access& write, element_layout& layout);
  /// Finds the element's coordinates and fills them into the access. Returns "", or the reason why there are none.
  std::string place(stencil_access& access, const element_layout& layout);
  inner_ids find_inner(unsigned dimension);

private:
  class implementation;
  std::unique_ptr<implementation> m_implementation;
  std::vector<stencil_access> m_accesses;
};

}  // namespace sinter::passes
