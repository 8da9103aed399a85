#include "local_atomics.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

/// If the address is a lane of a vector, returns the vector, because all lanes' addresses lie in the same memory.
const llvm::Value* whole_of(const llvm::Value* address) {
  const auto* lane = llvm::dyn_cast<llvm::ExtractElementInst>(address);
  if (!lane) return address;
  const llvm::Value* all = lane->getVectorOperand();
  while (const auto* element = llvm::dyn_cast<llvm::GEPOperator>(all)) all = element->getPointerOperand();
  const llvm::Value* one = all->getType()->isVectorTy() ? llvm::getSplatValue(all) : all;
  return one ? one : address;
}

} // namespace

bool is_local_memory(const llvm::Value* address, const llvm::Value* local_base) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(whole_of(address), objects, nullptr, 0);
  return llvm::all_of(objects, [&](const llvm::Value* object) { return object == local_base; });
}

namespace {

/// Lowers the update as LLVM does, but keeps alias metadata.
void lower(llvm::AtomicRMWInst& update) {
  llvm::IRBuilder<> builder(&update);
  const llvm::AAMDNodes memory = update.getAAMetadata();
  llvm::LoadInst* old = builder.CreateAlignedLoad(update.getType(), update.getPointerOperand(), update.getAlign());
  llvm::Value* value = llvm::buildAtomicRMWValue(update.getOperation(), builder, old, update.getValOperand());
  llvm::StoreInst* store = builder.CreateAlignedStore(value, update.getPointerOperand(), update.getAlign());
  old->setAAMetadata(memory);
  store->setAAMetadata(memory);
  update.replaceAllUsesWith(old);
  update.eraseFromParent();
}

} // namespace

void lower_local_atomics(llvm::Function& work_item) {
  const llvm::Value* local_base = work_item.getArg(parameter_local_base);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(work_item))) {
    if (instruction.isVolatile()) continue;
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      if (is_local_memory(update->getPointerOperand(), local_base)) lower(*update);
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      if (is_local_memory(exchange->getPointerOperand(), local_base)) llvm::lowerAtomicCmpXchgInst(exchange);
    } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (load->isAtomic() && is_local_memory(load->getPointerOperand(), local_base)) {
        load->setAtomic(llvm::AtomicOrdering::NotAtomic);
      }
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (store->isAtomic() && is_local_memory(store->getPointerOperand(), local_base)) {
        store->setAtomic(llvm::AtomicOrdering::NotAtomic);
      }
    }
  }
}

} // namespace sinter::passes
