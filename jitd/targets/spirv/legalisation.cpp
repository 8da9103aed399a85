#include "legalisation.hpp"

#include <abi/gpu_launch.hpp>
#include <cmath>
#include <cstddef>
#include <limits>

#include "address_spaces.hpp"
#include "device_calls.hpp"
#include "long_integers.hpp"
#include "odd_integers.hpp"
#include "writable.hpp"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/CodeGen/AtomicExpandUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"
#include "targets/math_calls.hpp"

namespace sinter::jit::spirv {
namespace {

/// Returns the call, or a correct replacement where drivers are wrong.
llvm::Value* finish_call(llvm::IRBuilder<>& builder, llvm::StringRef base, llvm::CallInst& call) {
  llvm::Function& callee = *call.getCalledFunction();
  callee.setCallingConv(llvm::CallingConv::SPIR_FUNC);
  callee.setDoesNotThrow();
  callee.setWillReturn();
  call.setCallingConv(llvm::CallingConv::SPIR_FUNC);
  if (base != "ilogb") return &call;
  // FP_ILOGBNAN is the host's.
  llvm::Value* none = builder.CreateFCmpUNO(call.getArgOperand(0), call.getArgOperand(0));
  return builder.CreateSelect(none, builder.getInt32(static_cast<std::uint32_t>(FP_ILOGBNAN)), &call);
}

void call_opencl_math(llvm::Module& module) {
  call_math_library(module, {opencl_name, /*returns_sine=*/true, {}, finish_call});
}

// ---------------------------------------------------------------------------------------------------- intrinsics

/// {result, whether it does not fit}.
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

/// Shifts two numbers as one, by shifts that are never too long, because LLVM makes a function of its own for them.
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

/// Halves change places, then their halves, down to pieces of `piece` bits: LLVM makes a function of its own for bytes,
/// and SPIR-V for OpenCL has none for bits. Null: the width is not supported.
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

/// `found`, the least or the greatest of both, but -0 is less than 0 here: OpenCL's functions give either of them.
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

/// Null: the intrinsic stays.
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
      // NaN wins.
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

/// Null: nothing overlaps, and it is a plain copy now.
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

/// Expands copies that may overlap, which SPIR-V lacks; and fills for which LLVM makes functions of its own.
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

// ---------------------------------------------------------------------------------------------------- truth values

/// Null: the instruction stays.
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
    // True is the smallest signed value.
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
      // Bits of a vector, lowest first.
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

bool is_meeting(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && call->isConvergent();
}

/// Whether the value, or something computed from it, may be used across a call at which work-items meet.
bool is_kept(llvm::Instruction& value) {
  llvm::SetVector<llvm::Instruction*> values;
  values.insert(&value);
  for (unsigned i = 0; i < values.size(); ++i) {
    for (llvm::User* user : values[i]->users()) {
      auto* reader = llvm::cast<llvm::Instruction>(user);
      if (reader->getParent() != values[i]->getParent() || llvm::isa<llvm::PHINode>(reader)) return true;
      for (const llvm::Instruction* each = values[i]; each != reader; each = each->getNextNode()) {
        if (is_meeting(*each)) return true;
      }
      if (!reader->getType()->isVoidTy()) values.insert(reader);
    }
  }
  return false;
}

/// Behind a barrier, Intel's driver for CPUs computes cheap values again. If that is a negation, it takes another
/// work-item's value, or crashes (docs/opencl_defects.md). So the sign bit is changed by a mask that the driver can't
/// know; with a known mask it would make a negation of that.
void change_kept_signs(llvm::Function& kernel) {
  if (kernel.getCallingConv() != llvm::CallingConv::SPIR_KERNEL) return;
  if (llvm::none_of(llvm::instructions(kernel), is_meeting)) return;
  llvm::Value* none = nullptr;  // 0, since no range has so many work-items
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    if (instruction.getOpcode() != llvm::Instruction::FNeg || !is_kept(instruction)) continue;
    if (!none) {
      llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
      llvm::Value* range = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), kernel.getArg(1),
                                                              offsetof(abi::gpu_geometry, global_range[2]));
      none = builder.CreateLShr(builder.CreateAlignedLoad(builder.getInt64Ty(), range, llvm::Align(8)), 63);
    }
    llvm::IRBuilder<> builder(&instruction);
    llvm::Type* type = instruction.getType();
    const unsigned width = type->getScalarSizeInBits();
    llvm::Type* bits = builder.getIntNTy(width);
    llvm::Value* sign = builder.CreateXor(builder.CreateTrunc(none, bits), llvm::APInt::getSignMask(width));
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
      sign = builder.CreateVectorSplat(vector->getNumElements(), sign);
    }
    llvm::Value* changed = builder.CreateXor(builder.CreateBitCast(instruction.getOperand(0), sign->getType()), sign);
    instruction.replaceAllUsesWith(builder.CreateBitCast(changed, type));
    instruction.eraseFromParent();
  }
}

bool is_id(const llvm::Value* value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && llvm::is_contained({"_Z13get_global_idj", "_Z12get_local_idj"}, callee->getName());
}

/// Intel's driver for CPUs makes smaller ranges of guards that compare ids with bounds, and takes a bound for a signed
/// number (docs/opencl_defects.md). No id is larger than the largest signed number, so that is the largest bound.
void limit_bounds(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (!comparison || !comparison->isUnsigned() || !comparison->getOperand(0)->getType()->isIntegerTy(64)) continue;
    for (unsigned i = 0; i < 2; ++i) {
      llvm::Value* bound = comparison->getOperand(1 - i);
      if (!is_id(comparison->getOperand(i)) || llvm::isKnownNonNegative(bound, function.getDataLayout())) continue;
      llvm::IRBuilder<> builder(comparison);
      llvm::Value* most = builder.getInt64(std::numeric_limits<std::int64_t>::max());
      comparison->setOperand(1 - i, builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, bound, most));
    }
  }
}

/// LLVM's target makes one mask of a truncation that is extended again, and forgets the narrower type where that has no
/// mask: the mask, or two shifts, stand here already.
void mask_truncations(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* extended = llvm::dyn_cast<llvm::CastInst>(&instruction);
    auto* narrowed = extended ? llvm::dyn_cast<llvm::TruncInst>(extended->getOperand(0)) : nullptr;
    const bool is_signed = llvm::isa<llvm::SExtInst>(instruction);
    const bool extends = is_signed || llvm::isa<llvm::ZExtInst>(instruction);
    if (!narrowed || !extends || narrowed->getType()->isIntOrIntVectorTy(1)) continue;
    llvm::IRBuilder<> builder(extended);
    llvm::Value* from = narrowed->getOperand(0);
    const unsigned width = from->getType()->getScalarSizeInBits(), kept = narrowed->getType()->getScalarSizeInBits();
    llvm::Value* made = is_signed ? builder.CreateAShr(builder.CreateShl(from, width - kept), width - kept)
                                  : builder.CreateAnd(from, llvm::APInt::getLowBitsSet(width, kept));
    made = is_signed ? builder.CreateSExtOrTrunc(made, extended->getType())
                     : builder.CreateZExtOrTrunc(made, extended->getType());
    extended->replaceAllUsesWith(made);
    extended->eraseFromParent();
    if (narrowed->use_empty()) narrowed->eraseFromParent();
  }
}

// ---------------------------------------------------------------------------------------------------- memory

llvm::Value* address_of(llvm::Instruction& atomic) {
  if (auto* access = llvm::dyn_cast<llvm::AtomicRMWInst>(&atomic)) return access->getPointerOperand();
  if (auto* access = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&atomic)) return access->getPointerOperand();
  if (!atomic.isAtomic() || llvm::isa<llvm::FenceInst>(atomic)) return nullptr;
  return llvm::getLoadStorePointerOperand(&atomic);
}

void set_address(llvm::Instruction& atomic, llvm::Value* address) {
  atomic.setOperand(llvm::isa<llvm::StoreInst>(atomic) ? 1 : 0, address);
}

/// Drivers take atomics of memory that is known to be global or local. "Is it global" is the question, never "is it
/// local": drivers for CPUs say yes to both, and their atomics of local memory hold within one thread only.
void split_generic_atomics(llvm::Function& function) {
  llvm::SmallVector<llvm::Instruction*, 8> atomics;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    llvm::Value* address = address_of(instruction);
    if (address && address->getType()->getPointerAddressSpace() == generic_space) atomics.push_back(&instruction);
  }
  for (llvm::Instruction* atomic : atomics) {
    llvm::IRBuilder<> builder(atomic);
    llvm::Type* global = builder.getPtrTy(global_space);
    llvm::Type* local = builder.getPtrTy(local_space);
    llvm::Value* address = address_of(*atomic);
    llvm::Value* in_global = call_builtin(*atomic, "_Z41__spirv_GenericCastToPtrExplicit_ToGlobalPvi", global,
                                          {address, builder.getInt32(5)}, /*is_pure=*/true);
    llvm::Value* is_global =
        builder.CreateICmpNE(in_global, llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(global)));
    llvm::Instruction *then = nullptr, *otherwise = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(is_global, atomic, &then, &otherwise);
    llvm::Instruction* of_global = atomic->clone();
    of_global->insertBefore(then->getIterator());
    set_address(*of_global, in_global);
    builder.SetInsertPoint(otherwise);
    llvm::Instruction* of_local = atomic->clone();
    llvm::Value* in_local = builder.CreateAddrSpaceCast(address, local);
    of_local->insertBefore(otherwise->getIterator());
    set_address(*of_local, in_local);
    if (!atomic->getType()->isVoidTy()) {
      builder.SetInsertPoint(atomic);
      llvm::PHINode* result = builder.CreatePHI(atomic->getType(), 2);
      result->addIncoming(of_local, of_local->getParent());
      result->addIncoming(of_global, of_global->getParent());
      atomic->replaceAllUsesWith(result);
    }
    atomic->eraseFromParent();
  }
}

/// Uses the sizes that drivers support: integers of 32 and 64 bits.
void lower_atomics(llvm::Function& function) {
  llvm::SmallVector<llvm::Instruction*, 8> atomics;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.isAtomic()) atomics.push_back(&instruction);
  }
  const auto compare_and_swap = [](llvm::IRBuilderBase& builder, llvm::Value* address, llvm::Value* loaded,
                                   llvm::Value* wanted, llvm::Align align, llvm::AtomicOrdering order,
                                   llvm::SyncScope::ID scope, llvm::Value*& success, llvm::Value*& seen,
                                   llvm::Instruction*) {
    llvm::Type* type = wanted->getType();
    llvm::Type* bits = builder.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits()));
    const auto as_bits = [&](llvm::Value* value) { return type == bits ? value : builder.CreateBitCast(value, bits); };
    llvm::Value* pair = builder.CreateAtomicCmpXchg(address, as_bits(loaded), as_bits(wanted), align, order,
                                                    llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order), scope);
    success = builder.CreateExtractValue(pair, 1);
    seen = builder.CreateExtractValue(pair, 0);
    if (type != bits) seen = builder.CreateBitCast(seen, type);
  };
  for (llvm::Instruction* atomic : atomics) {
    llvm::IRBuilder<> builder(atomic);
    const auto bits_of = [&](llvm::Type* type) {
      return builder.getIntNTy(static_cast<unsigned>(function.getDataLayout().getTypeSizeInBits(type)));
    };
    if (auto* access = llvm::dyn_cast<llvm::AtomicRMWInst>(atomic)) {
      const auto operation = access->getOperation();
      if (operation == llvm::AtomicRMWInst::Xchg && !access->getType()->isIntegerTy()) {
        llvm::Type* type = access->getType();
        llvm::Type* bits = bits_of(type);
        llvm::Value* value = access->getValOperand();
        value = type->isPointerTy() ? builder.CreatePtrToInt(value, bits) : builder.CreateBitCast(value, bits);
        llvm::Value* old = builder.CreateAtomicRMW(operation, access->getPointerOperand(), value, access->getAlign(),
                                                   access->getOrdering(), access->getSyncScopeID());
        old = type->isPointerTy() ? builder.CreateIntToPtr(old, type) : builder.CreateBitCast(old, type);
        access->replaceAllUsesWith(old);
        access->eraseFromParent();
      } else if (access->isFloatingPointOperation() || operation == llvm::AtomicRMWInst::Nand ||
                 operation >= llvm::AtomicRMWInst::UIncWrap) {
        llvm::expandAtomicRMWToCmpXchg(access, compare_and_swap);
      }
      continue;
    }
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(atomic); load && !load->getType()->isIntegerTy()) {
      llvm::Type* type = load->getType();
      llvm::LoadInst* made = builder.CreateAlignedLoad(bits_of(type), load->getPointerOperand(), load->getAlign());
      made->setAtomic(load->getOrdering(), load->getSyncScopeID());
      load->replaceAllUsesWith(type->isPointerTy() ? builder.CreateIntToPtr(made, type)
                                                   : builder.CreateBitCast(made, type));
      load->eraseFromParent();
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(atomic);
               store && !store->getValueOperand()->getType()->isIntegerTy()) {
      llvm::Value* value = store->getValueOperand();
      llvm::Type* bits = bits_of(value->getType());
      value =
          value->getType()->isPointerTy() ? builder.CreatePtrToInt(value, bits) : builder.CreateBitCast(value, bits);
      store->setOperand(0, value);
    } else if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(atomic);
               swap && swap->getNewValOperand()->getType()->isPointerTy()) {
      llvm::Type* type = swap->getNewValOperand()->getType();
      llvm::Type* bits = bits_of(type);
      llvm::AtomicCmpXchgInst* made = builder.CreateAtomicCmpXchg(
          swap->getPointerOperand(), builder.CreatePtrToInt(swap->getCompareOperand(), bits),
          builder.CreatePtrToInt(swap->getNewValOperand(), bits), swap->getAlign(), swap->getSuccessOrdering(),
          swap->getFailureOrdering(), swap->getSyncScopeID());
      llvm::Value* seen = builder.CreateIntToPtr(builder.CreateExtractValue(made, 0), type);
      llvm::Value* pair = builder.CreateInsertValue(llvm::PoisonValue::get(swap->getType()), seen, 0);
      swap->replaceAllUsesWith(builder.CreateInsertValue(pair, builder.CreateExtractValue(made, 1), 1));
      swap->eraseFromParent();
    }
  }
}

bool is_choice_of_several(const llvm::Value* value) {
  return value->getType()->isAggregateType() && llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(value);
}

/// Makes the same choice among the pieces with number `i`.
llvm::Value* choose_piece(llvm::Instruction& choice, unsigned i) {
  llvm::IRBuilder<> builder(&choice);
  const auto piece_of = [&](llvm::Value* whole) {
    llvm::Value* inserted = llvm::FindInsertedValue(whole, {i});
    return inserted ? inserted : builder.CreateExtractValue(whole, i);
  };
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&choice)) {
    llvm::Value* chosen = piece_of(select->getTrueValue());
    return builder.CreateSelect(select->getCondition(), chosen, piece_of(select->getFalseValue()));
  }
  auto* phi = llvm::dyn_cast<llvm::PHINode>(&choice);
  if (!phi) return builder.CreateFreeze(piece_of(choice.getOperand(0)));
  llvm::Type* type = llvm::ExtractValueInst::getIndexedType(phi->getType(), {i});
  llvm::PHINode* made = builder.CreatePHI(type, phi->getNumIncomingValues());
  llvm::SmallDenseMap<llvm::BasicBlock*, llvm::Value*, 8> known;
  for (unsigned j = 0; j < phi->getNumIncomingValues(); ++j) {
    llvm::BasicBlock* block = phi->getIncomingBlock(j);
    builder.SetInsertPoint(block->getTerminator());
    llvm::Value*& piece = known[block];
    if (!piece) piece = piece_of(phi->getIncomingValue(j));
    made->addIncoming(piece, block);
  }
  return made;
}

/// Splits choices of several values at once, such as those of compare-and-swap on several ways: LLVM can't write phis
/// of them.
void split_choices(llvm::Function& function) {
  llvm::SmallVector<llvm::Instruction*, 8> choices;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_choice_of_several(&instruction)) choices.push_back(&instruction);
  }
  llvm::SmallVector<llvm::WeakTrackingVH, 8> wholes;
  while (!choices.empty()) {
    llvm::Instruction* choice = choices.pop_back_val();
    llvm::Type* type = choice->getType();
    llvm::SmallVector<llvm::Value*, 2> pieces;
    const std::uint64_t count = type->isStructTy() ? type->getStructNumElements() : type->getArrayNumElements();
    for (unsigned i = 0; i < count; ++i) {
      pieces.push_back(choose_piece(*choice, i));
      if (is_choice_of_several(pieces[i])) choices.push_back(llvm::cast<llvm::Instruction>(pieces[i]));
    }
    for (llvm::User* user : llvm::make_early_inc_range(choice->users())) {
      auto* taken = llvm::dyn_cast<llvm::ExtractValueInst>(user);
      if (!taken || taken->getNumIndices() != 1) continue;
      taken->replaceAllUsesWith(pieces[taken->getIndices()[0]]);
      taken->eraseFromParent();
    }
    llvm::IRBuilder<> builder(choice);
    if (llvm::isa<llvm::PHINode>(choice)) {
      builder.SetInsertPoint(choice->getParent(), choice->getParent()->getFirstInsertionPt());
    }
    llvm::Value* whole = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < count; ++i) wholes.push_back(whole = builder.CreateInsertValue(whole, pieces[i], i));
    choice->replaceAllUsesWith(whole);
    choice->eraseFromParent();
  }
  for (llvm::WeakTrackingVH& whole : llvm::reverse(wholes)) {
    auto* instruction = llvm::dyn_cast_or_null<llvm::Instruction>(static_cast<llvm::Value*>(whole));
    if (instruction && instruction->use_empty()) instruction->eraseFromParent();
  }
}

/// The operands have the order of SPIR-V: scope, then order and kind of memory.
llvm::SmallVector<llvm::Value*, 2> semantics_of(llvm::IRBuilder<>& builder, llvm::AtomicOrdering order,
                                                unsigned space) {
  enum : unsigned {
    cross_device = 0,
    acquire = 2,
    release = 4,
    in_sequence = 16,
    of_groups = 0x100,
    across_groups = 0x200
  };
  unsigned semantics = space == local_space ? of_groups : across_groups;
  switch (order) {
    case llvm::AtomicOrdering::Acquire:
      semantics |= acquire;
      break;
    case llvm::AtomicOrdering::Release:
      semantics |= release;
      break;
    case llvm::AtomicOrdering::SequentiallyConsistent:
      semantics |= in_sequence;
      break;
    default:
      semantics = 0;
  }
  return {builder.getInt32(cross_device), builder.getInt32(semantics)};
}

/// LLVM writes atomic loads and stores as plain ones, which drivers move out of loops.
void name_atomic_accesses(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
    if (!address || !instruction.isAtomic()) continue;
    const unsigned space = address->getType()->getPointerAddressSpace();
    llvm::Type* type = llvm::getLoadStoreType(&instruction);
    if (!type->isIntegerTy(32) && !type->isIntegerTy(64)) continue;
    const std::string of = "PU3AS" + std::to_string(space) + (type->isIntegerTy(64) ? "l" : "i");
    llvm::IRBuilder<> builder(&instruction);
    llvm::SmallVector<llvm::Value*, 4> operands{address};
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      operands.append(semantics_of(builder, load->getOrdering(), space));
      load->replaceAllUsesWith(
          call_builtin(*load, "_Z18__spirv_AtomicLoad" + of + "ii", type, operands, /*is_pure=*/false));
    } else {
      auto* store = llvm::cast<llvm::StoreInst>(&instruction);
      operands.append(semantics_of(builder, store->getOrdering(), space));
      operands.push_back(store->getValueOperand());
      call_builtin(*store, "_Z19__spirv_AtomicStore" + of + "iij", builder.getVoidTy(), operands, /*is_pure=*/false);
    }
    instruction.eraseFromParent();
  }
}

/// Drivers don't know larger alignments of private memory.
void align_arrays(llvm::Function& function) {
  constexpr std::uint64_t most = 128;
  llvm::SmallVector<llvm::AllocaInst*, 4> arrays;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (array && array->getAlign().value() > most) arrays.push_back(array);
  }
  for (llvm::AllocaInst* array : arrays) {
    const std::uint64_t align = array->getAlign().value();
    const std::optional<llvm::TypeSize> bytes = array->getAllocationSize(function.getDataLayout());
    if (!bytes) continue;
    llvm::IRBuilder<> builder(array);
    llvm::Type* memory = llvm::ArrayType::get(builder.getInt8Ty(), bytes->getFixedValue() + align);
    llvm::AllocaInst* larger = builder.CreateAlloca(memory);
    larger->setAlignment(llvm::Align(most));
    llvm::Value* address = builder.CreatePtrToInt(larger, builder.getInt64Ty());
    llvm::Value* surplus = builder.CreateAnd(builder.CreateNeg(address), align - 1);
    array->replaceAllUsesWith(builder.CreatePtrAdd(larger, surplus));
    array->eraseFromParent();
  }
}

/// Drivers promise no larger alignment for arguments by value.
void lower_alignments(llvm::Function& function) {
  for (llvm::Argument& each : function.args()) {
    if (!each.hasByValAttr()) continue;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load && load->getAlign() > 8 && load->getPointerOperand()->stripInBoundsConstantOffsets() == &each) {
        load->setAlignment(llvm::Align(8));
      }
    }
  }
}

void expand_constants(llvm::Module& module) {
  llvm::SmallVector<llvm::Constant*, 16> variables;
  for (llvm::GlobalVariable& variable : module.globals()) variables.push_back(&variable);
  llvm::convertUsersOfConstantsToInstructions(variables);
}

}  // namespace

llvm::Error legalise(llvm::Module& module) {
  call_opencl_math(module);
  expand_constants(module);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    expand_moves(function);
    align_arrays(function);
    lower_atomics(function);
    split_generic_atomics(function);
    split_choices(function);
    name_atomic_accesses(function);
    lower_instructions(function);
    limit_bounds(function);
    change_kept_signs(function);
    lower_alignments(function);
    if (llvm::Error error = split_long_integers(function)) return error;
    if (llvm::Error error = widen_odd_integers(function)) return error;
    // Widening of truth values has left such instructions.
    lower_instructions(function);
    mask_truncations(function);
  }
  return check_writable(module);
}

}  // namespace sinter::jit::spirv
