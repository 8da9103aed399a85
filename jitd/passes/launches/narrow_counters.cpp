#include "narrow_counters.hpp"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/DemandedBits.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

namespace sinter::passes {
namespace {

constexpr unsigned deepest_sum = 4, half = 32;

/// Whether the phi has 64 bits and a user that needs only its low half.
bool may_be_narrow(const llvm::PHINode& phi) {
  return phi.getType()->isIntegerTy(2 * half) &&
         llvm::any_of(phi.users(), [](const llvm::User* user) {
           return llvm::isa<llvm::TruncInst>(user) && user->getType()->isIntegerTy(half);
         });
}

/// Returns the low half of a value, computed at the builder's insertion point. `narrow` replaces `phi`.
llvm::Value* low_half(llvm::IRBuilder<>& builder, llvm::Value* value, const llvm::PHINode& phi, llvm::Value* narrow,
                      unsigned depth = 0) {
  using namespace llvm::PatternMatch;
  if (value == &phi) return narrow;
  llvm::Value *left = nullptr, *right = nullptr;
  const auto follow = [&](llvm::Value* next) { return low_half(builder, next, phi, narrow, depth + 1); };
  if (depth < deepest_sum) {
    if (match(value, m_ZExtOrSExt(m_Value(left))) && left->getType()->isIntegerTy(half)) return left;
    if (match(value, m_And(m_Value(left), m_SpecificInt(0xffffffffU))) ||
        match(value, m_Shr(m_Shl(m_Value(left), m_SpecificInt(half)), m_SpecificInt(half))))
      return follow(left);
    if (match(value, m_Add(m_Value(left), m_Value(right)))) return builder.CreateAdd(follow(left), follow(right));
    if (match(value, m_Sub(m_Value(left), m_Value(right)))) return builder.CreateSub(follow(left), follow(right));
  }
  return builder.CreateTrunc(value, builder.getInt32Ty());
}

/// Drops flags such as nuw from users of the counter. The flags hold only for the old counter, because the new counter
/// has another high half.
void drop_promises(llvm::Instruction& user, llvm::DemandedBits& bits,
                   llvm::SmallPtrSetImpl<llvm::Instruction*>& seen) {
  if (!user.getType()->isIntegerTy() || !seen.insert(&user).second) return;
  user.dropPoisonGeneratingAnnotations();
  if (bits.getDemandedBits(&user).isAllOnes()) return;
  for (llvm::User* next : user.users()) drop_promises(*llvm::cast<llvm::Instruction>(next), bits, seen);
}

}  // namespace

bool narrow_counters(llvm::Function& work_item) {
  llvm::SmallVector<llvm::PHINode*, 4> found;
  for (llvm::BasicBlock& block : work_item) {
    for (llvm::PHINode& phi : block.phis()) {
      if (may_be_narrow(phi)) found.push_back(&phi);
    }
  }
  if (found.empty()) return false;
  llvm::AssumptionCache assumptions(work_item);
  llvm::DominatorTree tree(work_item);
  llvm::DemandedBits bits(work_item, assumptions, tree);
  llvm::erase_if(found, [&](llvm::PHINode* phi) { return bits.getDemandedBits(phi).getActiveBits() > half; });
  llvm::SmallPtrSet<llvm::Instruction*, 16> seen;
  for (llvm::PHINode* phi : found) {
    for (llvm::User* user : phi->users()) drop_promises(*llvm::cast<llvm::Instruction>(user), bits, seen);
  }
  for (llvm::PHINode* phi : found) {
    llvm::IRBuilder<> builder(phi);
    llvm::PHINode* narrow = builder.CreatePHI(builder.getInt32Ty(), phi->getNumIncomingValues());
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      builder.SetInsertPoint(phi->getIncomingBlock(i)->getTerminator());
      narrow->addIncoming(low_half(builder, phi->getIncomingValue(i), *phi, narrow), phi->getIncomingBlock(i));
    }
    builder.SetInsertPoint(phi->getParent()->getFirstInsertionPt());
    phi->replaceAllUsesWith(builder.CreateZExt(narrow, phi->getType()));
    phi->eraseFromParent();
  }
  return !found.empty();
}

}  // namespace sinter::passes
