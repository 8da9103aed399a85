#include "group_scratch.hpp"

#include <algorithm>

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "passes/called_names.hpp"

namespace sinter::passes {

llvm::Expected<std::uint64_t> scratch_bytes_per_item(const llvm::Function& kernel) {
  std::uint64_t most = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || called_name(*call) != "__sinter_group_scratch") continue;
    const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
    if (!bytes) return llvm::createStringError("it asks for scratch memory of a size that is not constant");
    most = std::max(most, bytes->getZExtValue());
  }
  return most;
}

}  // namespace sinter::passes
