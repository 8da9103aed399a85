#include "dead_local_stores.hpp"

#include <abi/launch_abi.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

namespace sinter::passes {
namespace {

/// All that happens to local memory in an entry.
class local_memory_uses {
public:
  explicit local_memory_uses(llvm::Function& entry) : m_layout(entry.getDataLayout()) {
    m_understood = entry.arg_size() > 1 && find_roots(*entry.getArg(1));
    for (std::size_t i = 0; m_understood && i < m_pointers.size(); ++i) m_understood = follow(m_pointers[i]);
  }

  std::vector<llvm::StoreInst*> unread_stores() const {
    std::vector<llvm::StoreInst*> unread;
    if (!m_understood) return unread;
    for (const auto& [store, bytes] : m_stores) {
      const bool read = llvm::any_of(m_reads, [&, &bytes = bytes](const range& each) {
        return each.first < bytes.last && bytes.first < each.last;
      });
      if (!read) unread.push_back(store);
    }
    return unread;
  }

private:
  struct pointer {
    llvm::Value* value;
    std::int64_t offset;
  };
  struct range {
    std::int64_t first, last;
  };

  /// Loads of the pointer to local memory from the state. The state itself must not go elsewhere.
  bool find_roots(llvm::Value& state) {
    std::vector<pointer> addresses{{&state, 0}};
    while (!addresses.empty()) {
      const pointer address = addresses.back();
      addresses.pop_back();
      for (llvm::User* user : address.value->users()) {
        if (auto* step = llvm::dyn_cast<llvm::GEPOperator>(user)) {
          const auto offset = constant_offset(*step, address.offset);
          if (!offset) return false;
          addresses.push_back({step, *offset});
        } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
          if (address.offset == offsetof(abi::nd_state, local_memory)) m_pointers.push_back({load, 0});
        } else {
          return false;
        }
      }
    }
    return true;
  }

  std::optional<std::int64_t> constant_offset(const llvm::GEPOperator& step, std::int64_t start) const {
    llvm::APInt distance(m_layout.getIndexTypeSizeInBits(step.getType()), 0);
    if (!step.accumulateConstantOffset(m_layout, distance)) return std::nullopt;
    return start + distance.getSExtValue();
  }

  /// False where it can't be told what is read.
  bool follow(const pointer from) {
    for (llvm::User* user : from.value->users()) {
      if (auto* step = llvm::dyn_cast<llvm::GEPOperator>(user)) {
        if (const auto offset = constant_offset(*step, from.offset)) {
          m_pointers.push_back({step, *offset});
        } else if (!is_only_written(*step)) {
          return false;
        }
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        const llvm::TypeSize size = m_layout.getTypeStoreSize(load->getType());
        if (size.isScalable() || !load->isSimple()) return false;
        m_reads.push_back({from.offset, from.offset + static_cast<std::int64_t>(size.getFixedValue())});
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        const llvm::TypeSize size = m_layout.getTypeStoreSize(store->getValueOperand()->getType());
        if (store->getValueOperand() == from.value || size.isScalable() || !store->isSimple()) return false;
        m_stores.push_back({store, {from.offset, from.offset + static_cast<std::int64_t>(size.getFixedValue())}});
      } else {
        return false;
      }
    }
    return true;
  }

  /// Stores at unknown places stay, and read nothing.
  static bool is_only_written(const llvm::Value& address) {
    return llvm::all_of(address.users(), [&](const llvm::User* user) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      return store && store->getValueOperand() != &address;
    });
  }

  const llvm::DataLayout& m_layout;
  bool m_understood = false;
  std::vector<pointer> m_pointers;
  std::vector<range> m_reads;
  std::vector<std::pair<llvm::StoreInst*, range>> m_stores;
};

}  // namespace

void remove_dead_local_stores(llvm::Function& entry) {
  for (llvm::StoreInst* store : local_memory_uses(entry).unread_stores()) {
    llvm::SmallVector<llvm::WeakTrackingVH, 2> operands{store->getValueOperand(), store->getPointerOperand()};
    store->eraseFromParent();
    for (const llvm::WeakTrackingVH& operand : operands) {
      if (operand) llvm::RecursivelyDeleteTriviallyDeadInstructions(operand);
    }
  }
}

}  // namespace sinter::passes
