#include "plain_instructions.hpp"

#include "address_spaces.hpp"
#include "device_calls.hpp"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

namespace sinter::jit::spirv {
namespace {

/// Returns the structure {result, whether the result overflows}.
llvm::Value* with_overflow(llvm::IRBuilder<>& builder, llvm::WithOverflowInst& call) {
  llvm::Value *a = call.getLHS(), *b = call.getRHS();
  llvm::Type* type = a->getType();
  llvm::Value* zero = llvm::ConstantInt::get(type, 0);
  llvm::Value* result = builder.CreateBinOp(call.getBinaryOp(), a, b);
  llvm::Value* overflow = nullptr;
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::uadd_with_overflow:
      overflow = builder.CreateICmpULT(result, a);
      break;
    case llvm::Intrinsic::usub_with_overflow:
      overflow = builder.CreateICmpULT(a, b);
      break;
    case llvm::Intrinsic::sadd_with_overflow:
      overflow =
          builder.CreateICmpSLT(builder.CreateAnd(builder.CreateXor(result, a), builder.CreateXor(result, b)), zero);
      break;
    case llvm::Intrinsic::ssub_with_overflow:
      overflow = builder.CreateICmpSLT(builder.CreateAnd(builder.CreateXor(a, b), builder.CreateXor(result, a)), zero);
      break;
    default: {
      const bool is_signed = call.isSigned();
      const unsigned width = type->getIntegerBitWidth();
      llvm::Value* upper = nullptr;
      if (width == 64) {
        upper = call_builtin(*builder.GetInsertPoint(), is_signed ? "_Z6mul_hill" : "_Z6mul_himm", type, {a, b}, true);
      } else {
        llvm::Type* wide = builder.getIntNTy(2 * width);
        const auto extend = [&](llvm::Value* value) {
          return is_signed ? builder.CreateSExt(value, wide) : builder.CreateZExt(value, wide);
        };
        upper = builder.CreateTrunc(builder.CreateLShr(builder.CreateMul(extend(a), extend(b)), width), type);
      }
      overflow = builder.CreateICmpNE(upper, is_signed ? builder.CreateAShr(result, width - 1) : zero);
    }
  }
  llvm::Value* pair = builder.CreateInsertValue(llvm::PoisonValue::get(call.getType()), result, 0);
  return builder.CreateInsertValue(pair, overflow, 1);
}

llvm::Value* saturating_shift(llvm::IRBuilder<>& builder, llvm::IntrinsicInst& call) {
  llvm::Value *a = call.getArgOperand(0), *b = call.getArgOperand(1);
  llvm::Type* type = a->getType();
  const bool is_signed = call.getIntrinsicID() == llvm::Intrinsic::sshl_sat;
  const unsigned width = type->getScalarSizeInBits();
  llvm::Value* result = builder.CreateShl(a, b);
  llvm::Value* back = is_signed ? builder.CreateAShr(result, b) : builder.CreateLShr(result, b);
  llvm::Value* most = llvm::ConstantInt::get(type, llvm::APInt::getMaxValue(width));
  if (is_signed) {
    most = builder.CreateSelect(builder.CreateICmpSLT(a, llvm::ConstantInt::get(type, 0)),
                                llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(width)),
                                llvm::ConstantInt::get(type, llvm::APInt::getSignedMaxValue(width)));
  }
  return builder.CreateSelect(builder.CreateICmpEQ(back, a), result, most);
}

/// Shifts two joined numbers, by shifts that are never too long. (LLVM would make a new function for these shifts.)
llvm::Value* shifted_together(llvm::IRBuilder<>& builder, llvm::IntrinsicInst& call) {
  llvm::Type* type = call.getType();
  const unsigned bits = type->getScalarSizeInBits();
  if (bits > 64) return nullptr;
  llvm::Value *high = call.getArgOperand(0), *low = call.getArgOperand(1);
  llvm::Value* count = builder.CreateURem(call.getArgOperand(2), llvm::ConstantInt::get(type, bits));
  llvm::Value* rest = builder.CreateSub(llvm::ConstantInt::get(type, bits - 1), count);
  if (call.getIntrinsicID() == llvm::Intrinsic::fshl) {
    return builder.CreateOr(builder.CreateShl(high, count), builder.CreateLShr(builder.CreateLShr(low, 1), rest));
  }
  return builder.CreateOr(builder.CreateLShr(low, count), builder.CreateShl(builder.CreateShl(high, 1), rest));
}

/// Exchanges the halves of a value, then the halves of each half, down to pieces of `piece` bits. LLVM would make a new
/// function to reverse bytes, and SPIR-V for OpenCL has no function that reverses bits. Returns null if the width is
/// not supported.
llvm::Value* reversed(llvm::IRBuilder<>& builder, llvm::Value* value, unsigned piece) {
  llvm::Type* type = value->getType();
  const unsigned bits = type->getScalarSizeInBits();
  if (bits > 64 || !llvm::isPowerOf2_32(bits)) return nullptr;
  for (unsigned step = bits / 2; step >= piece; step /= 2) {
    llvm::Value* low =
        llvm::ConstantInt::get(type, llvm::APInt::getSplat(bits, llvm::APInt::getLowBitsSet(2 * step, step)));
    value = builder.CreateOr(builder.CreateAnd(builder.CreateLShr(value, step), low),
                             builder.CreateShl(builder.CreateAnd(value, low), step));
  }
  return value;
}

/// Corrects `found`, which is the minimum or the maximum of `a` and `b`, so that -0 counts as less than 0. OpenCL's
/// functions may return either zero.
llvm::Value* lesser_zero(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b, bool least, llvm::Value* found) {
  llvm::Type* type = a->getType();
  llvm::Type* bits = builder.getIntNTy(type->getScalarSizeInBits());
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    bits = llvm::FixedVectorType::get(bits, vector->getNumElements());
  }
  llvm::Value *left = builder.CreateBitCast(a, bits), *right = builder.CreateBitCast(b, bits);
  llvm::Value* both = least ? builder.CreateOr(left, right) : builder.CreateAnd(left, right);
  return builder.CreateSelect(builder.CreateFCmpOEQ(a, b), builder.CreateBitCast(both, type), found);
}

/// Returns null if the intrinsic is not changed.
llvm::Value* lower_intrinsic(llvm::IRBuilder<>& builder, llvm::IntrinsicInst& call) {
  if (auto* checked = llvm::dyn_cast<llvm::WithOverflowInst>(&call)) return with_overflow(builder, *checked);
  const auto operand = [&](unsigned i) { return call.getArgOperand(i); };
  const auto unary = [&](llvm::Intrinsic::ID id) { return builder.CreateUnaryIntrinsic(id, operand(0)); };
  const auto binary = [&](llvm::Intrinsic::ID id) { return builder.CreateBinaryIntrinsic(id, operand(0), operand(1)); };
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::ushl_sat:
    case llvm::Intrinsic::sshl_sat:
      return saturating_shift(builder, call);
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
      return shifted_together(builder, call);
    case llvm::Intrinsic::bswap:
      return reversed(builder, operand(0), 8);
    case llvm::Intrinsic::bitreverse:
      return reversed(builder, operand(0), 1);
    case llvm::Intrinsic::fmuladd:
      return builder.CreateIntrinsic(llvm::Intrinsic::fma, {call.getType()}, {operand(0), operand(1), operand(2)});
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::nearbyint:
      return unary(llvm::Intrinsic::rint);
    case llvm::Intrinsic::canonicalize:
      return builder.CreateFMul(operand(0), llvm::ConstantFP::get(call.getType(), 1));
    case llvm::Intrinsic::minimumnum:
      return lesser_zero(builder, operand(0), operand(1), true, binary(llvm::Intrinsic::minnum));
    case llvm::Intrinsic::maximumnum:
      return lesser_zero(builder, operand(0), operand(1), false, binary(llvm::Intrinsic::maxnum));
    case llvm::Intrinsic::minimum:
    case llvm::Intrinsic::maximum: {
      // If one operand is a NaN, the result is a NaN.
      const bool least = call.getIntrinsicID() == llvm::Intrinsic::minimum;
      llvm::Value* found = binary(least ? llvm::Intrinsic::minnum : llvm::Intrinsic::maxnum);
      found = lesser_zero(builder, operand(0), operand(1), least, found);
      llvm::Value* none = builder.CreateFCmpUNO(operand(0), operand(1));
      return builder.CreateSelect(none, builder.CreateFAdd(operand(0), operand(1)), found);
    }
    case llvm::Intrinsic::ptrmask: {
      llvm::Value* address = builder.CreatePtrToInt(operand(0), operand(1)->getType());
      return builder.CreateIntToPtr(builder.CreateAnd(address, operand(1)), call.getType());
    }
    case llvm::Intrinsic::expect:
    case llvm::Intrinsic::expect_with_probability:
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::strip_invariant_group:
      return operand(0);
    case llvm::Intrinsic::is_constant:
      return builder.getFalse();
    default:
      return nullptr;
  }
}

bool is_droppable(const llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::invariant_start:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::donothing:
      return true;
    default:
      return false;
  }
}

/// Casts both pointers to the generic space if they are in different spaces, one of which is generic. If neither space
/// is generic, nothing overlaps: replaces `move` by a plain copy and returns null.
llvm::MemMoveInst* in_one_space(llvm::MemMoveInst& move) {
  const unsigned to = move.getDestAddressSpace(), from = move.getSourceAddressSpace();
  if (to == from) return &move;
  llvm::IRBuilder<> builder(&move);
  llvm::MemMoveInst* made = nullptr;
  if (to == generic_space || from == generic_space) {
    llvm::Type* generic = builder.getPtrTy(generic_space);
    llvm::Value* destination = builder.CreateAddrSpaceCast(move.getRawDest(), generic);
    llvm::Value* source = builder.CreateAddrSpaceCast(move.getRawSource(), generic);
    made = llvm::cast<llvm::MemMoveInst>(builder.CreateMemMove(destination, move.getDestAlign(), source,
                                                               move.getSourceAlign(), move.getLength(),
                                                               move.isVolatile()));
  } else {
    builder.CreateMemCpy(move.getRawDest(), move.getDestAlign(), move.getRawSource(), move.getSourceAlign(),
                         move.getLength(), move.isVolatile());
  }
  move.eraseFromParent();
  return made;
}

}  // namespace

void expand_moves(llvm::Function& function) {
  llvm::SmallVector<llvm::MemMoveInst*, 4> moves;
  llvm::SmallVector<llvm::MemSetInst*, 4> fills;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* move = llvm::dyn_cast<llvm::MemMoveInst>(&instruction)) moves.push_back(move);
    auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction);
    if (fill && !llvm::all_of(fill->args(), [](const llvm::Use& each) {
          return llvm::isa<llvm::Constant>(each) || each->getType()->isPointerTy();
        })) {
      fills.push_back(fill);
    }
  }
  for (llvm::MemSetInst* fill : fills) {
    llvm::expandMemSetAsLoop(fill);
    fill->eraseFromParent();
  }
  const llvm::TargetTransformInfo plain(function.getDataLayout());
  for (llvm::MemMoveInst* move : moves) {
    move = in_one_space(*move);
    if (move && llvm::expandMemMoveAsLoop(move, plain)) move->eraseFromParent();
  }
}

namespace {

// ---------------------------------------------------------------------------------------------------- truth values

/// Returns null if the instruction is not changed.
llvm::Value* lower_truth(llvm::IRBuilder<>& builder, llvm::Instruction& instruction) {
  const auto is_truth = [](const llvm::Value* value) { return value->getType()->getScalarType()->isIntegerTy(1); };
  llvm::Type* type = instruction.getType();
  if (instruction.isBinaryOp() && is_truth(&instruction)) {
    llvm::Value *a = instruction.getOperand(0), *b = instruction.getOperand(1);
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
        return builder.CreateXor(a, b);
      case llvm::Instruction::Mul:
        return builder.CreateAnd(a, b);
      case llvm::Instruction::Shl:
      case llvm::Instruction::LShr:
      case llvm::Instruction::AShr:
      case llvm::Instruction::UDiv:
      case llvm::Instruction::SDiv:
        return a;
      case llvm::Instruction::URem:
      case llvm::Instruction::SRem:
        return llvm::ConstantInt::get(type, 0);
      default:
        return nullptr;
    }
  }
  if (auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
      comparison && is_truth(comparison->getOperand(0))) {
    llvm::Value *a = comparison->getOperand(0), *b = comparison->getOperand(1);
    // True is less than false if both are signed numbers of one bit.
    switch (comparison->getPredicate()) {
      case llvm::CmpInst::ICMP_EQ:
        return builder.CreateNot(builder.CreateXor(a, b));
      case llvm::CmpInst::ICMP_NE:
        return builder.CreateXor(a, b);
      case llvm::CmpInst::ICMP_UGT:
      case llvm::CmpInst::ICMP_SLT:
        return builder.CreateAnd(a, builder.CreateNot(b));
      case llvm::CmpInst::ICMP_ULT:
      case llvm::CmpInst::ICMP_SGT:
        return builder.CreateAnd(builder.CreateNot(a), b);
      case llvm::CmpInst::ICMP_UGE:
      case llvm::CmpInst::ICMP_SLE:
        return builder.CreateOr(a, builder.CreateNot(b));
      default:
        return builder.CreateOr(builder.CreateNot(a), b);
    }
  }
  auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction);
  if (!cast) return nullptr;
  llvm::Value* from = cast->getOperand(0);
  switch (cast->getOpcode()) {
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
      if (!is_truth(from)) return nullptr;
      return builder.CreateSelect(
          from, llvm::ConstantFP::get(type, cast->getOpcode() == llvm::Instruction::SIToFP ? -1.0 : 1.0),
          llvm::ConstantFP::get(type, 0));
    case llvm::Instruction::Trunc:
      if (!is_truth(cast)) return nullptr;
      return builder.CreateICmpNE(builder.CreateAnd(from, llvm::ConstantInt::get(from->getType(), 1)),
                                  llvm::ConstantInt::get(from->getType(), 0));
    case llvm::Instruction::FPToUI:
    case llvm::Instruction::FPToSI:
      if (!is_truth(cast)) return nullptr;
      return builder.CreateFCmpUNE(from, llvm::ConstantFP::get(from->getType(), 0));
    case llvm::Instruction::BitCast: {
      // Handles vectors of bits, lowest bit first.
      if (auto* made = llvm::dyn_cast<llvm::FixedVectorType>(type);
          made && is_truth(cast) && from->getType()->isIntegerTy()) {
        llvm::Value* result = llvm::PoisonValue::get(made);
        for (unsigned i = 0; i < made->getNumElements(); ++i) {
          llvm::Value* bit = builder.CreateAnd(from, llvm::ConstantInt::get(from->getType(), std::uint64_t{1} << i));
          result = builder.CreateInsertElement(result, builder.CreateIsNotNull(bit), i);
        }
        return result;
      }
      auto* bits = llvm::dyn_cast<llvm::FixedVectorType>(from->getType());
      if (!bits || !is_truth(from) || !type->isIntegerTy()) return nullptr;
      llvm::Value* result = llvm::ConstantInt::get(type, 0);
      for (unsigned i = 0; i < bits->getNumElements(); ++i) {
        llvm::Value* bit = builder.CreateZExt(builder.CreateExtractElement(from, i), type);
        result = builder.CreateOr(result, builder.CreateShl(bit, i));
      }
      return result;
    }
    default:
      return nullptr;
  }
}

}  // namespace

void lower_instructions(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::IRBuilder<> builder(&instruction);
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call && is_droppable(*call)) {
      call->eraseFromParent();
      continue;
    }
    llvm::Value* made = call ? lower_intrinsic(builder, *call) : lower_truth(builder, instruction);
    if (!made) continue;
    instruction.replaceAllUsesWith(made);
    instruction.eraseFromParent();
  }
}

}  // namespace sinter::jit::spirv
