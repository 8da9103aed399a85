#include "index_sums.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/Local.h"

namespace sinter::passes {
namespace {

constexpr unsigned deepest_sum = 8;

/// Returns the 32-bit operand that the instruction sign-extends to 64 bits, or null for other instructions.
llvm::Value* widened_number(const llvm::Instruction& instruction) {
  const auto* zext = llvm::dyn_cast<llvm::ZExtInst>(&instruction);
  if (!llvm::isa<llvm::SExtInst>(instruction) && !(zext && zext->hasNonNeg())) return nullptr;
  llvm::Value* number = instruction.getOperand(0);
  return number->getType()->isIntegerTy(32) && instruction.getType()->isIntegerTy(64) ? number : nullptr;
}

/// Whether the instruction's result is one of its operands.
bool is_choice(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::SelectInst, llvm::PHINode>(instruction);
}

/// Whether the instruction can be computed in 64 bits: with sign-extended operands, the result is the sign-extended
/// result of the 32-bit instruction.
bool never_wraps(const llvm::Instruction& instruction) {
  if (is_choice(instruction)) return true;
  if (const auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction)) return either->isDisjoint();
  return llvm::isa<llvm::OverflowingBinaryOperator>(instruction) && instruction.hasNoSignedWrap();
}

class index_sums {
public:
  explicit index_sums(const lane_analyses& known) : m_shapes(known.shapes), m_loops(known.loops) {}

  /// Whether the number grows by a constant from lane to lane if it is computed in 64 bits. In 32 bits, the sum may
  /// wrap between two lanes.
  bool counts(const llvm::Value* number) const { return !m_shapes.of(number).is_uniform() && is_regular(number, 0); }

  llvm::Value* write(llvm::IRBuilder<>& builder, llvm::Value* number) const {
    llvm::Type* type = builder.getInt64Ty();
    auto* sum = llvm::dyn_cast<llvm::Instruction>(number);
    if (const auto* narrowed = llvm::dyn_cast<llvm::TruncInst>(number); narrowed && loses_nothing(*narrowed))
      return narrowed->getOperand(0);
    if (!sum || is_part(number)) return builder.CreateSExt(number, type);
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(sum)) {
      llvm::PHINode* chosen = llvm::IRBuilder<>(phi).CreatePHI(type, phi->getNumIncomingValues());
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        llvm::IRBuilder<> there(phi->getIncomingBlock(i)->getTerminator());
        chosen->addIncoming(write(there, phi->getIncomingValue(i)), phi->getIncomingBlock(i));
      }
      return chosen;
    }
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(sum)) {
      llvm::Value* chosen = write(builder, choice->getTrueValue());
      return builder.CreateSelect(choice->getCondition(), chosen, write(builder, choice->getFalseValue()));
    }
    llvm::Value* left = write(builder, sum->getOperand(0));
    if (sum->getOpcode() == llvm::Instruction::Shl)
      return builder.CreateShl(left, builder.CreateZExt(sum->getOperand(1), type));
    llvm::Value* right = write(builder, sum->getOperand(1));
    // An `or` of disjoint numbers is a sum without a carry.
    if (sum->getOpcode() == llvm::Instruction::Or) return builder.CreateAdd(left, right);
    return builder.CreateBinOp(static_cast<llvm::Instruction::BinaryOps>(sum->getOpcode()), left, right);
  }

private:
  static bool loses_nothing(const llvm::TruncInst& narrowed) {
    const llvm::Value* whole = narrowed.getOperand(0);
    if (!whole->getType()->isIntegerTy(64)) return false;
    return narrowed.hasNoSignedWrap() ||
           llvm::computeKnownBits(whole, narrowed.getDataLayout()).countMaxActiveBits() < 32;
  }

  /// Whether the number, extended to 64 bits, may be a summand as it is: it is uniform, or strided without wrapping.
  bool is_part(const llvm::Value* number) const {
    const lane_shape shape = m_shapes.of(number);
    if (shape.is_uniform()) return true;
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(number);
    const bool is_sum = instruction && !is_choice(*instruction) && never_wraps(*instruction);
    return shape.exact_signed && !shape.is_varying() && !is_sum;
  }

  bool is_regular(const llvm::Value* number, unsigned depth) const {
    if (is_part(number)) return true;
    const auto* sum = llvm::dyn_cast<llvm::Instruction>(number);
    if (!sum || depth > deepest_sum) return false;
    if (const auto* narrowed = llvm::dyn_cast<llvm::TruncInst>(sum))
      return loses_nothing(*narrowed) && !m_shapes.of(narrowed->getOperand(0)).is_varying();
    if (!never_wraps(*sum)) return false;
    if (is_choice(*sum)) {
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(sum);
      // All lanes have to choose the same operand. A loop's header is excluded, because its phi chooses between
      // iterations.
      if (m_shapes.of(sum).is_varying() || (phi && m_loops.isLoopHeader(phi->getParent()))) return false;
      const llvm::Value* condition = phi ? nullptr : llvm::cast<llvm::SelectInst>(sum)->getCondition();
      return llvm::all_of(sum->operand_values(),
                          [&](const llvm::Value* each) { return each == condition || is_regular(each, depth + 1); });
    }
    const llvm::Value *left = sum->getOperand(0), *right = sum->getOperand(1);
    const bool scaled = sum->getOpcode() == llvm::Instruction::Mul;
    if (scaled && !llvm::isa<llvm::Constant>(left) && !llvm::isa<llvm::Constant>(right)) return false;
    if (sum->getOpcode() == llvm::Instruction::Shl)
      return llvm::isa<llvm::ConstantInt>(right) && is_regular(left, depth + 1);
    return is_regular(left, depth + 1) && is_regular(right, depth + 1);
  }

  const lane_shapes& m_shapes;
  const llvm::LoopInfo& m_loops;
};

/// Turns each `or` of numbers without common bits into a sum. The other lanes' values are computed from lane 0's
/// result. If lane 0 is inactive, its numbers may have common bits, and its `or` would be the wrong start. A sum is the
/// right start, because the sum and the `or` are equal in all lanes that use the result.
bool add_disjoint_numbers(lane_region& region) {
  llvm::SmallVector<llvm::PossiblyDisjointInst*, 8> found;
  for (llvm::Instruction& each : llvm::instructions(region.function())) {
    auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&each);
    if (either && either->isDisjoint() && either->getType()->isIntegerTy(64)) found.push_back(either);
  }
  if (found.empty()) return false;
  const lane_shapes& shapes = region.known().shapes;
  if (shapes.failure()) return false;
  llvm::erase_if(found, [&](const llvm::PossiblyDisjointInst* each) {
    const lane_shape left = shapes.of(each->getOperand(0)), right = shapes.of(each->getOperand(1));
    return !shapes.of(each).is_varying() || left.is_varying() || right.is_varying();
  });
  for (llvm::PossiblyDisjointInst* each : found) {
    each->replaceAllUsesWith(llvm::IRBuilder<>(each).CreateAdd(each->getOperand(0), each->getOperand(1)));
    each->eraseFromParent();
  }
  if (!found.empty()) region.changed();
  return !found.empty();
}

}  // namespace

bool is_index_sum(const llvm::Instruction& instruction) {
  const auto* sum = llvm::dyn_cast_or_null<llvm::Instruction>(widened_number(instruction));
  return sum && never_wraps(*sum);
}

void sum_indices_in_64_bits(lane_region& region) {
  // The sums of one round may be operands of an `or` in the next round.
  while (add_disjoint_numbers(region)) continue;
  llvm::SmallVector<llvm::Instruction*, 16> found;
  for (llvm::Instruction& instruction : llvm::instructions(region.function())) {
    if (is_index_sum(instruction)) found.push_back(&instruction);
  }
  if (found.empty() || region.known().shapes.failure()) return;
  const index_sums sums(region.known());
  llvm::erase_if(found, [&](const llvm::Instruction* each) { return !sums.counts(widened_number(*each)); });
  // The old sums stay until all new sums are written, because the shapes describe the old sums.
  llvm::SmallVector<llvm::WeakTrackingVH, 16> dead;
  for (llvm::Instruction* each : found) {
    llvm::IRBuilder<> builder(each);
    each->replaceAllUsesWith(sums.write(builder, widened_number(*each)));
    dead.emplace_back(each);
  }
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  if (!found.empty()) region.changed();
}

}  // namespace sinter::passes
