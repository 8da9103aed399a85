#pragma once
/// Kernels whose work-items do the work of one element of a range after the other, between __sinter_element_begin and
/// __sinter_element_end (abi/device_abi.hpp): reductions over ranges. In that range, fusion runs the other kernels.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace sinter::passes {

bool visits_elements(const llvm::Function& kernel);

/// A copy for analysis that never runs: as if each element had a work-item, whose global id is the element. Code before
/// and behind the visits stays in the copy; the places that this code accesses follow from no id.
llvm::Function* make_element_view(llvm::Function& kernel);
/// Fills in what the kernel's values became, where they are left.
llvm::Function* make_element_view(llvm::Function& kernel, llvm::ValueToValueMapTy& map);

/// A copy `void(ptr block, i64 coordinates x 3, i64 extents x 3)` of a kernel of a range, for one work-item.
llvm::Function* make_element_work(llvm::Function& kernel);

/// Calls, in order, at the beginning or the end of each visit; they become part of the function.
struct element_call {
  llvm::Function* work;  ///< from make_element_work
  llvm::Value* block;
  bool in_front;
};
llvm::Error call_at_elements(llvm::Function& function, llvm::ArrayRef<element_call> calls);

/// Removes the marks of visits when no more kernels will be joined.
void erase_element_visits(llvm::Module& module);

}  // namespace sinter::passes
