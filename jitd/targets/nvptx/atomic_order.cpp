#include "atomic_order.hpp"

#include "targets/gpu/dialect.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace sinter::jit::nvptx {
namespace {

/// Returns the operation's name in PTX, or an empty name if LLVM lowers the operation to a compare-and-swap loop that
/// keeps the scope.
std::string operation_of(const llvm::AtomicRMWInst& atomic) {
  const llvm::Type* type = atomic.getType();
  if (type->isFloatTy() || type->isDoubleTy()) {
    if (atomic.getOperation() != llvm::AtomicRMWInst::FAdd) return {};
    return type->isFloatTy() ? "add.f32" : "add.f64";
  }
  if (!type->isIntegerTy(32) && !type->isIntegerTy(64)) return {};
  const std::string bits = type->isIntegerTy(32) ? "32" : "64";
  switch (atomic.getOperation()) {
    case llvm::AtomicRMWInst::Add:
    case llvm::AtomicRMWInst::Sub:
      return "add.u" + bits;
    case llvm::AtomicRMWInst::Xchg:
      return "exch.b" + bits;
    case llvm::AtomicRMWInst::And:
      return "and.b" + bits;
    case llvm::AtomicRMWInst::Or:
      return "or.b" + bits;
    case llvm::AtomicRMWInst::Xor:
      return "xor.b" + bits;
    case llvm::AtomicRMWInst::Max:
      return "max.s" + bits;
    case llvm::AtomicRMWInst::Min:
      return "min.s" + bits;
    case llvm::AtomicRMWInst::UMax:
      return "max.u" + bits;
    case llvm::AtomicRMWInst::UMin:
      return "min.u" + bits;
    default:
      return {};
  }
}

const char* constraint_of(const llvm::Type* type) {
  if (type->isFloatTy()) return "f";
  if (type->isDoubleTy()) return "d";
  return type->isIntegerTy(32) ? "r" : "l";
}

}  // namespace

void widen_atomics(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
    if (!atomic || atomic->getSyncScopeID() != llvm::SyncScope::System) continue;
    const unsigned space = atomic->getPointerAddressSpace();
    const std::string operation = operation_of(*atomic);
    if (operation.empty() || (space != 0 && space != gpu::global_space)) continue;
    llvm::IRBuilder<> builder(atomic);
    llvm::Type* type = atomic->getType();
    llvm::Value* value = atomic->getValOperand();
    if (atomic->getOperation() == llvm::AtomicRMWInst::Sub) value = builder.CreateNeg(value);
    const std::string letter = constraint_of(type);
    llvm::InlineAsm* code = llvm::InlineAsm::get(
        llvm::FunctionType::get(type, {atomic->getPointerOperand()->getType(), value->getType()}, false),
        std::string("atom.relaxed.sys.") + (space == gpu::global_space ? "global." : "") + operation + " $0, [$1], $2;",
        "=" + letter + ",l," + letter + ",~{memory}", /*hasSideEffects=*/true);
    atomic->replaceAllUsesWith(builder.CreateCall(code, {atomic->getPointerOperand(), value}));
    atomic->eraseFromParent();
  }
}

void fence_atomics(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
      if (!atomic || !llvm::isStrongerThanMonotonic(atomic->getOrdering())) continue;
      const llvm::AtomicOrdering order = atomic->getOrdering();
      const bool total = order == llvm::AtomicOrdering::SequentiallyConsistent;
      llvm::IRBuilder<> builder(atomic);
      if (llvm::isReleaseOrStronger(order)) {
        builder.CreateFence(total ? order : llvm::AtomicOrdering::AcquireRelease, atomic->getSyncScopeID());
      }
      if (llvm::isAcquireOrStronger(order)) {
        builder.SetInsertPoint(atomic->getNextNode());
        builder.CreateFence(llvm::AtomicOrdering::AcquireRelease, atomic->getSyncScopeID());
      }
      atomic->setOrdering(llvm::AtomicOrdering::Monotonic);
    }
  }
}

}  // namespace sinter::jit::nvptx
