#pragma once
/// Tells whether a function writes memory that an argument points to. This header has no source file, because the
/// capture plugin uses it, too, and links none of the passes.

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace sinter::passes {

/// Whether the argument's function, or another function of the module that it calls, writes through the argument. Two
/// kinds of writes are not found: writes through an address that is stored and loaded again, and writes in functions
/// whose body is not in the module.
inline bool writes_through(const llvm::Argument& argument) {
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  llvm::SmallVector<const llvm::Value*, 16> addresses;
  const auto follow = [&](const llvm::Value& address) {
    if (seen.insert(&address).second) addresses.push_back(&address);
  };
  follow(argument);
  while (!addresses.empty()) {
    const llvm::Value& address = *addresses.pop_back_val();
    for (const llvm::Use& use : address.uses()) {
      const llvm::User* user = use.getUser();
      if (llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator, llvm::PHINode, llvm::SelectInst>(user)) {
        follow(*user);
      } else if (llvm::isa<llvm::StoreInst>(user)) {
        if (use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex()) return true;
      } else if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(user)) {
        if (use.getOperandNo() == 0) return true;
      } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && call->isArgOperand(&use)) {
        const llvm::Function* callee = call->getCalledFunction();
        const unsigned number = call->getArgOperandNo(&use);
        if (!callee || number >= callee->arg_size() || call->isByValArgument(number)) continue;
        if (!callee->isDeclaration()) {
          follow(*callee->getArg(number));
        } else if (const auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(call)) {
          if (&use == &memory->getRawDestUse()) return true;
        }
      }
    }
  }
  return false;
}

}  // namespace sinter::passes
