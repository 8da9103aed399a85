#include "data_wide_masks.hpp"

#include <algorithm>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace sinter::passes {
namespace {

class mask_widener {
public:
  mask_widener(llvm::Function& function, unsigned vector_bits) : m_function(function), m_vector_bits(vector_bits) {}

  bool run() {
    collect();
    if (m_logic.empty()) return false;
    for (llvm::Instruction* each : m_logic) begin(*each);
    for (llvm::Instruction* each : m_logic) compute(*each);
    for (llvm::Instruction* each : m_logic) replace_elsewhere(*each);
    for (llvm::Instruction* each : m_logic) each->dropAllReferences();
    for (llvm::Instruction* each : m_logic) each->eraseFromParent();
    return true;
  }

private:
  llvm::Type* wide_type(const llvm::Value& mask) const {
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask.getType())->getNumElements();
    const unsigned bits = std::clamp(m_vector_bits / lanes, 8u, 64u);
    return llvm::FixedVectorType::get(llvm::IntegerType::get(m_function.getContext(), bits), lanes);
  }

  static bool is_logic(const llvm::Value* value) {
    if (!llvm::isa<llvm::FixedVectorType>(value->getType()) || !value->getType()->isIntOrIntVectorTy(1)) return false;
    if (llvm::isa<llvm::PHINode, llvm::FreezeInst>(value)) return true;
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value))
      return select->getCondition()->getType()->isVectorTy();
    const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(value);
    return binary && binary->isBitwiseLogicOp();
  }

  /// Collects phis of masks, and the logic operations connected with them.
  void collect() {
    for (llvm::Instruction& instruction : llvm::instructions(m_function)) {
      if (llvm::isa<llvm::PHINode>(instruction) && is_logic(&instruction)) m_logic.insert(&instruction);
    }
    for (std::size_t i = 0; i < m_logic.size(); ++i) {
      llvm::SmallVector<llvm::Value*, 8> near(m_logic[i]->operands());
      near.append(m_logic[i]->user_begin(), m_logic[i]->user_end());
      for (llvm::Value* each : near) {
        if (llvm::isa<llvm::Instruction>(each) && is_logic(each)) m_logic.insert(llvm::cast<llvm::Instruction>(each));
      }
    }
  }

  /// Makes an empty new phi first, so that phis can refer to each other.
  void begin(llvm::Instruction& mask) {
    llvm::IRBuilder<> builder(&mask);
    m_wide[&mask] = builder.CreatePHI(wide_type(mask), 0, mask.getName());
  }

  llvm::Value* wide(llvm::IRBuilder<>& builder, llvm::Value* mask) {
    if (const auto found = m_wide.find(mask); found != m_wide.end()) return found->second;
    llvm::Type* type = wide_type(*mask);
    llvm::Value* one = nullptr;
    using namespace llvm::PatternMatch;
    if (match(mask, m_Shuffle(m_InsertElt(m_Value(), m_Value(one), m_ZeroInt()), m_Value(), m_ZeroMask()))) {
      const unsigned lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
      return builder.CreateVectorSplat(lanes, builder.CreateSExt(one, type->getScalarType()));
    }
    return builder.CreateSExt(mask, type);
  }

  void compute(llvm::Instruction& mask) {
    auto* place = llvm::cast<llvm::PHINode>(m_wide[&mask]);
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&mask)) {
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        llvm::BasicBlock* from = phi->getIncomingBlock(i);
        const int known = place->getBasicBlockIndex(from);  // -1 unless the block has an earlier edge to the phi
        llvm::IRBuilder<> builder(from->getTerminator());
        place->addIncoming(known >= 0 ? place->getIncomingValue(known) : wide(builder, phi->getIncomingValue(i)), from);
      }
      return;
    }
    llvm::IRBuilder<> builder(&mask);
    llvm::Value* result = nullptr;
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&mask)) {
      result = logical(builder, *select);
    } else if (llvm::isa<llvm::FreezeInst>(mask)) {
      result = builder.CreateFreeze(wide(builder, mask.getOperand(0)));
    } else {
      const auto operation = llvm::cast<llvm::BinaryOperator>(mask).getOpcode();
      result = builder.CreateBinOp(operation, wide(builder, mask.getOperand(0)), wide(builder, mask.getOperand(1)));
    }
    place->replaceAllUsesWith(result);
    m_wide[&mask] = result;
    place->eraseFromParent();
  }

  /// Emits an "and" or "or" for a select. Like the select, the emitted code ignores poison in the operand that does not
  /// matter.
  llvm::Value* logical(llvm::IRBuilder<>& builder, llvm::SelectInst& select) {
    using namespace llvm::PatternMatch;
    llvm::Value* condition = wide(builder, select.getCondition());
    if (match(select.getFalseValue(), m_ZeroInt())) {
      return builder.CreateAnd(condition, builder.CreateFreeze(wide(builder, select.getTrueValue())));
    }
    if (match(select.getTrueValue(), m_AllOnes())) {
      return builder.CreateOr(condition, builder.CreateFreeze(wide(builder, select.getFalseValue())));
    }
    return builder.CreateSelect(is_set(builder, condition), wide(builder, select.getTrueValue()),
                                wide(builder, select.getFalseValue()));
  }

  static llvm::Value* is_set(llvm::IRBuilder<>& builder, llvm::Value* mask) {
    return builder.CreateICmpSLT(mask, llvm::Constant::getNullValue(mask->getType()));
  }

  void replace_elsewhere(llvm::Instruction& mask) {
    llvm::Value* narrow = nullptr;
    for (llvm::Use& use : llvm::make_early_inc_range(mask.uses())) {
      if (m_logic.contains(llvm::cast<llvm::Instruction>(use.getUser()))) continue;
      if (!narrow) {
        llvm::BasicBlock::iterator place = mask.getIterator();
        if (llvm::isa<llvm::PHINode>(mask)) place = mask.getParent()->getFirstInsertionPt();
        llvm::IRBuilder<> builder(mask.getParent(), place);
        narrow = is_set(builder, m_wide[&mask]);
      }
      use.set(narrow);
    }
  }

  llvm::Function& m_function;
  unsigned m_vector_bits;
  llvm::SmallSetVector<llvm::Instruction*, 16> m_logic;
  llvm::DenseMap<llvm::Value*, llvm::Value*> m_wide;
};

}  // namespace

bool keep_masks_wide(llvm::Function& function, unsigned vector_bits) {
  return mask_widener(function, vector_bits).run();
}

}  // namespace sinter::passes
