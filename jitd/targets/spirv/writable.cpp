#include "writable.hpp"

#include "matrix_units.hpp"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sinter::jit::spirv {
namespace {

bool is_known_scalar(const llvm::Type* type) {
  if (const auto* integer = llvm::dyn_cast<llvm::IntegerType>(type)) {
    const unsigned width = integer->getBitWidth();
    return width == 1 || width == 8 || width == 16 || width == 32 || width == 64;
  }
  return type->isHalfTy() || type->isFloatTy() || type->isDoubleTy() || type->isPointerTy();
}

bool is_known(const llvm::Type* type) {
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    const unsigned count = vector->getNumElements();
    return is_known_scalar(vector->getElementType()) && !vector->getElementType()->isPointerTy() &&
           (count == 2 || count == 3 || count == 4 || count == 8 || count == 16);
  }
  if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) return is_known(array->getElementType());
  if (const auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    return llvm::all_of(structure->elements(), is_known);
  }
  return is_known_scalar(type) || is_matrix(type) || type->isVoidTy() || type->isLabelTy() || type->isMetadataTy();
}

bool is_known(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memset:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::powi:
    case llvm::Intrinsic::is_fpclass:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::ctpop:
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::cttz:
    case llvm::Intrinsic::uadd_sat:
    case llvm::Intrinsic::usub_sat:
    case llvm::Intrinsic::sadd_sat:
    case llvm::Intrinsic::ssub_sat:
    case llvm::Intrinsic::scmp:
    case llvm::Intrinsic::ucmp:
    case llvm::Intrinsic::vector_reduce_add:
    case llvm::Intrinsic::vector_reduce_or:
    case llvm::Intrinsic::vector_reduce_and:
      return true;
    default:
      return false;
  }
}

llvm::Error refuse(const std::string& what, const llvm::Value& value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.print(stream);
  return llvm::createStringError("it needs " + what + ", for which there is no SPIR-V:" + text);
}

}  // namespace

llvm::Error check_writable(const llvm::Module& module) {
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (!is_known(variable.getValueType())) return refuse("a type of a variable", variable);
  }
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!is_known(instruction.getType())) return refuse("a type", instruction);
      for (const llvm::Use& operand : instruction.operands()) {
        if (!is_known(operand->getType())) return refuse("a type", instruction);
      }
      if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        if (!is_known(call->getIntrinsicID())) return refuse("an intrinsic function of LLVM", instruction);
        continue;
      }
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && !call->getCalledFunction()) return refuse("a call through a pointer", instruction);
      for (const llvm::Use& operand : instruction.operands()) {
        if (llvm::isa<llvm::Function>(operand) && (!call || !call->isCallee(&operand))) {
          return refuse("the address of a function", instruction);
        }
      }
      // LLVM would write an atomic access as a plain access.
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction) && instruction.isAtomic()) {
        return refuse("an atomic access of that size", instruction);
      }
      switch (instruction.getOpcode()) {
        case llvm::Instruction::Invoke:
        case llvm::Instruction::CallBr:
        case llvm::Instruction::IndirectBr:
        case llvm::Instruction::Resume:
        case llvm::Instruction::LandingPad:
        case llvm::Instruction::VAArg:
          return refuse("an instruction", instruction);
        default:
          break;
      }
    }
  }
  return llvm::Error::success();
}

}  // namespace sinter::jit::spirv
