#include "dead_local_stores.hpp"

#include <abi/launch_abi.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

namespace sinter::passes {
namespace {

/// Finds all accesses to local memory in an entry.
class local_memory_uses {
public:
  explicit local_memory_uses(llvm::Function& entry) : m_layout(entry.getDataLayout()) {
    m_understood = entry.arg_size() > 1 && find_roots(*entry.getArg(1));
    for (std::size_t i = 0; m_understood && i < m_pointers.size(); ++i) m_understood = follow(m_pointers[i]);
  }

  std::vector<llvm::StoreInst*> unread_stores() {
    std::vector<llvm::StoreInst*> unread;
    if (!m_understood) return unread;
    for (const access& store : m_stores) {
      if (llvm::none_of(m_reads, [&](const access& read) { return may_see(read, store); }))
        unread.push_back(llvm::cast<llvm::StoreInst>(store.instruction));
    }
    return unread;
  }

private:
  struct range {
    std::int64_t first, last;
  };
  static constexpr range anywhere{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};

  struct pointer {
    llvm::Value* value;
    std::optional<std::int64_t> offset;  ///< unset if the offset is unknown
  };
  struct access {
    llvm::Instruction* instruction;
    range bytes;
  };

  /// Finds the loads that read the pointer to local memory from the state. Returns false if the state itself is passed
  /// on.
  bool find_roots(llvm::Value& state) {
    std::vector<std::pair<llvm::Value*, std::int64_t>> addresses{{&state, 0}};
    while (!addresses.empty()) {
      const auto [address, start] = addresses.back();
      addresses.pop_back();
      for (llvm::User* user : address->users()) {
        if (auto* step = llvm::dyn_cast<llvm::GEPOperator>(user)) {
          const auto offset = constant_offset(*step, start);
          if (!offset) return false;
          addresses.push_back({step, *offset});
        } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
          if (start == offsetof(abi::nd_state, local_memory)) m_pointers.push_back({load, 0});
        } else {
          return false;
        }
      }
    }
    return true;
  }

  std::optional<std::int64_t> constant_offset(const llvm::GEPOperator& step, std::optional<std::int64_t> start) const {
    llvm::APInt distance(m_layout.getIndexTypeSizeInBits(step.getType()), 0);
    if (!start || step.getType()->isVectorTy() || !step.accumulateConstantOffset(m_layout, distance))
      return std::nullopt;
    return *start + distance.getSExtValue();
  }

  /// Returns false if the pointer is used in an unknown way. Masked accesses have an unknown offset.
  bool follow(const pointer from) {
    for (llvm::User* user : from.value->users()) {
      auto* const instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (!instruction) return false;
      if (auto* step = llvm::dyn_cast<llvm::GEPOperator>(user)) {
        m_pointers.push_back({step, constant_offset(*step, from.offset)});
      } else if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user)) {
        if (m_chosen.insert(user).second) m_pointers.push_back({user, std::nullopt});
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        if (!load->isSimple()) return false;
        m_reads.push_back({load, bytes_at(from, load->getType())});
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        if (store->getValueOperand() == from.value || !store->isSimple()) return false;
        // Stores at unknown offsets are kept. A kept store does not read memory, so other stores can still be removed.
        if (from.offset) m_stores.push_back({store, bytes_at(from, store->getValueOperand()->getType())});
      } else if (is_masked_access(*instruction)) {
        m_reads.push_back({instruction, anywhere});
      } else {
        return false;
      }
    }
    return true;
  }

  range bytes_at(const pointer& from, llvm::Type* type) const {
    const llvm::TypeSize size = m_layout.getTypeStoreSize(type);
    if (!from.offset || size.isScalable()) return anywhere;
    return {*from.offset, *from.offset + static_cast<std::int64_t>(size.getFixedValue())};
  }

  static bool is_masked_access(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call) return false;
    // The pointer has to be the accessed address, and not a value that is loaded or stored.
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::masked_load:
      case llvm::Intrinsic::masked_gather: return !call->getType()->isPtrOrPtrVectorTy();
      case llvm::Intrinsic::masked_store:
      case llvm::Intrinsic::masked_scatter: return !call->getArgOperand(0)->getType()->isPtrOrPtrVectorTy();
      default: return false;
    }
  }

  /// Whether the read may see the store. The entry may contain several versions of the kernel (forms). A read in one
  /// form does not see a store in another form.
  bool may_see(const access& read, const access& store) {
    if (read.bytes.first >= store.bytes.last || store.bytes.first >= read.bytes.last) return false;
    llvm::BasicBlock* const begin = store.instruction->getParent();
    auto [entry, is_new] = m_behind.try_emplace(begin);
    if (is_new) {
      for (llvm::BasicBlock* block : llvm::depth_first(begin)) entry->second.insert(block);
    }
    return entry->second.contains(read.instruction->getParent());
  }

  const llvm::DataLayout& m_layout;
  bool m_understood = false;
  std::vector<pointer> m_pointers;
  llvm::SmallPtrSet<llvm::Value*, 8> m_chosen;  ///< the phis and selects in m_pointers
  std::vector<access> m_reads, m_stores;
  /// For each block with a store: the blocks that may run after it, and the block itself.
  llvm::DenseMap<llvm::BasicBlock*, llvm::SmallPtrSet<llvm::BasicBlock*, 16>> m_behind;
};

}  // namespace

void remove_dead_local_stores(llvm::Function& entry) {
  // If the entry is called, it is a region (barrier_regions.hpp) that was not inlined, and other regions read its
  // stores.
  if (llvm::any_of(entry.users(), [](const llvm::User* user) { return llvm::isa<llvm::CallBase>(user); })) return;
  for (llvm::StoreInst* store : local_memory_uses(entry).unread_stores()) {
    llvm::SmallVector<llvm::WeakTrackingVH, 2> operands{store->getValueOperand(), store->getPointerOperand()};
    store->eraseFromParent();
    for (const llvm::WeakTrackingVH& operand : operands) {
      if (operand) llvm::RecursivelyDeleteTriviallyDeadInstructions(operand);
    }
  }
}

}  // namespace sinter::passes
