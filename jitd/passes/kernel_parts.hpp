#pragma once
/// Kernel parts are functions that do a part of a kernel's work by plain loops. The kernel calls them, they are never
/// inlined, and they do not query the calling work-item's ids. Their calls of math functions are lowered like those in
/// kernels.

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace sinter::passes {

inline constexpr const char* kernel_part_attribute = "sinter-kernel-part";

inline void make_kernel_part(llvm::Function& function) {
  function.addFnAttr(kernel_part_attribute);
  function.addFnAttr(llvm::Attribute::NoInline);
}

/// Calls does(function) for the kernel and its parts.
template <class Does>
void for_each_part(llvm::Function& kernel, const Does& does) {
  does(kernel);
  for (llvm::Function& each : *kernel.getParent()) {
    if (!each.isDeclaration() && each.hasFnAttribute(kernel_part_attribute)) does(each);
  }
}

}  // namespace sinter::passes
