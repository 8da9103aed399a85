#pragma once
/// Tells whether a function writes memory that an argument points to. This header has no source file, because the
/// capture plugin uses it, too, and links none of the passes.

#include <compare>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace sinter::passes {

enum class argument_use : std::uint8_t { read, unknown, written };

/// Follows the addresses that come from an argument, also in functions that get such an address and in private
/// variables that hold one.
class argument_uses {
public:
  explicit argument_uses(const llvm::Argument& argument) : m_data(argument.getParent()->getDataLayout()) {
    follow(argument);
    while (!m_written && (!m_addresses.empty() || !m_holders.empty())) {
      if (!m_addresses.empty()) {
        const llvm::Value& address = *m_addresses.pop_back_val();
        for (const llvm::Use& use : address.uses()) note(use);
      } else {
        const holder next = m_holders.pop_back_val();
        for (const llvm::Use& use : next.address->uses()) m_is_known &= note_holder(use, next);
      }
    }
  }

  argument_use result() const {
    return m_written ? argument_use::written : m_is_known ? argument_use::read : argument_use::unknown;
  }

private:
  /// An address of private memory that leads to an address from the argument. A pointer is stored in the memory `at[0]`
  /// bytes behind `address`. If there is no `at[1]`, this pointer is the address from the argument. Otherwise it points
  /// to private memory, too, which holds a pointer `at[1]` bytes further on, and so on.
  struct holder {
    const llvm::Value* address;
    std::vector<std::int64_t> at;

    auto operator<=>(const holder&) const = default;
  };
  static constexpr std::size_t deepest = 4, most_holders = 256;

  void follow(const llvm::Value& address) {
    if (address.getType()->isPtrOrPtrVectorTy() && m_seen.insert(&address).second) m_addresses.push_back(&address);
  }
  void follow_holder(const llvm::Value& address, std::vector<std::int64_t> at) {
    holder next{&address, std::move(at)};
    if (m_seen_holders.insert(next).second) m_holders.push_back(std::move(next));
  }

  static bool has_no_effect(const llvm::User& user) {
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&user);
    return llvm::isa<llvm::ICmpInst>(user) || (intrinsic && intrinsic->isAssumeLikeIntrinsic());
  }

  /// If the use is an argument of a call, and the called function has a body, returns the function's parameter.
  /// Otherwise returns null.
  static const llvm::Argument* parameter_of(const llvm::CallBase& call, const llvm::Use& use) {
    const llvm::Function* callee = call.isArgOperand(&use) ? call.getCalledFunction() : nullptr;
    const bool has_body = callee && !callee->isDeclaration() && call.getArgOperandNo(&use) < callee->arg_size();
    return has_body ? callee->getArg(call.getArgOperandNo(&use)) : nullptr;
  }

  void note(const llvm::Use& use) {
    const llvm::User* user = use.getUser();
    const bool is_first = use.getOperandNo() == 0;
    if (llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator, llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(
            user)) {
      follow(*user);
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      m_written |= !is_first;
      m_is_known &= !is_first || hold(*store, {});
    } else if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(user)) {
      m_written |= is_first;
      m_is_known = false;
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
      note_call(*call, use);
    } else if (!llvm::isa<llvm::LoadInst, llvm::ReturnInst>(user)) {
      m_is_known &= has_no_effect(*user);
    }
  }

  void note_call(const llvm::CallBase& call, const llvm::Use& use) {
    follow(call);  // the function may return the address
    const bool is_argument = call.isArgOperand(&use);
    if (is_argument && call.isByValArgument(call.getArgOperandNo(&use))) return;
    if (const llvm::Argument* parameter = parameter_of(call, use)) {
      follow(*parameter);
    } else if (const auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&call)) {
      m_written |= &use == &memory->getRawDestUse();
    } else if (!has_no_effect(call) && !(is_argument && call.onlyReadsMemory())) {
      const unsigned number = is_argument ? call.getArgOperandNo(&use) : 0;
      m_is_known &= is_argument && call.onlyReadsMemory(number) && call.doesNotCapture(number);
    }
  }

  /// Follows the memory into which an address is stored. If the stored address is itself the address of a holder, `at`
  /// is the `at` of this holder; otherwise it is empty. Returns false if the memory is not private.
  bool hold(const llvm::StoreInst& store, std::vector<std::int64_t> at) {
    const llvm::Value* place = store.getPointerOperand();
    llvm::APInt offset(m_data.getIndexTypeSizeInBits(place->getType()), 0);
    const llvm::Value* base = place->stripAndAccumulateConstantOffsets(m_data, offset, /*AllowNonInbounds=*/true);
    if (!llvm::isa<llvm::AllocaInst>(base) || !store.getValueOperand()->getType()->isPointerTy()) return false;
    at.insert(at.begin(), offset.getSExtValue());
    follow_holder(*base, std::move(at));
    return true;
  }

  /// Notes a use of private memory that holds an address. Returns false if the address may be used in an unknown way.
  bool note_holder(const llvm::Use& use, const holder& what) {
    const llvm::User* user = use.getUser();
    const std::int64_t at = what.at.front();
    const bool is_before = at <= -static_cast<std::int64_t>(m_data.getPointerSize());
    if (what.at.size() > deepest || m_seen_holders.size() > most_holders) return false;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      const auto size = static_cast<std::int64_t>(m_data.getTypeStoreSize(load->getType()).getKnownMinValue());
      if (at >= size || is_before) return true;
      if (what.at.size() == 1) follow(*load);
      else follow_holder(*load, {what.at.begin() + 1, what.at.end()});
      return at == 0 && load->getType()->isPointerTy();
    }
    if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(user)) {
      llvm::APInt further(m_data.getIndexTypeSizeInBits(address->getType()), 0);
      std::vector<std::int64_t> moved = what.at;
      if (!address->accumulateConstantOffset(m_data, further)) return is_before && address->hasNoUnsignedWrap();
      moved.front() -= further.getSExtValue();
      follow_holder(*user, std::move(moved));
      return true;
    }
    if (llvm::isa<llvm::AddrSpaceCastOperator, llvm::PHINode, llvm::SelectInst>(user)) {
      follow_holder(*user, what.at);
      return true;
    }
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user))
      return use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex() || hold(*store, what.at);
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (const llvm::Argument* parameter = call ? parameter_of(*call, use) : nullptr) {
      follow_holder(*parameter, what.at);
      return !call->getType()->isPtrOrPtrVectorTy();
    }
    const auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(user);
    return has_no_effect(*user) || (memory && &use == &memory->getRawDestUse());
  }

  const llvm::DataLayout& m_data;
  bool m_written = false, m_is_known = true;
  llvm::SmallPtrSet<const llvm::Value*, 16> m_seen;
  llvm::SmallVector<const llvm::Value*, 16> m_addresses;
  std::set<holder> m_seen_holders;
  llvm::SmallVector<holder, 4> m_holders;
};

/// Whether the argument's function, or a function that gets an address from it, writes through the argument. The result
/// is argument_use::unknown if no write is found, but code that is not seen here may write: the address is stored
/// outside of private memory, becomes a number, or is passed to a function without a body.
inline argument_use use_of(const llvm::Argument& argument) { return argument_uses(argument).result(); }

}  // namespace sinter::passes
