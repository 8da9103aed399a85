#include "local_atomics.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include "work_item_function.hpp"

namespace sinter::passes {
namespace {

/// A lane of a vector of addresses lies in what they all lie in.
const llvm::Value* whole_of(const llvm::Value* address) {
  const auto* lane = llvm::dyn_cast<llvm::ExtractElementInst>(address);
  if (!lane) return address;
  const llvm::Value* all = lane->getVectorOperand();
  while (const auto* element = llvm::dyn_cast<llvm::GEPOperator>(all)) all = element->getPointerOperand();
  const llvm::Value* one = all->getType()->isVectorTy() ? llvm::getSplatValue(all) : all;
  return one ? one : address;
}

bool is_local(const llvm::Value* address, const llvm::Value* local_base) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(whole_of(address), objects, nullptr, 0);
  return llvm::all_of(objects, [&](const llvm::Value* object) { return object == local_base; });
}

} // namespace

void lower_local_atomics(llvm::Function& work_item) {
  const llvm::Value* local_base = work_item.getArg(parameter_local_base);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(work_item))) {
    if (instruction.isVolatile()) continue;
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      if (is_local(update->getPointerOperand(), local_base)) llvm::lowerAtomicRMWInst(update);
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      if (is_local(exchange->getPointerOperand(), local_base)) llvm::lowerAtomicCmpXchgInst(exchange);
    } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (load->isAtomic() && is_local(load->getPointerOperand(), local_base)) load->setAtomic(llvm::AtomicOrdering::NotAtomic);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (store->isAtomic() && is_local(store->getPointerOperand(), local_base)) store->setAtomic(llvm::AtomicOrdering::NotAtomic);
    }
  }
}

} // namespace sinter::passes
