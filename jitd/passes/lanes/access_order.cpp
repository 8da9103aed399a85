#include "access_order.hpp"

#include <abi/planted_error.hpp>

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

/// Whether the instruction accesses memory that other threads see too.
bool is_shared_access(const llvm::Instruction& instruction) {
  if (instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
  const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
  return address && !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address, 0));
}

/// Whether the value is computed from ids and arguments alone. LLVM may find a stride for such a value even if
/// lane_shapes found none.
bool may_have_stride(const llvm::Value* value, unsigned depth = 0) {
  constexpr unsigned far = 16;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || instruction->hasMetadata(llvm::LLVMContext::MD_invariant_load) || depth == far) return true;
  if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst>(instruction)) return false;
  return llvm::all_of(instruction->operands(), [&](const llvm::Use& use) { return may_have_stride(use, depth + 1); });
}

} // namespace

bool may_depend_on_order(llvm::Function& work_item) {
  bool stored = false, loops = false;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&work_item)) {
    seen.insert(block);
    loops |= llvm::any_of(llvm::successors(block), [&](const llvm::BasicBlock* next) { return seen.contains(next); });
    for (const llvm::Instruction& instruction : *block) {
      if (!is_shared_access(instruction)) continue;
      if (stored) return true;
      stored = llvm::isa<llvm::StoreInst>(instruction);
    }
  }
  return stored && loops;
}

bool depends_on_order(llvm::Function& prepared, const lane_shapes& shapes, const llvm::LoopInfo& loops,
                      llvm::AAResults& aliases) {
  const llvm::DataLayout& layout = prepared.getParent()->getDataLayout();
  struct access {
    llvm::Instruction* instruction;
    bool stores, in_group;
  };
  llvm::SmallVector<access, 16> accesses;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&prepared)) {
    for (llvm::Instruction& instruction : *block) {
      if (!is_shared_access(instruction)) continue;
      const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
      const lane_shape shape = shapes.of(address);
      const bool apart = !shape.is_uniform() && !is_consecutive(shape, llvm::getLoadStoreType(&instruction), layout);
      accesses.push_back({&instruction, llvm::isa<llvm::StoreInst>(instruction),
                          apart && (!shape.is_varying() || may_have_stride(address))});
    }
  }
  // Loops may be unrolled, so an access at the beginning of an iteration also follows the accesses at the end of
  // the previous iteration.
  const bool any_order = !loops.empty();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (!accesses[i].stores) continue;
    for (std::size_t k = any_order ? 0 : i + 1; k < accesses.size(); ++k) {
      if (!accesses[i].in_group && !accesses[k].in_group) continue;
      if (k != i && aliases.isNoAlias(llvm::MemoryLocation::get(accesses[i].instruction),
                                      llvm::MemoryLocation::get(accesses[k].instruction)))
        continue;
      return !abi::is_planted("parallel_loops");
    }
  }
  return false;
}

} // namespace sinter::passes
