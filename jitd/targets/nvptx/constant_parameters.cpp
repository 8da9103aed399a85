#include "constant_parameters.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "passes/argument_writes.hpp"

namespace sinter::jit::nvptx {
namespace {

void forget_invariant_loads(llvm::Function& kernel, const llvm::Argument& parameter) {
  for (llvm::Instruction& each : llvm::instructions(kernel)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
    if (!load || !load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) continue;
    llvm::SmallVector<const llvm::Value*, 4> bases;
    llvm::getUnderlyingObjects(load->getPointerOperand(), bases);
    if (llvm::is_contained(bases, &parameter)) load->setMetadata(llvm::LLVMContext::MD_invariant_load, nullptr);
  }
}

}  // namespace

void mark_constant_parameters(llvm::Module& module) {
  for (llvm::Function& each : module) {
    if (each.isDeclaration() || each.getCallingConv() != llvm::CallingConv::PTX_Kernel) continue;
    for (llvm::Argument& parameter : each.args()) {
      if (!parameter.hasByValAttr()) continue;
      // If a kernel writes to its arguments, the capture plugin has made copies of these arguments (own_arguments.hpp).
      if (passes::use_of(parameter) == passes::argument_use::written) forget_invariant_loads(each, parameter);
      else parameter.addAttr(llvm::Attribute::get(module.getContext(), "nvvm.grid_constant"));
    }
  }
}

}  // namespace sinter::jit::nvptx
