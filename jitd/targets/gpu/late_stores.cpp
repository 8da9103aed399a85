#include "late_stores.hpp"

#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/Instructions.h"

namespace sinter::jit::gpu {
namespace {

// The maximum number of stores that are moved. Until such a store runs, its value stays in a register.
constexpr unsigned most_waiting = 16;

/// Returns the last instruction behind which the store may be moved. No store is moved behind another store.
llvm::Instruction* place_for(llvm::StoreInst& store, llvm::AAResults& aliases) {
  const llvm::MemoryLocation location = llvm::MemoryLocation::get(&store);
  llvm::Instruction* behind_loads = store.getNextNode();
  for (llvm::Instruction* next = store.getNextNode(); !next->isTerminator(); next = next->getNextNode()) {
    if (next->mayHaveSideEffects() || llvm::isModOrRefSet(aliases.getModRefInfo(next, location))) break;
    if (next->mayReadFromMemory()) behind_loads = next->getNextNode();
  }
  return behind_loads;
}

}  // namespace

void delay_stores(llvm::Function& kernel, llvm::AAResults& aliases) {
  for (llvm::BasicBlock& block : kernel) {
    llvm::SmallVector<llvm::StoreInst*, 16> stores;
    for (llvm::Instruction& instruction : block) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store && store->isSimple()) stores.push_back(store);
    }
    if (stores.size() > most_waiting) continue;
    // Stores keep their order, so the last store is moved first. Afterwards, the other stores can be moved up to the
    // new place of the last store.
    for (llvm::StoreInst* store : llvm::reverse(stores)) {
      llvm::Instruction* place = place_for(*store, aliases);
      if (place != store->getNextNode()) store->moveBefore(place->getIterator());
    }
  }
}

}  // namespace sinter::jit::gpu
