#pragma once
/// If a reduction over a range is the last stage of tiles, its kernel becomes a function for one run of elements. The
/// function reads the results of other stages from their buffers.

#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include "stencil_fusion.hpp"

namespace sinter::passes {

/// A kernel that visits elements (fusion/element_visits.hpp) is analysed in a copy. In this copy, each element has a
/// work-item of its own.
class element_view {
public:
  element_view(llvm::Function& kernel, const fusion_range& elements);
  ~element_view();
  element_view(const element_view&) = delete;
  element_view& operator=(const element_view&) = delete;

  llvm::Function& function() const { return *m_view; }
  /// The kernel's value of which `value` is a copy. Returns null if the kernel has no such value.
  llvm::Value* original(llvm::Value* value) const;

private:
  llvm::Function* m_view;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> m_originals;
};

/// Makes a function void(ptr block, i64 run, ptr local, i64 first lane). The work-items of the calling group reduce the
/// run in the same way as the group with the run's number does in the original kernel.
llvm::Function* make_run_function(const stencil_fusion& stencils, std::size_t index);

}  // namespace sinter::passes
