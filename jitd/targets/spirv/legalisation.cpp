#include "legalisation.hpp"

#include "address_spaces.hpp"
#include "atomic_accesses.hpp"
#include "device_calls.hpp"
#include "driver_guards.hpp"
#include "long_integers.hpp"
#include "matrix_units.hpp"
#include "odd_integers.hpp"
#include "plain_instructions.hpp"
#include "writable.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "targets/math_calls.hpp"
#include "targets/math_corrections.hpp"

namespace sinter::jit::spirv {
namespace {

/// Returns the call, or a correct replacement if drivers compute the function wrong.
llvm::Value* finish_call(llvm::IRBuilder<>& builder, llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands,
                         llvm::CallInst& call) {
  llvm::Function& callee = *call.getCalledFunction();
  callee.setCallingConv(llvm::CallingConv::SPIR_FUNC);
  callee.setDoesNotThrow();
  callee.setWillReturn();
  call.setCallingConv(llvm::CallingConv::SPIR_FUNC);
  return base == "ilogb" ? corrected_ilogb(builder, operands[0], &call) : &call;
}

void call_opencl_math(llvm::Module& module) {
  call_math_library(module, {opencl_name, /*returns_sine=*/true, {}, finish_call});
}

/// LLVM's SPIR-V target replaces a truncation and the extension that follows it by a single mask. If no mask is needed,
/// the target forgets the narrower type. So this function writes the mask itself, or two shifts for a sign extension.
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

bool is_choice_of_several(const llvm::Value* value) {
  return value->getType()->isAggregateType() && llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(value);
}

/// `choice` is a phi, a select or a freeze of structures. Makes the same instruction for element `i` of these
/// structures.
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

/// Splits phis and selects of structures, such as the results of compare-and-swap on several paths, because LLVM can't
/// write phis of structures.
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

/// Aligns arrays by hand, because drivers don't support large alignments of private memory.
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

/// For arguments that are passed by value (byval), lowers the alignment of accesses to the alignment that drivers
/// promise.
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
    hide_arrays(function);
    expand_moves(function);
    align_arrays(function);
    lower_atomics(function);
    split_generic_atomics(function);
    split_choices(function);
    name_atomic_accesses(function);
    lower_instructions(function);
    limit_bounds(function);
    change_kept_signs(function);
    keep_order_in_loops(function);
    lower_alignments(function);
    if (llvm::Error error = split_long_integers(function)) return error;
    if (llvm::Error error = widen_odd_integers(function)) return error;
    // The widening of truth values may have made new instructions that have to be lowered.
    lower_instructions(function);
    mask_truncations(function);
    finish_matrices(function);
  }
  return check_writable(module);
}

}  // namespace sinter::jit::spirv
