#include "carried_values.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {
namespace {

class carried_values {
public:
  carried_values(const llvm::Loop& loop, llvm::MemorySSA& memory, unsigned registers)
      : m_loop(loop), m_walker(*memory.getWalker()), m_before(memory.getMemoryAccess(loop.getHeader())),
        m_registers(registers) {}

  /// Adds loads that are no longer used to `unneeded`. These loads are not erased here, because the analysis refers to
  /// them.
  void run(llvm::SmallVectorImpl<llvm::LoadInst*>& unneeded) {
    llvm::BasicBlock* const head = m_loop.getHeader();
    llvm::BasicBlock *const outside = m_loop.getLoopPreheader(), *const latch = m_loop.getLoopLatch();
    if (!m_before || !outside || !latch) return;
    std::size_t held =
        llvm::count_if(head->phis(), [](const llvm::PHINode& phi) { return phi.getType()->isVectorTy(); });
    for (llvm::LoadInst* load : loads_of_others(*head)) {
      llvm::Value* const first = last_stored(*load, *outside);
      llvm::Value* const next = first ? last_stored(*load, *latch) : nullptr;
      if (!next) continue;
      if (++held > m_registers) return;
      auto* const carried = llvm::PHINode::Create(load->getType(), 2, "carried", head->begin());
      carried->addIncoming(first, outside);
      carried->addIncoming(next, latch);
      load->replaceAllUsesWith(carried);
      unneeded.push_back(load);
    }
  }

private:
  /// Finds loads of vectors from loop-invariant addresses, if nothing in the iteration writes to the address before the
  /// load.
  llvm::SmallVector<llvm::LoadInst*, 16> loads_of_others(llvm::BasicBlock& head) const {
    llvm::SmallVector<llvm::LoadInst*, 16> loads;
    for (llvm::Instruction& instruction : head) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (!load || !load->isSimple() || !load->getType()->isVectorTy() || load->use_empty()) continue;
      if (!m_loop.isLoopInvariant(load->getPointerOperand())) continue;
      if (m_walker.getClobberingMemoryAccess(load) == m_before) loads.push_back(load);
    }
    return loads;
  }

  /// Returns the value that is stored at the load's address at the end of block `way`. Returns null if the value is
  /// unknown, or if another store may have overwritten a part of the value.
  llvm::Value* last_stored(const llvm::LoadInst& load, const llvm::BasicBlock& way) const {
    llvm::MemoryAccess* const there = m_before->getIncomingValueForBlock(&way);
    auto* const definition =
        llvm::dyn_cast<llvm::MemoryDef>(m_walker.getClobberingMemoryAccess(there, llvm::MemoryLocation::get(&load)));
    auto* const store = definition ? llvm::dyn_cast_or_null<llvm::StoreInst>(definition->getMemoryInst()) : nullptr;
    if (!store || !store->isSimple() || store->getPointerOperand() != load.getPointerOperand()) return nullptr;
    return store->getValueOperand()->getType() == load.getType() ? store->getValueOperand() : nullptr;
  }

  const llvm::Loop& m_loop;
  llvm::MemorySSAWalker& m_walker;
  llvm::MemoryPhi* const m_before;  ///< the state of memory at the beginning of an iteration
  const std::size_t m_registers;
};

}  // namespace

void carry_values(llvm::Function& entry, llvm::FunctionAnalysisManager& analyses, unsigned registers) {
  llvm::MemorySSA& memory = analyses.getResult<llvm::MemorySSAAnalysis>(entry).getMSSA();
  llvm::SmallVector<llvm::LoadInst*, 32> unneeded;
  for (const llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(entry).getLoopsInPreorder())
    carried_values(*loop, memory, registers).run(unneeded);
  if (unneeded.empty()) return;
  for (llvm::LoadInst* load : unneeded) load->eraseFromParent();
  analyses.invalidate(entry, llvm::PreservedAnalyses::none());
}

}  // namespace sinter::passes
