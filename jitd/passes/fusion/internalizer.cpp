#include "internalizer.hpp"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

/// The distance of an address from the start of the memory, modulo the size of the new memory. The distance is the
/// constant plus the sum of values times scales.
struct address_distance {
  llvm::APInt constant{64, 0};
  variable_offsets terms;
};

class internalizer {
public:
  internalizer(llvm::LoadInst& pointer, const replacement_memory& memory)
      : m_pointer(pointer), m_function(*pointer.getFunction()), m_memory(memory),
        m_layout(pointer.getModule()->getDataLayout()) {}

  std::string run() {
    if (std::string why = inline_callees(); !why.empty()) return why;
    if (std::string why = collect(); !why.empty()) return why;
    replace();
    return {};
  }

private:
  static bool passes_on(const llvm::Instruction* user) {
    return llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst, llvm::FreezeInst, llvm::BitCastInst,
                     llvm::AddrSpaceCastInst>(user);
  }

  /// The user's promise may be wrong. Even then, no access may write past the end of the new memory.
  bool too_large(llvm::Type* type) const { return m_layout.getTypeStoreSize(type).getKnownMinValue() > m_memory.bytes; }
  static constexpr const char* larger = "an access that is larger than the new memory";

  /// Inlines the functions that get the pointer as an argument.
  std::string inline_callees() {
    for (unsigned round = 0; round < 64; ++round) {
      llvm::CallBase* found = nullptr;
      llvm::SmallVector<llvm::Value*, 16> work{&m_pointer};
      llvm::SmallPtrSet<llvm::Value*, 16> seen;
      while (!work.empty() && !found) {
        for (llvm::User* user : work.pop_back_val()->users()) {
          auto* instruction = llvm::cast<llvm::Instruction>(user);
          if (!seen.insert(instruction).second) continue;
          auto* call = llvm::dyn_cast<llvm::CallBase>(instruction);
          if (call && !llvm::isa<llvm::IntrinsicInst>(call)) {
            if (!call->getCalledFunction()) return "the pointer is handed to an indirect call";
            if (call->getCalledFunction()->isDeclaration()) {
              return "the pointer is handed to '" + call->getCalledFunction()->getName().str() + "'";
            }
            found = call;
            break;
          }
          if (passes_on(instruction)) work.push_back(instruction);
        }
      }
      if (!found) return {};
      llvm::InlineFunctionInfo info;
      if (!llvm::InlineFunction(*found, info).isSuccess())
        return "a function the pointer is handed to can't be inlined";
    }
    return "the pointer goes through recursive functions";
  }

  /// Finds all pointers derived from the argument and all accesses through them.
  std::string collect() {
    llvm::SmallVector<llvm::Value*, 16> work{&m_pointer};
    m_derived.insert(&m_pointer);
    while (!work.empty()) {
      for (llvm::Use& use : work.pop_back_val()->uses()) {
        auto* user = llvm::cast<llvm::Instruction>(use.getUser());
        if (passes_on(user)) {
          if (m_derived.insert(user)) work.push_back(user);
          continue;
        }
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
          if (load->isVolatile()) return "a volatile access";
          if (too_large(load->getType())) return larger;
        } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
          if (use.getOperandNo() != llvm::StoreInst::getPointerOperandIndex()) return "the pointer is stored to memory";
          if (store->isVolatile()) return "a volatile access";
          if (too_large(store->getValueOperand()->getType())) return larger;
        } else if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(user)) {
          auto* length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
          if (memory->isVolatile() || !length || length->getZExtValue() > m_memory.bytes) {
            return "a block copy of unknown or larger size";
          }
        } else if (llvm::isa<llvm::LifetimeIntrinsic, llvm::AssumeInst>(user)) {
          m_dropped.insert(user);
          continue;
        } else if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(user)) {
          if (use.getOperandNo() != 0) return "the pointer is stored to memory";
          if (too_large(user->getOperand(1)->getType())) return larger;
        } else if (llvm::isa<llvm::ICmpInst>(user)) {
          return "the pointer is compared";
        } else if (llvm::isa<llvm::PtrToIntInst>(user)) {
          return "the pointer becomes an integer";
        } else {
          return std::string("the pointer is used by '") + user->getOpcodeName() + "'";
        }
        m_accesses.push_back(&use);
      }
    }
    for (llvm::Value* value : m_derived) {
      if (!llvm::isa<llvm::PHINode, llvm::SelectInst>(value)) continue;
      auto* user = llvm::cast<llvm::User>(value);
      for (llvm::Value* operand : user->operands()) {
        if (operand->getType()->isPointerTy() && !m_derived.contains(operand))
          return "the pointer is mixed with another one";
      }
    }
    return {};
  }

  llvm::Value* materialise(const address_distance& from, llvm::IRBuilder<>& builder) {
    llvm::Value* sum = builder.getInt(from.constant);
    for (const auto& [value, scale] : from.terms) {
      llvm::Value* wide = builder.CreateSExtOrTrunc(value, builder.getInt64Ty());
      sum = builder.CreateAdd(sum, builder.CreateMul(wide, builder.getInt(scale)));
    }
    return sum;
  }

  /// Splits sums and products with constants, so that multiples of the modulus disappear. For example, (i * 3 + k) * 8
  /// modulo 24 becomes k * 8.
  static void add_index(address_distance& to, llvm::Value* index, const llvm::APInt& scale, unsigned depth = 0) {
    using namespace llvm::PatternMatch;
    llvm::Value *a, *b;
    const llvm::APInt* factor;
    if (index->getType()->isIntegerTy(64) && depth < 8) {
      if (match(index, m_APInt(factor))) {
        to.constant += *factor * scale;
        return;
      }
      if (match(index, m_Mul(m_Value(a), m_APInt(factor)))) return add_index(to, a, scale * *factor, depth + 1);
      if (match(index, m_Shl(m_Value(a), m_APInt(factor))) && factor->ult(64)) {
        return add_index(to, a, scale.shl(*factor), depth + 1);
      }
      const bool is_sum = match(index, m_AddLike(m_Value(a), m_Value(b)));
      if (is_sum || match(index, m_Sub(m_Value(a), m_Value(b)))) {
        add_index(to, a, scale, depth + 1);
        return add_index(to, b, is_sum ? scale : -scale, depth + 1);
      }
    }
    auto [known, inserted] = to.terms.insert({index, scale});
    if (!inserted) known->second += scale;
  }

  /// Phis and selects of pointers become phis and selects of distances.
  address_distance distance_of(llvm::Value* pointer) {
    address_distance result;
    if (pointer == &m_pointer) return result;
    if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer)) {
      result = distance_of(gep->getPointerOperand());
      variable_offsets variable;
      llvm::APInt constant(64, 0);
      gep->collectOffset(m_layout, 64, variable, constant);
      result.constant += constant;
      for (const auto& [value, scale] : variable) add_index(result, value, scale);
      return result;
    }
    if (llvm::isa<llvm::PHINode, llvm::SelectInst>(pointer)) {
      result.terms.insert({merged_distance(llvm::cast<llvm::Instruction>(pointer)), llvm::APInt(64, 1)});
      return result;
    }
    return distance_of(llvm::cast<llvm::Instruction>(pointer)->getOperand(0));
  }

  /// Makes all phis before any select, because a select may depend on itself through phis.
  void make_phis() {
    llvm::SmallVector<llvm::PHINode*, 4> old;
    for (llvm::Value* value : m_derived) {
      auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
      if (!phi) continue;
      llvm::IRBuilder<> builder(phi);
      m_merged[phi] = builder.CreatePHI(builder.getInt64Ty(), phi->getNumIncomingValues());
      old.push_back(phi);
    }
    for (llvm::PHINode* phi : old) {
      auto* result = llvm::cast<llvm::PHINode>(m_merged[phi]);
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        llvm::IRBuilder<> at_end(phi->getIncomingBlock(i)->getTerminator());
        // If a block has several edges to the phi's block, all of them need the same value.
        const int earlier = result->getBasicBlockIndex(phi->getIncomingBlock(i));
        result->addIncoming(earlier >= 0 ? result->getIncomingValue(static_cast<unsigned>(earlier))
                                         : materialise(distance_of(phi->getIncomingValue(i)), at_end),
                            phi->getIncomingBlock(i));
      }
    }
  }

  llvm::Value* merged_distance(llvm::Instruction* merge) {
    if (llvm::Value* known = m_merged.lookup(merge)) return known;
    auto* select = llvm::cast<llvm::SelectInst>(merge);
    llvm::IRBuilder<> builder(merge);
    llvm::Value* yes = materialise(distance_of(select->getTrueValue()), builder);
    llvm::Value* no = materialise(distance_of(select->getFalseValue()), builder);
    return m_merged[merge] = builder.CreateSelect(select->getCondition(), yes, no);
  }

  llvm::Value* new_memory() {
    llvm::IRBuilder<> builder(&*m_function.getEntryBlock().begin());
    if (m_memory.kind == promotion::private_memory) {
      auto* type = llvm::ArrayType::get(builder.getInt8Ty(), m_memory.bytes);
      llvm::AllocaInst* memory = builder.CreateAlloca(type, nullptr, "promoted");
      memory->setAlignment(llvm::Align(16));
      return memory;
    }
    llvm::FunctionCallee base = m_pointer.getModule()->getOrInsertFunction("__sinter_local_base", builder.getPtrTy());
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), builder.CreateCall(base), m_memory.local_offset,
                                              "promoted");
  }

  void replace() {
    llvm::Value* memory = new_memory();
    make_phis();
    const llvm::APInt size(64, m_memory.bytes);
    for (llvm::Use* use : m_accesses) {
      auto* access = llvm::cast<llvm::Instruction>(use->getUser());
      address_distance at = distance_of(use->get());
      // Multiples of the size are dropped, which does not change the remainder. The rest of the sum may be negative.
      const address_distance whole = at;
      at.constant = at.constant.srem(size);
      if (at.constant.isNegative()) at.constant += size;
      at.terms.remove_if([&](const auto& term) { return term.second.srem(size).isZero(); });
      const bool same = at.constant == whole.constant && at.terms.size() == whole.terms.size();
      const bool may_be_negative = !same && !size.isPowerOf2();
      llvm::IRBuilder<> builder(access);
      llvm::Value* offset = builder.getInt(at.constant);
      if (!at.terms.empty()) {
        llvm::Value* sum = materialise(at, builder);
        offset = may_be_negative ? builder.CreateSRem(sum, builder.getInt(size))
                                 : builder.CreateURem(sum, builder.getInt(size));
        if (may_be_negative) {
          llvm::Value* negative = builder.CreateICmpSLT(offset, builder.getInt64(0));
          offset = builder.CreateSelect(negative, builder.CreateAdd(offset, builder.getInt(size)), offset);
        }
      }
      use->set(builder.CreateInBoundsPtrAdd(memory, offset));
      relax_alignment(*access);
    }
    for (llvm::Instruction* dropped : m_dropped) dropped->eraseFromParent();
    for (llvm::Value* value : llvm::reverse(m_derived)) {
      auto* instruction = llvm::cast<llvm::Instruction>(value);
      if (instruction != &m_pointer) instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
    }
    for (llvm::Value* value : llvm::reverse(m_derived)) {
      if (value != &m_pointer) llvm::cast<llvm::Instruction>(value)->eraseFromParent();
    }
  }

  /// Drops alignment and metadata that hold for the old address but not for the new one.
  void relax_alignment(llvm::Instruction& access) {
    const llvm::Align bound = llvm::commonAlignment(llvm::Align(16), m_memory.bytes);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) {
      load->setAlignment(std::min(load->getAlign(), bound));
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, nullptr);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&access)) {
      store->setAlignment(std::min(store->getAlign(), bound));
    } else if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&access)) {
      memory->setDestAlignment(std::min(memory->getDestAlign().valueOrOne(), bound));
      if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory)) {
        copy->setSourceAlignment(std::min(copy->getSourceAlign().valueOrOne(), bound));
      }
    }
    access.setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
    access.setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
  }

  llvm::LoadInst& m_pointer;
  llvm::Function& m_function;
  replacement_memory m_memory;
  const llvm::DataLayout& m_layout;
  llvm::SetVector<llvm::Value*> m_derived;
  llvm::SmallVector<llvm::Use*, 16> m_accesses;
  llvm::SmallSetVector<llvm::Instruction*, 4> m_dropped;
  llvm::DenseMap<llvm::Instruction*, llvm::Value*> m_merged;
};

} // namespace

std::string internalize(llvm::LoadInst& pointer, const replacement_memory& memory) {
  return internalizer(pointer, memory).run();
}

} // namespace sinter::passes
