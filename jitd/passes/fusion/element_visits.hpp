#pragma once
/// Handles kernels whose work-items visit several elements of a range, one after the other. Each visit is the code
/// between __sinter_element_begin and __sinter_element_end (abi/device_abi.hpp). Reductions over ranges are such
/// kernels. If such a kernel is fused, the other members have a work-item for each element.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace sinter::passes {

bool visits_elements(const llvm::Function& kernel);

/// Makes a copy for analysis, which never runs. In the copy, each element has a work-item, and the global id is the
/// element's id. Code before and after the visits stays in the copy, but its accesses have unknown addresses.
llvm::Function* make_element_view(llvm::Function& kernel);
/// `map` maps the kernel's values to the copy's values, if the copy still has them.
llvm::Function* make_element_view(llvm::Function& kernel, llvm::ValueToValueMapTy& map);

/// Makes a copy `void(ptr block, i64 id x 3, i64 range x 3)` of a kernel. A call of the copy runs one work-item.
llvm::Function* make_element_work(llvm::Function& kernel);

/// Fusion inserts such a call at the beginning or the end of each visit, and then inlines the call. If several calls
/// are inserted at the same end, they keep their order.
struct element_call {
  llvm::Function* work;  ///< a result of make_element_work
  llvm::Value* block;
  bool in_front;
};
llvm::Error call_at_elements(llvm::Function& function, llvm::ArrayRef<element_call> calls);

/// Removes the calls that mark visits. Call it when no more kernels will be joined.
void erase_element_visits(llvm::Module& module);

}  // namespace sinter::passes
