#include "atomic_accesses.hpp"

#include "address_spaces.hpp"
#include "device_calls.hpp"
#include "llvm/CodeGen/AtomicExpandUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace sinter::jit::spirv {
namespace {

llvm::Value* address_of(llvm::Instruction& atomic) {
  if (auto* access = llvm::dyn_cast<llvm::AtomicRMWInst>(&atomic)) return access->getPointerOperand();
  if (auto* access = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&atomic)) return access->getPointerOperand();
  if (!atomic.isAtomic() || llvm::isa<llvm::FenceInst>(atomic)) return nullptr;
  return llvm::getLoadStorePointerOperand(&atomic);
}

void set_address(llvm::Instruction& atomic, llvm::Value* address) {
  atomic.setOperand(llvm::isa<llvm::StoreInst>(atomic) ? 1 : 0, address);
}

}  // namespace

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

namespace {

/// Returns operands in the order of SPIR-V: the scope, then memory order and kind of memory as one number.
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

}  // namespace

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

}  // namespace sinter::jit::spirv
