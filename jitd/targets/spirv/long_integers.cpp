#include "long_integers.hpp"

#include "device_calls.hpp"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sinter::jit::spirv {
namespace {

bool is_long(const llvm::Type* type) { return type->isIntegerTy() && type->getIntegerBitWidth() > 64; }

struct two_words {
  llvm::Value *low = nullptr, *high = nullptr;
  explicit operator bool() const { return low != nullptr; }
};

/// Splits integers into two words each. The bits above an integer's width are zero.
class splitting {
public:
  explicit splitting(llvm::Function& function) : m_function(function), m_builder(function.getContext()) {}

  llvm::Error run() {
    llvm::SmallVector<llvm::Instruction*, 16> work;
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&m_function)) {
      for (llvm::Instruction& instruction : *block) {
        const bool takes =
            llvm::any_of(instruction.operands(), [](const llvm::Use& use) { return is_long(use->getType()); });
        if (takes || is_long(instruction.getType())) work.push_back(&instruction);
      }
    }
    for (llvm::Instruction* instruction : work) {
      m_builder.SetInsertPoint(instruction);
      if (is_long(instruction->getType())) {
        const unsigned width = instruction->getType()->getIntegerBitWidth();
        two_words made;
        if (width <= 128) made = split(*instruction);
        if (!made) return refuse_integers(*instruction);
        if (!llvm::isa<llvm::PHINode>(instruction)) made = cut(made, width);
        m_words[instruction] = made;
      } else if (llvm::Value* made = join(*instruction)) {
        if (made != instruction) instruction->replaceAllUsesWith(made);
      } else {
        return refuse_integers(*instruction);
      }
    }
    for (auto [phi, words] : m_phis) {
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        const two_words incoming = words_of(phi->getIncomingValue(i));
        llvm::cast<llvm::PHINode>(words.low)->addIncoming(incoming.low, phi->getIncomingBlock(i));
        llvm::cast<llvm::PHINode>(words.high)->addIncoming(incoming.high, phi->getIncomingBlock(i));
      }
    }
    for (llvm::Instruction* instruction : work) {
      instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
      instruction->eraseFromParent();
    }
    return llvm::Error::success();
  }

private:
  llvm::Type* word() { return m_builder.getInt64Ty(); }
  llvm::Value* number(std::uint64_t value) { return m_builder.getInt64(value); }
  static unsigned width_of(const llvm::Value* value) { return value->getType()->getIntegerBitWidth(); }

  two_words words_of(llvm::Value* value) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      const llvm::APInt bits = constant->getValue().zext(128);
      return {number(bits.extractBitsAsZExtValue(64, 0)), number(bits.extractBitsAsZExtValue(64, 64))};
    }
    if (llvm::isa<llvm::Constant>(value)) return {number(0), number(0)};
    return m_words.lookup(value);
  }

  two_words cut(two_words words, unsigned width) {
    if (width == 128) return words;
    return {words.low, m_builder.CreateAnd(words.high, llvm::APInt::getLowBitsSet(64, width - 64))};
  }

  /// Returns the words with the sign in the bits above the width.
  two_words signed_of(llvm::Value* value) {
    two_words words = words_of(value);
    const unsigned surplus = 128 - width_of(value);
    if (surplus != 0) words.high = m_builder.CreateAShr(m_builder.CreateShl(words.high, surplus), surplus);
    return words;
  }

  two_words sum(two_words a, two_words b) {
    llvm::Value* low = m_builder.CreateAdd(a.low, b.low);
    llvm::Value* carry = m_builder.CreateZExt(m_builder.CreateICmpULT(low, a.low), word());
    return {low, m_builder.CreateAdd(m_builder.CreateAdd(a.high, b.high), carry)};
  }

  two_words difference(two_words a, two_words b) {
    llvm::Value* borrow = m_builder.CreateZExt(m_builder.CreateICmpULT(a.low, b.low), word());
    return {m_builder.CreateSub(a.low, b.low), m_builder.CreateSub(m_builder.CreateSub(a.high, b.high), borrow)};
  }

  two_words product(two_words a, two_words b) {
    llvm::Value* upper = call_builtin(*m_builder.GetInsertPoint(), "_Z6mul_himm", word(), {a.low, b.low}, true);
    upper = m_builder.CreateAdd(upper, m_builder.CreateMul(a.low, b.high));
    return {m_builder.CreateMul(a.low, b.low), m_builder.CreateAdd(upper, m_builder.CreateMul(a.high, b.low))};
  }

  /// Shifts by up to 127 bits. A word is shifted by less than its width.
  two_words shifted(unsigned code, two_words a, llvm::Value* distance) {
    const bool left = code == llvm::Instruction::Shl;
    llvm::Value* within = m_builder.CreateAnd(distance, number(63));
    llvm::Value* across = m_builder.CreateSub(number(63), within);
    llvm::Value* is_far = m_builder.CreateICmpUGE(distance, number(64));
    llvm::Value* filled = number(0);
    if (code == llvm::Instruction::AShr) filled = m_builder.CreateAShr(a.high, 63);
    if (left) {
      llvm::Value* low = m_builder.CreateShl(a.low, within);
      llvm::Value* over = m_builder.CreateLShr(m_builder.CreateLShr(a.low, 1), across);
      llvm::Value* high = m_builder.CreateOr(m_builder.CreateShl(a.high, within), over);
      return {m_builder.CreateSelect(is_far, number(0), low), m_builder.CreateSelect(is_far, low, high)};
    }
    llvm::Value* high =
        code == llvm::Instruction::AShr ? m_builder.CreateAShr(a.high, within) : m_builder.CreateLShr(a.high, within);
    llvm::Value* over = m_builder.CreateShl(m_builder.CreateShl(a.high, 1), across);
    llvm::Value* low = m_builder.CreateOr(m_builder.CreateLShr(a.low, within), over);
    return {m_builder.CreateSelect(is_far, high, low), m_builder.CreateSelect(is_far, filled, high)};
  }

  /// Returns nothing if this class does not know the instruction.
  two_words split(llvm::Instruction& instruction) {
    if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return binary(*operation);
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return extend(*cast);
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
      const two_words a = words_of(choice->getTrueValue()), b = words_of(choice->getFalseValue());
      return {m_builder.CreateSelect(choice->getCondition(), a.low, b.low),
              m_builder.CreateSelect(choice->getCondition(), a.high, b.high)};
    }
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      const two_words words{m_builder.CreatePHI(word(), phi->getNumIncomingValues()),
                            m_builder.CreatePHI(word(), phi->getNumIncomingValues())};
      m_phis.push_back({phi, words});
      return words;
    }
    if (llvm::isa<llvm::FreezeInst>(instruction)) {
      const two_words words = words_of(instruction.getOperand(0));
      return {m_builder.CreateFreeze(words.low), m_builder.CreateFreeze(words.high)};
    }
    if (auto* call = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction)) {
      const two_words a = words_of(call->getLHS()), b = words_of(call->getRHS());
      llvm::Value* first = compare(call->getPredicate(), call->getLHS(), call->getRHS());
      return {m_builder.CreateSelect(first, a.low, b.low), m_builder.CreateSelect(first, a.high, b.high)};
    }
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) return funnel(*call);
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || load->isAtomic() || width_of(load) != 128) return {};
    llvm::Value* behind = m_builder.CreateConstGEP1_64(m_builder.getInt8Ty(), load->getPointerOperand(), 8);
    const llvm::Align align = load->getAlign();
    return {m_builder.CreateAlignedLoad(word(), load->getPointerOperand(), align, load->isVolatile()),
            m_builder.CreateAlignedLoad(word(), behind, llvm::commonAlignment(align, 8), load->isVolatile())};
  }

  /// Handles rotations, and shifts of two numbers that are joined.
  two_words funnel(llvm::IntrinsicInst& call) {
    const llvm::Intrinsic::ID id = call.getIntrinsicID();
    if ((id != llvm::Intrinsic::fshl && id != llvm::Intrinsic::fshr) || width_of(&call) != 128) return {};
    const two_words upper = words_of(call.getArgOperand(0)), lower = words_of(call.getArgOperand(1));
    llvm::Value* distance = m_builder.CreateAnd(words_of(call.getArgOperand(2)).low, number(127));
    llvm::Value* rest = m_builder.CreateSub(number(127), distance);
    const bool left = id == llvm::Intrinsic::fshl;
    const two_words a = left ? shifted(llvm::Instruction::Shl, upper, distance)
                             : shifted(llvm::Instruction::Shl, shifted(llvm::Instruction::Shl, upper, number(1)), rest);
    const two_words b =
        left ? shifted(llvm::Instruction::LShr, shifted(llvm::Instruction::LShr, lower, number(1)), rest)
             : shifted(llvm::Instruction::LShr, lower, distance);
    return {m_builder.CreateOr(a.low, b.low), m_builder.CreateOr(a.high, b.high)};
  }

  two_words binary(llvm::BinaryOperator& operation) {
    const auto code = operation.getOpcode();
    llvm::Value *left = operation.getOperand(0), *right = operation.getOperand(1);
    const two_words a = code == llvm::Instruction::AShr ? signed_of(left) : words_of(left), b = words_of(right);
    switch (code) {
      case llvm::Instruction::Add:
        return sum(a, b);
      case llvm::Instruction::Sub:
        return difference(a, b);
      case llvm::Instruction::Mul:
        return product(a, b);
      case llvm::Instruction::And:
      case llvm::Instruction::Or:
      case llvm::Instruction::Xor:
        return {m_builder.CreateBinOp(code, a.low, b.low), m_builder.CreateBinOp(code, a.high, b.high)};
      case llvm::Instruction::Shl:
      case llvm::Instruction::LShr:
      case llvm::Instruction::AShr:
        return shifted(code, a, b.low);
      default:
        return {};
    }
  }

  two_words extend(llvm::CastInst& cast) {
    llvm::Value* from = cast.getOperand(0);
    if (!from->getType()->isIntegerTy()) return {};
    const bool from_long = is_long(from->getType());
    switch (cast.getOpcode()) {
      case llvm::Instruction::ZExt:
        if (from_long) return words_of(from);
        return {m_builder.CreateZExt(from, word()), number(0)};
      case llvm::Instruction::SExt: {
        if (from_long) return signed_of(from);
        llvm::Value* low = m_builder.CreateSExt(from, word());
        return {low, m_builder.CreateAShr(low, 63)};
      }
      case llvm::Instruction::Trunc:
        return words_of(from);
      default:
        return {};
    }
  }

  /// Returns null if this class does not know the instruction.
  llvm::Value* join(llvm::Instruction& instruction) {
    if (auto* cast = llvm::dyn_cast<llvm::TruncInst>(&instruction)) {
      if (cast->getType()->isVectorTy()) return nullptr;
      return m_builder.CreateTrunc(words_of(cast->getOperand(0)).low, cast->getType());
    }
    if (auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
      return compare(comparison->getPredicate(), comparison->getOperand(0), comparison->getOperand(1));
    }
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!store || store->isAtomic() || width_of(store->getValueOperand()) != 128) return nullptr;
    const two_words words = words_of(store->getValueOperand());
    llvm::Value* behind = m_builder.CreateConstGEP1_64(m_builder.getInt8Ty(), store->getPointerOperand(), 8);
    const llvm::Align align = store->getAlign();
    m_builder.CreateAlignedStore(words.low, store->getPointerOperand(), align, store->isVolatile());
    m_builder.CreateAlignedStore(words.high, behind, llvm::commonAlignment(align, 8), store->isVolatile());
    return store;
  }

  llvm::Value* compare(llvm::CmpInst::Predicate predicate, llvm::Value* left, llvm::Value* right) {
    const bool is_signed = llvm::CmpInst::isSigned(predicate);
    const two_words a = is_signed ? signed_of(left) : words_of(left);
    const two_words b = is_signed ? signed_of(right) : words_of(right);
    llvm::Value* equal = m_builder.CreateICmpEQ(a.high, b.high);
    if (llvm::ICmpInst::isEquality(predicate)) {
      llvm::Value* both = m_builder.CreateAnd(equal, m_builder.CreateICmpEQ(a.low, b.low));
      return predicate == llvm::CmpInst::ICMP_EQ ? both : m_builder.CreateNot(both);
    }
    return m_builder.CreateSelect(equal,
                                  m_builder.CreateICmp(llvm::ICmpInst::getUnsignedPredicate(predicate), a.low, b.low),
                                  m_builder.CreateICmp(predicate, a.high, b.high));
  }

  llvm::Function& m_function;
  llvm::IRBuilder<> m_builder;
  llvm::DenseMap<llvm::Value*, two_words> m_words;
  llvm::SmallVector<std::pair<llvm::PHINode*, two_words>, 4> m_phis;
};

}  // namespace

llvm::Error refuse_integers(const llvm::Instruction& instruction) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  instruction.print(stream);
  return llvm::createStringError("it computes with integers that SPIR-V doesn't have:" + text);
}

llvm::Error split_long_integers(llvm::Function& function) { return splitting(function).run(); }

}  // namespace sinter::jit::spirv
