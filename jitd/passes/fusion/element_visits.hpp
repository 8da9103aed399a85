#pragma once
/// Serves kernels whose work-items visit elements of a range, one after the other, between __sinter_element_begin and
/// __sinter_element_end (abi/device_abi.hpp). Reductions over ranges are such kernels. Fusion runs the other kernels in
/// the range of the elements.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace sinter::passes {

bool visits_elements(const llvm::Function& kernel);

/// Makes a copy for analysis, which never runs. In it each element has a work-item, whose global id is the element.
/// Code before and behind the visits stays in the copy; the places that this code accesses do not depend on ids.
llvm::Function* make_element_view(llvm::Function& kernel);
/// Also sets in `map` the values of the copy that belong to the kernel's values, if the copy still has them.
llvm::Function* make_element_view(llvm::Function& kernel, llvm::ValueToValueMapTy& map);

/// Makes a copy `void(ptr block, i64 coordinates x 3, i64 extents x 3)` of a kernel, which runs one work-item.
llvm::Function* make_element_work(llvm::Function& kernel);

/// A call that is inserted at the beginning or the end of each visit, and inlined. Several calls keep their order.
struct element_call {
  llvm::Function* work;  ///< a result of make_element_work
  llvm::Value* block;
  bool in_front;
};
llvm::Error call_at_elements(llvm::Function& function, llvm::ArrayRef<element_call> calls);

/// Removes the marks of visits. Called when no more kernels will be joined.
void erase_element_visits(llvm::Module& module);

}  // namespace sinter::passes
