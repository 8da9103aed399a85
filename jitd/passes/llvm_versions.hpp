#pragma once
/// Provides parts of LLVM that older versions lack or name differently. All other code is written for the newest
/// version (docs/llvm_versions.md). If possible, older versions get the newest names here.

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/SimplifyCFGOptions.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#if LLVM_VERSION_MAJOR < 21
namespace llvm::Intrinsic {
// No intrinsic has these numbers, so comparisons with them are false.
inline constexpr ID modf = ~0u, sincospi = ~0u - 1;
#if LLVM_VERSION_MAJOR < 20
inline constexpr ID atan2 = ~0u - 2, sincos = ~0u - 3;

inline Function* getOrInsertDeclaration(Module* module, ID id, ArrayRef<Type*> types = {}) {
  return getDeclaration(module, id, types);
}
#endif
}  // namespace llvm::Intrinsic
#endif

#if LLVM_VERSION_MAJOR < 21
namespace llvm {

inline KnownBits computeKnownBits(const Value* value, const DataLayout& layout, std::nullptr_t, std::nullptr_t,
                                  std::nullptr_t, bool use_flags) {
  return computeKnownBits(value, layout, 0, nullptr, nullptr, nullptr, use_flags);
}

}  // namespace llvm
#endif

#if LLVM_VERSION_MAJOR < 20
namespace llvm {

class TargetTransformInfo;

inline bool isVectorIntrinsicWithScalarOpAtArg(Intrinsic::ID id, unsigned operand, const TargetTransformInfo*) {
  return isVectorIntrinsicWithScalarOpAtArg(id, operand);
}
inline bool isVectorIntrinsicWithOverloadTypeAtArg(Intrinsic::ID id, int operand, const TargetTransformInfo*) {
  return isVectorIntrinsicWithOverloadTypeAtArg(id, operand);
}

inline void setAtomicSyncScopeID(Instruction* instruction, SyncScope::ID scope) {
  if (auto* load = dyn_cast<LoadInst>(instruction)) load->setSyncScopeID(scope);
  if (auto* store = dyn_cast<StoreInst>(instruction)) store->setSyncScopeID(scope);
  if (auto* fence = dyn_cast<FenceInst>(instruction)) fence->setSyncScopeID(scope);
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(instruction)) exchange->setSyncScopeID(scope);
  if (auto* update = dyn_cast<AtomicRMWInst>(instruction)) update->setSyncScopeID(scope);
}

inline Type* getLoadStoreType(const Value* access) { return getLoadStoreType(const_cast<Value*>(access)); }

inline std::pair<Instruction*, Value*> SplitBlockAndInsertSimpleForLoop(Value* end, BasicBlock::iterator before) {
  return SplitBlockAndInsertSimpleForLoop(end, &*before);
}

using MetadataPredicate = std::function<bool(const Metadata*)>;

/// Copies attributes between functions of one type.
inline void CloneFunctionAttributesInto(Function* copy, const Function* function, ValueToValueMapTy&, bool) {
  copy->copyAttributesFrom(function);
}

/// The copy and the function share some metadata. Maps this metadata to itself, so that RemapInstruction does not copy
/// it.
inline void CloneFunctionMetadataInto(Function& copy, const Function& function, ValueToValueMapTy& map,
                                      RemapFlags flags, ValueMapTypeRemapper* types, ValueMaterializer* values,
                                      const MetadataPredicate* is_common) {
  DebugInfoFinder finder;
  if (DISubprogram* subprogram = function.getSubprogram()) {
    finder.processSubprogram(subprogram);
    for (const BasicBlock& block : function) {
      for (const Instruction& each : block) finder.processInstruction(*function.getParent(), each);
    }
  }
  const auto keep = [&](auto nodes) {
    for (auto* node : nodes) {
      if (node && (*is_common)(node)) map.MD().try_emplace(node, node);
    }
  };
  keep(finder.compile_units());
  keep(finder.subprograms());
  keep(finder.types());
  keep(finder.scopes());
  SmallVector<std::pair<unsigned, MDNode*>, 4> nodes;
  function.getAllMetadata(nodes);
  for (const auto& [kind, node] : nodes) copy.addMetadata(kind, *MapMetadata(node, map, flags, types, values));
}

inline void RemapInstruction(Instruction* instruction, ValueToValueMapTy& map, RemapFlags flags,
                             ValueMapTypeRemapper* types, ValueMaterializer* values, const MetadataPredicate*) {
  RemapInstruction(instruction, map, flags, types, values);
}
inline void RemapDbgRecordRange(Module* module, iterator_range<DbgRecordIterator> records, ValueToValueMapTy& map,
                                RemapFlags flags, ValueMapTypeRemapper* types, ValueMaterializer* values,
                                const MetadataPredicate*) {
  RemapDbgRecordRange(module, records, map, flags, types, values);
}

}  // namespace llvm
#endif

namespace sinter::passes {

#if LLVM_VERSION_MAJOR < 20
using variable_offsets = llvm::MapVector<llvm::Value*, llvm::APInt>;
#else
/// The type of container that GEPOperator::collectOffset fills.
using variable_offsets = llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4>;
#endif

/// Makes a number of `bits` bits from the low bits of `value`.
inline llvm::APInt low_bits(unsigned bits, std::uint64_t value) {
#if LLVM_VERSION_MAJOR < 20
  return llvm::APInt(bits, value);
#else
  return llvm::APInt(bits, value, false, /*implicitTrunc=*/true);
#endif
}

/// Converts a target to the type that functions of this LLVM version take.
#if LLVM_VERSION_MAJOR < 22
inline const std::string& target_name(const llvm::Triple& triple) { return triple.str(); }
#else
inline const llvm::Triple& target_name(const llvm::Triple& triple) { return triple; }
#endif

/// Does the same as llvm::CloneModule. Older versions clone initialisers before basic blocks, so that addresses of
/// blocks in initialisers still refer to the old module.
inline std::unique_ptr<llvm::Module> clone_module(const llvm::Module& module, llvm::ValueToValueMapTy& map,
                                                  llvm::function_ref<bool(const llvm::GlobalValue*)> is_wanted) {
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module, map, is_wanted);
#if LLVM_VERSION_MAJOR < 22
  const std::function<bool(const llvm::Constant*)> forget_blocks = [&](const llvm::Constant* constant) {
    bool names_block = llvm::isa<llvm::BlockAddress>(constant);
    if (!names_block && !llvm::isa<llvm::GlobalValue>(constant)) {
      for (const llvm::Use& operand : constant->operands())
        names_block |= forget_blocks(llvm::cast<llvm::Constant>(operand.get()));
    }
    if (names_block) map.erase(constant);
    return names_block;
  };
  for (const llvm::GlobalVariable& variable : module.globals()) {
    auto* made = llvm::cast_or_null<llvm::GlobalVariable>(map.lookup(&variable));
    if (made && made->hasInitializer() && forget_blocks(variable.getInitializer()))
      made->setInitializer(llvm::MapValue(variable.getInitializer(), map));
  }
#endif
  return copy;
}
inline std::unique_ptr<llvm::Module> clone_module(const llvm::Module& module) {
  llvm::ValueToValueMapTy map;
  return clone_module(module, map, [](const llvm::GlobalValue*) { return true; });
}

/// The size in bytes, or nothing if it is not constant.
inline std::optional<llvm::TypeSize> allocation_size(const llvm::AllocaInst& variable) {
#if LLVM_VERSION_MAJOR < 22
  // Older versions lose the bits of a size that do not fit 64 bits.
  const auto* count = llvm::dyn_cast<llvm::ConstantInt>(variable.getArraySize());
  std::uint64_t elements = count && count->getValue().isIntN(64) ? count->getZExtValue() : 0;
  llvm::Type* element = variable.getAllocatedType();
  for (; element->isArrayTy(); element = element->getArrayElementType()) {
    if (__builtin_mul_overflow(elements, element->getArrayNumElements(), &elements)) return std::nullopt;
  }
  const llvm::TypeSize size = variable.getDataLayout().getTypeAllocSize(element);
  if (!size.isScalable() && __builtin_mul_overflow(elements, size.getFixedValue(), &elements)) return std::nullopt;
#endif
  return variable.getAllocationSize(variable.getDataLayout());
}

/// The difference of two expressions, or nothing if it is unknown or not constant.
inline std::optional<llvm::APInt> constant_difference(llvm::ScalarEvolution& evolution, const llvm::SCEV* from,
                                                      const llvm::SCEV* what) {
#if LLVM_VERSION_MAJOR < 20
  const auto* difference = llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(from, what));
  return difference ? std::optional(difference->getAPInt()) : std::nullopt;
#else
  return evolution.computeConstantDifference(from, what);
#endif
}

/// Emits `or` of two numbers that have no bit in common.
inline llvm::Value* create_disjoint_or(llvm::IRBuilder<>& builder, llvm::Value* left, llvm::Value* right) {
#if LLVM_VERSION_MAJOR < 20
  llvm::Value* both = builder.CreateOr(left, right);
  if (auto* made = llvm::dyn_cast<llvm::PossiblyDisjointInst>(both)) made->setIsDisjoint(true);
  return both;
#else
  return builder.CreateOr(left, right, "", /*IsDisjoint=*/true);
#endif
}

/// Drops attributes and metadata that may be wrong if the instruction also runs for other lanes. Keeps metadata of kind
/// `kept`.
inline void drop_implied_ub(llvm::Instruction& instruction, unsigned kept) {
#if LLVM_VERSION_MAJOR < 22
  llvm::MDNode* node = instruction.getMetadata(kept);
  instruction.dropUBImplyingAttrsAndMetadata();
  instruction.setMetadata(kept, node);
#else
  instruction.dropUBImplyingAttrsAndMetadata({kept});
#endif
}

// The following functions give operands of masked loads and stores, gathers and scatters. In older versions, the
// alignment is an operand.
inline unsigned masked_address(const llvm::IntrinsicInst& access) { return access.getType()->isVoidTy() ? 1 : 0; }

#if LLVM_VERSION_MAJOR < 22
inline bool has_alignment_operand(const llvm::IntrinsicInst& access) {
  const llvm::Intrinsic::ID id = access.getIntrinsicID();
  return id != llvm::Intrinsic::masked_expandload && id != llvm::Intrinsic::masked_compressstore;
}
#else
inline bool has_alignment_operand(const llvm::IntrinsicInst&) { return false; }
#endif

inline llvm::Value* mask_of(const llvm::IntrinsicInst& access) {
  return access.getArgOperand(masked_address(access) + (has_alignment_operand(access) ? 2 : 1));
}

inline llvm::Align masked_alignment(const llvm::IntrinsicInst& access) {
  const unsigned address = masked_address(access);
  if (!has_alignment_operand(access)) return access.getParamAlign(address).valueOrOne();
  return llvm::cast<llvm::ConstantInt>(access.getArgOperand(address + 1))->getMaybeAlignValue().valueOrOne();
}

inline void set_masked_alignment(llvm::IntrinsicInst& access, llvm::Align alignment) {
  const unsigned address = masked_address(access);
  if (has_alignment_operand(access)) {
    llvm::Type* number = access.getArgOperand(address + 1)->getType();
    access.setArgOperand(address + 1, llvm::ConstantInt::get(number, alignment.value()));
    return;
  }
  access.removeParamAttr(address, llvm::Attribute::Alignment);
  access.addParamAttr(address, llvm::Attribute::getWithAlignment(access.getContext(), alignment));
}

/// Older versions emit a call for llvm.ldexp on x86, and make no vectors of loops that contain this call.
inline constexpr bool scales_in_vectors = LLVM_VERSION_MAJOR >= 22;

/// Lets switches become arithmetic. In older versions, convertSwitchToLookupTable includes this.
inline llvm::SimplifyCFGOptions with_arithmetic_switches(llvm::SimplifyCFGOptions options) {
#if LLVM_VERSION_MAJOR >= 22
  options.convertSwitchToArithmetic(true);
#endif
  return options;
}

/// Allows loads and stores under a condition, for machines that have such instructions.
inline llvm::SimplifyCFGOptions with_conditional_accesses(llvm::SimplifyCFGOptions options) {
#if LLVM_VERSION_MAJOR >= 20
  options.hoistLoadsStoresWithCondFaulting(true);
#endif
  return options;
}

/// Sets the budget for counting the iterations of a loop. Older versions have a fixed budget.
inline void set_expansion_budget(llvm::UnrollLoopOptions& options, unsigned budget) {
#if LLVM_VERSION_MAJOR >= 22
  options.SCEVExpansionBudget = budget;
#endif
}

/// Whether a comparison promises that both numbers have the same sign.
inline bool has_same_sign(const llvm::ICmpInst& compare) {
#if LLVM_VERSION_MAJOR < 20
  return (void)compare, false;
#else
  return compare.hasSameSign();
#endif
}

}  // namespace sinter::passes
