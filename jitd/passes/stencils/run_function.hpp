#pragma once
/// A reduction over a range as the last stage of tiles: its kernel for one run of elements, which finds the results of
/// stages in their buffers.

#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include "stencil_fusion.hpp"

namespace sinter::passes {

/// A visiting kernel as if each element had a work-item (fusion/element_visits.hpp), for analysis.
class element_view {
public:
  element_view(llvm::Function& kernel, const fusion_range& elements);
  ~element_view();
  element_view(const element_view&) = delete;
  element_view& operator=(const element_view&) = delete;

  llvm::Function& function() const { return *m_view; }
  /// The kernel's value; null: it has none.
  llvm::Value* original(llvm::Value* value) const;

private:
  llvm::Function* m_view;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> m_originals;
};

/// void(ptr block, i64 run, ptr local, i64 first lane): work-items of its group reduce the run, as the group of that
/// number does alone.
llvm::Function* make_run_function(const stencil_fusion& stencils, std::size_t index);

}  // namespace sinter::passes
