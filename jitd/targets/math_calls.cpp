#include "math_calls.hpp"

#include <abi/device_abi.hpp>

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "passes/llvm_versions.hpp"

namespace sinter::jit {
namespace {

/// Whether the intrinsic with this base name needs a library. Other intrinsics become instructions.
bool is_library_intrinsic(llvm::StringRef base) {
  return llvm::is_contained({"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp",
                             "exp2", "exp10", "log", "log2", "log10", "pow", "round", "ldexp"},
                            base);
}

class call_writer {
public:
  call_writer(llvm::Module& module, const math_dialect& dialect) : m_module(module), m_dialect(dialect) {}

  bool run() {
    llvm::SmallVector<llvm::Instruction*, 16> work;
    for (llvm::Function& function : m_module) {
      for (llvm::Instruction& instruction : llvm::instructions(function)) {
        if (llvm::isa<llvm::CallInst>(instruction) || instruction.getOpcode() == llvm::Instruction::FRem ||
            instruction.getOpcode() == llvm::Instruction::FDiv) {
          work.push_back(&instruction);
        }
      }
    }
    for (llvm::Instruction* instruction : work) {
      llvm::IRBuilder<> builder(instruction);
      if (llvm::Value* result = lower(builder, *instruction)) {
        instruction->replaceAllUsesWith(result);
        instruction->eraseFromParent();
      }
    }
    return m_needed;
  }

private:
  llvm::Value* lower(llvm::IRBuilder<>& builder, llvm::Instruction& instruction) {
    if (m_dialect.relaxed && instruction.getMetadata(llvm::LLVMContext::MD_fpmath)) {
      const float accuracy = llvm::cast<llvm::FPMathOperator>(instruction).getFPAccuracy();
      if (llvm::Value* less = m_dialect.relaxed(builder, instruction, accuracy)) return less;
    }
    if (instruction.getOpcode() == llvm::Instruction::FDiv) return nullptr;
    if (instruction.getOpcode() == llvm::Instruction::FRem) {
      return each_lane(builder, instruction.getType(), {instruction.getOperand(0), instruction.getOperand(1)},
                       [&](llvm::ArrayRef<llvm::Value*> operands) { return call(builder, "fmod", operands); });
    }
    auto& call_of = llvm::cast<llvm::CallInst>(instruction);
    const llvm::Function* callee = call_of.getCalledFunction();
    if (!callee || !callee->isDeclaration()) return nullptr;
    llvm::SmallVector<llvm::Value*, 4> operands(call_of.args());
    llvm::StringRef name = callee->getName();
    if (name.consume_front(abi::device_math_prefix)) return device_math(builder, call_of, name.drop_back(4), operands);
    if (!callee->isIntrinsic() || operands.empty()) return nullptr;
    const llvm::StringRef base = name.drop_front(5).split('.').first;
    switch (callee->getIntrinsicID()) {
      case llvm::Intrinsic::lround:
      case llvm::Intrinsic::llround:
        return to_integer(builder, call_of.getType(), call(builder, "round", operands));
      case llvm::Intrinsic::lrint:
      case llvm::Intrinsic::llrint:
        return to_integer(builder, call_of.getType(), rint(builder, operands[0]));
      case llvm::Intrinsic::frexp:
      case llvm::Intrinsic::modf:
        return pair(builder, call_of, base, operands[0]);
      default:
        break;
    }
    if (!is_library_intrinsic(base)) return nullptr;
    return each_lane(builder, call_of.getType(), operands,
                     [&](llvm::ArrayRef<llvm::Value*> lane) { return call(builder, base, lane); });
  }

  /// Handles the elements of vectors one by one. A second operand may be a scalar (powi, ldexp).
  template <class Function>
  static llvm::Value* each_lane(llvm::IRBuilder<>& builder, llvm::Type* type, llvm::ArrayRef<llvm::Value*> operands,
                                const Function& function) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (!vector) return function(operands);
    llvm::Value* result = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      llvm::SmallVector<llvm::Value*, 3> lane;
      for (llvm::Value* operand : operands) {
        lane.push_back(operand->getType()->isVectorTy() ? builder.CreateExtractElement(operand, i) : operand);
      }
      result = builder.CreateInsertElement(result, function(lane), i);
    }
    return result;
  }

  llvm::Value* device_math(llvm::IRBuilder<>& builder, llvm::CallInst& original, llvm::StringRef name,
                           llvm::ArrayRef<llvm::Value*> operands) {
    if (name == "lround" || name == "llround")
      return to_integer(builder, original.getType(), call(builder, "round", operands));
    if (name == "lrint" || name == "llrint") return to_integer(builder, original.getType(), rint(builder, operands[0]));
    if (name == "scalbn") return call(builder, "ldexp", operands);
    if (name == "pow10") return call(builder, "exp10", operands);
    if (name == "lgamma_r") return lgamma_r(builder, operands);
    if (name == "fdim") return positive_difference(builder, operands[0], operands[1]);
    if (name == "sincos" && m_dialect.returns_sine) {
      // The library's function returns the sine and stores the cosine.
      llvm::Value* sine = call(builder, "sincos", {operands[0], operands[2]}, operands[0]->getType());
      builder.CreateStore(sine, operands[1]);
      return original.getType()->isVoidTy() ? llvm::PoisonValue::get(original.getType()) : sine;
    }
    return call(builder, name, operands, original.getType());
  }

  static llvm::Value* rint(llvm::IRBuilder<>& builder, llvm::Value* value) {
    return builder.CreateUnaryIntrinsic(llvm::Intrinsic::rint, value);
  }
  static llvm::Value* to_integer(llvm::IRBuilder<>& builder, llvm::Type* type, llvm::Value* value) {
    return builder.CreateFPToSI(value, type);
  }

  /// Makes a call with two results. The second is returned through a pointer.
  llvm::Value* pair(llvm::IRBuilder<>& builder, llvm::CallInst& original, llvm::StringRef name, llvm::Value* operand) {
    auto* type = llvm::cast<llvm::StructType>(original.getType());
    llvm::Type* real = operand->getType();
    const bool widened = real->isHalfTy();
    if (widened) operand = builder.CreateFPExt(operand, builder.getFloatTy());
    llvm::Type* second = name == "modf" ? operand->getType() : static_cast<llvm::Type*>(builder.getInt32Ty());
    llvm::IRBuilder<> front(&*original.getFunction()->getEntryBlock().begin());
    llvm::Value* place = front.CreateAddrSpaceCast(front.CreateAlloca(second), front.getPtrTy());
    llvm::Value* first = call(builder, name, {operand, place}, operand->getType());
    llvm::Value* other = builder.CreateLoad(second, place);
    if (widened) first = builder.CreateFPTrunc(first, real);
    if (other->getType()->isFloatingPointTy()) {
      if (widened) other = builder.CreateFPTrunc(other, real);
    } else {
      other = builder.CreateSExtOrTrunc(other, type->getElementType(1));
    }
    llvm::Value* result = builder.CreateInsertValue(llvm::PoisonValue::get(type), first, 0);
    return builder.CreateInsertValue(result, other, 1);
  }

  /// libdevice's function is not used, because the result has to be rounded correctly. If the operands are constants,
  /// NVIDIA's drivers (version 580) truncate the difference, although the function's assembly asks for rounding.
  static llvm::Value* positive_difference(llvm::IRBuilder<>& builder, llvm::Value* from, llvm::Value* what) {
    llvm::Value* difference = builder.CreateFSub(from, what);
    return builder.CreateSelect(builder.CreateFCmpOLE(from, what), llvm::ConstantFP::getZero(from->getType()),
                                difference);
  }

  /// The gamma function is negative between an odd negative integer and the next larger integer.
  llvm::Value* lgamma_r(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> operands) {
    llvm::Value* x = operands[0];
    llvm::Value* zero = llvm::ConstantFP::get(x->getType(), 0);
    llvm::Value* below = builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x);
    llvm::Value* half = builder.CreateFMul(below, llvm::ConstantFP::get(x->getType(), 0.5));
    llvm::Value* is_odd = builder.CreateFCmpUNE(builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, half), half);
    llvm::Value* is_between = builder.CreateFCmpONE(below, x);
    llvm::Value* negative = builder.CreateAnd(builder.CreateFCmpOLT(x, zero), builder.CreateAnd(is_odd, is_between));
    builder.CreateStore(builder.CreateSelect(negative, builder.getInt32(-1), builder.getInt32(1)), operands[1]);
    return call(builder, "lgamma", {x}, x->getType());
  }

  /// Calls a function of scalars. Halves are computed as floats, and floats as doubles if the dialect needs it.
  llvm::Value* call(llvm::IRBuilder<>& builder, llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands,
                    llvm::Type* result = nullptr) {
    const bool as_double = m_dialect.needs_double && m_dialect.needs_double(base);
    const auto computed = [&](llvm::Type* type) {
      const bool is_narrow = type->isHalfTy() || type->isFloatTy();
      return is_narrow ? as_double ? builder.getDoubleTy() : builder.getFloatTy() : type;
    };
    llvm::SmallVector<llvm::Value*, 4> widened;
    for (llvm::Value* operand : operands) {
      llvm::Type* type = computed(operand->getType());
      widened.push_back(type == operand->getType() ? operand : builder.CreateFPExt(operand, type));
    }
    llvm::Type* wanted = result ? result : operands[0]->getType();
    llvm::Value* value = m_dialect.instead ? m_dialect.instead(builder, base, widened) : nullptr;
    if (!value) value = call_library(builder, base, widened, computed(wanted));
    return value->getType() == wanted ? value : builder.CreateFPTrunc(value, wanted);
  }

  llvm::Value* call_library(llvm::IRBuilder<>& builder, llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands,
                            llvm::Type* result) {
    llvm::SmallVector<llvm::Value*, 4> passed(operands);
    if (m_dialect.prepare) m_dialect.prepare(builder, base, passed);
    llvm::SmallVector<llvm::Type*, 4> types;
    for (llvm::Value* operand : passed) types.push_back(operand->getType());
    const std::string name = m_dialect.name_of(base, passed);
    llvm::FunctionCallee callee = m_module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
    m_needed = true;
    llvm::CallInst* made = builder.CreateCall(callee, passed);
    return m_dialect.finish ? m_dialect.finish(builder, base, operands, *made) : made;
  }

  llvm::Module& m_module;
  const math_dialect& m_dialect;
  bool m_needed = false;
};

}  // namespace

std::string opencl_name(llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands) {
  std::string name = "_Z" + std::to_string(base.size()) + base.str();
  const char* real = operands[0]->getType()->isFloatTy() ? "f" : "d";
  for (const llvm::Value* operand : operands) {
    const llvm::Type* type = operand->getType();
    name += type->isFloatingPointTy()            ? real
            : !type->isPointerTy()               ? "i"
            : base == "modf" || base == "sincos" ? std::string("P") + real
                                                 : "Pi";
  }
  return name;
}

bool call_math_library(llvm::Module& module, const math_dialect& dialect) { return call_writer(module, dialect).run(); }

}  // namespace sinter::jit
