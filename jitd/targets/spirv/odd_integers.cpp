#include "odd_integers.hpp"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "long_integers.hpp"

namespace sinter::jit::spirv {
namespace {

unsigned width_of(const llvm::Type* type) {
  const auto* integer = llvm::dyn_cast<llvm::IntegerType>(type->getScalarType());
  return integer ? integer->getBitWidth() : 0;
}

bool is_odd(const llvm::Type* type) {
  const unsigned width = width_of(type);
  return width > 1 && width < 64 && (width < 8 || !llvm::isPowerOf2_32(width));
}

/// Stores each value of an unusual width in an integer of the next larger usual width. The additional high bits are
/// zeros.
class widening {
public:
  explicit widening(llvm::Function& function) : m_function(function), m_builder(function.getContext()) {}

  llvm::Error run() {
    llvm::SmallVector<llvm::Instruction*, 32> work;
    llvm::ReversePostOrderTraversal<llvm::Function*> order(&m_function);
    for (llvm::BasicBlock* block : order) {
      for (llvm::Instruction& instruction : *block) {
        const bool takes =
            llvm::any_of(instruction.operands(), [](const llvm::Use& use) { return is_odd(use->getType()); });
        if (takes || is_odd(instruction.getType())) work.push_back(&instruction);
      }
    }
    for (llvm::Instruction* instruction : work) {
      if (instruction->getType()->isVectorTy()) return refuse_integers(*instruction);
      m_builder.SetInsertPoint(instruction);
      llvm::Value* made = widen(*instruction);
      if (!made) return refuse_integers(*instruction);
      if (is_odd(instruction->getType())) {
        m_wide[instruction] = made;
      } else if (made != instruction) {
        instruction->replaceAllUsesWith(made);
      }
    }
    for (auto [narrow, wide] : m_phis) {
      for (unsigned i = 0; i < narrow->getNumIncomingValues(); ++i) {
        wide->addIncoming(wide_of(narrow->getIncomingValue(i)), narrow->getIncomingBlock(i));
      }
    }
    for (llvm::Instruction* instruction : work) {
      instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
      instruction->eraseFromParent();
    }
    return llvm::Error::success();
  }

private:
  llvm::IntegerType* container(llvm::Type* type) {
    return m_builder.getIntNTy(static_cast<unsigned>(std::max<std::uint64_t>(8, llvm::PowerOf2Ceil(width_of(type)))));
  }

  llvm::Value* wide_of(llvm::Value* value) {
    if (!is_odd(value->getType())) return value;
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      return llvm::ConstantInt::get(container(value->getType()), number->getZExtValue());
    }
    if (llvm::isa<llvm::Constant>(value)) return llvm::ConstantInt::get(container(value->getType()), 0);
    return m_wide.lookup(value);
  }

  llvm::Value* cut(llvm::Value* wide, llvm::Type* type) {
    const unsigned width = width_of(type);
    if (wide->getType()->getIntegerBitWidth() == width) return wide;
    return m_builder.CreateAnd(wide, llvm::APInt::getLowBitsSet(wide->getType()->getIntegerBitWidth(), width));
  }

  /// Returns the wide integer in which the bits above the original width are copies of the sign bit.
  llvm::Value* signed_of(llvm::Value* value) {
    llvm::Value* wide = wide_of(value);
    const unsigned surplus = wide->getType()->getIntegerBitWidth() - width_of(value->getType());
    return surplus == 0 ? wide : m_builder.CreateAShr(m_builder.CreateShl(wide, surplus), surplus);
  }

  /// Returns null if this class does not know the instruction.
  llvm::Value* widen(llvm::Instruction& instruction) {
    llvm::Type* type = instruction.getType();
    if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return binary(*operation);
    if (auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
      const bool is_signed = comparison->isSigned();
      const auto of = [&](unsigned i) {
        return is_signed ? signed_of(comparison->getOperand(i)) : wide_of(comparison->getOperand(i));
      };
      return m_builder.CreateICmp(comparison->getPredicate(), of(0), of(1));
    }
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      llvm::PHINode* wide = m_builder.CreatePHI(container(type), phi->getNumIncomingValues());
      m_phis.push_back({phi, wide});
      return wide;
    }
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
      return m_builder.CreateSelect(choice->getCondition(), wide_of(choice->getTrueValue()),
                                    wide_of(choice->getFalseValue()));
    }
    if (llvm::isa<llvm::FreezeInst>(instruction))
      return cut(m_builder.CreateFreeze(wide_of(instruction.getOperand(0))), type);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return read(*load);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return write(*store);
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return convert(*cast);
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) return intrinsic(*call);
    if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) return branch(*choice);
    return nullptr;
  }

  llvm::Value* binary(llvm::BinaryOperator& operation) {
    const auto code = operation.getOpcode();
    llvm::Value *a = operation.getOperand(0), *b = operation.getOperand(1);
    llvm::Value* result = nullptr;
    if (code == llvm::Instruction::SDiv || code == llvm::Instruction::SRem) {
      result = m_builder.CreateBinOp(code, signed_of(a), signed_of(b));
    } else if (code == llvm::Instruction::AShr) {
      result = m_builder.CreateAShr(signed_of(a), wide_of(b));
    } else {
      result = m_builder.CreateBinOp(code, wide_of(a), wide_of(b));
    }
    return cut(result, operation.getType());
  }

  llvm::Value* convert(llvm::CastInst& cast) {
    llvm::Type* to = cast.getType();
    llvm::Value* from = cast.getOperand(0);
    llvm::Type* target = is_odd(to) ? container(to) : to;
    switch (cast.getOpcode()) {
      case llvm::Instruction::Trunc:
        if (to->isIntegerTy(1)) return m_builder.CreateTrunc(wide_of(from), to);
        return cut(m_builder.CreateZExtOrTrunc(wide_of(from), target), to);
      case llvm::Instruction::ZExt:
        return m_builder.CreateZExtOrTrunc(wide_of(from), target);
      case llvm::Instruction::SExt:
        return cut(m_builder.CreateSExtOrTrunc(signed_of(from), target), to);
      case llvm::Instruction::UIToFP:
        return m_builder.CreateUIToFP(wide_of(from), to);
      case llvm::Instruction::SIToFP:
        return m_builder.CreateSIToFP(signed_of(from), to);
      case llvm::Instruction::FPToUI:
        return cut(m_builder.CreateFPToUI(from, target), to);
      case llvm::Instruction::FPToSI:
        return cut(m_builder.CreateFPToSI(from, target), to);
      case llvm::Instruction::BitCast:
        return recast(cast);
      default:
        return nullptr;
    }
  }

  /// Handles casts between an integer and a vector of bytes, lowest byte first.
  llvm::Value* recast(llvm::CastInst& cast) {
    llvm::Value* from = cast.getOperand(0);
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(from->getType())) {
      if (!vector->getElementType()->isIntegerTy()) return nullptr;
      const unsigned bits = vector->getScalarSizeInBits();
      if (bits % 8 != 0) return nullptr;
      llvm::Value* result = llvm::ConstantInt::get(container(cast.getType()), 0);
      for (unsigned i = 0; i < vector->getNumElements(); ++i) {
        llvm::Value* part = m_builder.CreateZExt(m_builder.CreateExtractElement(from, i), result->getType());
        result = m_builder.CreateOr(result, m_builder.CreateShl(part, bits * i));
      }
      return result;
    }
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(cast.getType());
    if (!vector || !vector->getElementType()->isIntegerTy() || vector->getScalarSizeInBits() % 8 != 0) return nullptr;
    llvm::Value* result = llvm::PoisonValue::get(cast.getType());
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      llvm::Value* part = m_builder.CreateLShr(wide_of(from), vector->getScalarSizeInBits() * i);
      result = m_builder.CreateInsertElement(result, m_builder.CreateTrunc(part, vector->getElementType()), i);
    }
    return result;
  }

  llvm::Value* read(llvm::LoadInst& load) {
    if (load.isAtomic()) return nullptr;
    llvm::Value* result = llvm::ConstantInt::get(container(load.getType()), 0);
    for (unsigned i = 0; i < (width_of(load.getType()) + 7) / 8; ++i) {
      llvm::Value* place = m_builder.CreateConstGEP1_64(m_builder.getInt8Ty(), load.getPointerOperand(), i);
      llvm::Value* byte = m_builder.CreateAlignedLoad(m_builder.getInt8Ty(), place, llvm::Align(1), load.isVolatile());
      result = m_builder.CreateOr(result, m_builder.CreateShl(m_builder.CreateZExt(byte, result->getType()), 8 * i));
    }
    return result;
  }

  llvm::Value* write(llvm::StoreInst& store) {
    llvm::Value* value = store.getValueOperand();
    if (store.isAtomic() || !is_odd(value->getType())) return nullptr;
    llvm::Value* wide = wide_of(value);
    for (unsigned i = 0; i < (width_of(value->getType()) + 7) / 8; ++i) {
      llvm::Value* place = m_builder.CreateConstGEP1_64(m_builder.getInt8Ty(), store.getPointerOperand(), i);
      m_builder.CreateAlignedStore(m_builder.CreateTrunc(m_builder.CreateLShr(wide, 8 * i), m_builder.getInt8Ty()),
                                   place, llvm::Align(1), store.isVolatile());
    }
    return &store;
  }

  llvm::Value* intrinsic(llvm::IntrinsicInst& call) {
    const llvm::Intrinsic::ID id = call.getIntrinsicID();
    switch (id) {
      case llvm::Intrinsic::umin:
      case llvm::Intrinsic::umax:
        return m_builder.CreateBinaryIntrinsic(id, wide_of(call.getArgOperand(0)), wide_of(call.getArgOperand(1)));
      case llvm::Intrinsic::smin:
      case llvm::Intrinsic::smax:
        return cut(
            m_builder.CreateBinaryIntrinsic(id, signed_of(call.getArgOperand(0)), signed_of(call.getArgOperand(1))),
            call.getType());
      case llvm::Intrinsic::abs: {
        llvm::Value* value = signed_of(call.getArgOperand(0));
        llvm::Value* negative = m_builder.CreateICmpSLT(value, llvm::ConstantInt::get(value->getType(), 0));
        return cut(m_builder.CreateSelect(negative, m_builder.CreateNeg(value), value), call.getType());
      }
      case llvm::Intrinsic::ctpop:
        return m_builder.CreateUnaryIntrinsic(id, wide_of(call.getArgOperand(0)));
      default:
        return nullptr;
    }
  }

  llvm::Value* branch(llvm::SwitchInst& choice) {
    llvm::Value* value = wide_of(choice.getCondition());
    llvm::SwitchInst* made = m_builder.CreateSwitch(value, choice.getDefaultDest(), choice.getNumCases());
    for (const auto& each : choice.cases()) {
      made->addCase(
          llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(value->getType(), each.getCaseValue()->getZExtValue())),
          each.getCaseSuccessor());
    }
    return &choice;
  }

  llvm::Function& m_function;
  llvm::IRBuilder<> m_builder;
  llvm::DenseMap<llvm::Value*, llvm::Value*> m_wide;
  llvm::SmallVector<std::pair<llvm::PHINode*, llvm::PHINode*>, 4> m_phis;
};

}  // namespace

llvm::Error widen_odd_integers(llvm::Function& function) { return widening(function).run(); }

}  // namespace sinter::jit::spirv
