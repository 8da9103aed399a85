#include "scalar_addresses.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

namespace sinter::jit::gpu {
namespace {

// Limits for sums. Longer sums are rare, and would cost more than they save.
constexpr std::size_t most_terms = 8, most_own_terms = 3;
constexpr unsigned most_depth = 8;

/// A factor: a number of 64 bits, or a number of 32 bits that is widened without a change of its value.
struct factor {
  unsigned order;  ///< order of the first use, so that code is the same in each run
  llvm::Value* value;
  bool is_signed;

  auto key() const { return std::pair(order, is_signed); }
  bool operator<(const factor& other) const { return key() < other.key(); }
  bool operator==(const factor& other) const { return key() == other.key(); }
};

using product = std::vector<factor>;            ///< sorted factors; the empty product is 1
using sum = std::map<product, std::uint64_t>;   ///< the factor of each product, modulo 2^64

void add(sum& to, const sum& other, std::uint64_t times = 1) {
  for (const auto& [each, count] : other) {
    if ((to[each] += count * times) == 0) to.erase(each);
  }
}

struct access {
  llvm::Instruction* instruction;
  llvm::Value* base;
  /// The offset in bytes is the sum of both: `alike` is equal in the whole wave, `own` differs between work-items.
  sum alike, own;
  std::uint64_t bytes;
};

class address_sums {
public:
  address_sums(const dialect& words, llvm::Function& kernel, llvm::DominatorTree& dominators)
      : m_dialect(words), m_kernel(kernel), m_dominators(dominators), m_loops(dominators) {}

  void run() {
    std::map<sum, std::vector<access>> groups;
    std::vector<const sum*> order;
    for (llvm::BasicBlock& block : m_kernel) {
      if (m_loops.getLoopFor(&block) || !m_dominators.isReachableFromEntry(&block)) continue;
      for (llvm::Instruction& each : block) {
        std::optional<access> found = access_of(each);
        if (!found) continue;
        const auto [place, is_new] = groups.try_emplace(found->own);
        if (is_new) order.push_back(&place->first);
        place->second.push_back(std::move(*found));
      }
    }
    for (const sum* own : order) rewrite(*own, groups[*own]);
  }

private:
  // ------------------------------------------------------------------------------------------ what is alike in a wave

  bool is_alike(llvm::Value* value) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction) return true;
    const auto [place, is_new] = m_alike.try_emplace(instruction, false);
    if (!is_new) return place->second;
    const bool result = is_alike(*instruction);
    return m_alike[instruction] = result;
  }
  bool is_alike(llvm::Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      const auto* object = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(load->getPointerOperand()));
      return object && is_alike(load->getPointerOperand());
    }
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      const llvm::Function* callee = call->getCalledFunction();
      return callee && callee->getName().starts_with(llvm::StringRef(m_dialect.text_words().block_id).drop_front());
    }
    const bool computes = llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst, llvm::SelectInst,
                                    llvm::CmpInst>(instruction);
    return computes && llvm::all_of(instruction.operands(), [&](llvm::Value* each) { return is_alike(each); });
  }

  // ------------------------------------------------------------------------------------------ addresses as sums

  sum alone(llvm::Value* value, bool is_signed = false) {
    const auto order = static_cast<unsigned>(m_order.size());
    const unsigned number = m_order.try_emplace(value, order).first->second;
    return {{product{{number, value, is_signed}}, 1}};
  }
  bool is_alike(const product& factors) {
    return llvm::all_of(factors, [&](const factor& each) { return is_alike(each.value); });
  }
  std::size_t own_terms(const sum& terms) {
    return static_cast<std::size_t>(llvm::count_if(terms, [&](const auto& each) { return !is_alike(each.first); }));
  }

  sum sum_of(llvm::Value* value, unsigned depth = 0) {
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      return number->isZero() ? sum{} : sum{{{}, number->getZExtValue()}};
    }
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || depth == most_depth) return alone(value);
    sum result;
    const auto operand = [&](unsigned index) { return sum_of(instruction->getOperand(index), depth + 1); };
    switch (instruction->getOpcode()) {
      case llvm::Instruction::Or:
        if (!llvm::cast<llvm::PossiblyDisjointInst>(instruction)->isDisjoint()) return alone(value);
        [[fallthrough]];
      case llvm::Instruction::Add:
        result = operand(0);
        add(result, operand(1));
        break;
      case llvm::Instruction::Sub:
        result = operand(0);
        add(result, operand(1), ~std::uint64_t{0});
        break;
      case llvm::Instruction::Shl: {
        const auto* places = llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1));
        if (!places || places->getZExtValue() >= 64) return alone(value);
        add(result, operand(0), std::uint64_t{1} << places->getZExtValue());
        break;
      }
      case llvm::Instruction::Mul:
        if (!multiply(result, operand(0), operand(1))) return alone(value);
        break;
      case llvm::Instruction::ZExt:
      case llvm::Instruction::SExt:
        return widened(*instruction);
      default:
        return alone(value);
    }
    return result.size() > most_terms ? alone(value) : result;
  }

  static bool is_number(const sum& terms) {
    return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty());
  }
  /// Computes a product of sums. Returns false if work-items would multiply more often than before.
  bool multiply(sum& result, const sum& a, const sum& b) {
    if (!is_number(a) && !is_number(b) && own_terms(a) + own_terms(b) > 1) return false;
    for (const auto& [left, left_count] : a) {
      for (const auto& [right, right_count] : b) {
        product both = left;
        both.insert(both.end(), right.begin(), right.end());
        std::sort(both.begin(), both.end());
        add(result, {{both, left_count * right_count}});
      }
    }
    return true;
  }

  /// Describes a widened number. Takes constants out of sums of 32 bits that do not wrap.
  sum widened(llvm::Instruction& cast) {
    llvm::Value* narrow = cast.getOperand(0);
    if (!narrow->getType()->isIntegerTy(32)) return alone(&cast);
    const bool is_signed = llvm::isa<llvm::SExtInst>(cast);
    auto* plus = llvm::dyn_cast<llvm::BinaryOperator>(narrow);
    if (plus && plus->getOpcode() == llvm::Instruction::Add) {
      const auto* number = llvm::dyn_cast<llvm::ConstantInt>(plus->getOperand(1));
      if (number && (is_signed ? plus->hasNoSignedWrap() : plus->hasNoUnsignedWrap())) {
        sum result = alone(plus->getOperand(0), is_signed);
        add(result, {{{}, is_signed ? static_cast<std::uint64_t>(number->getSExtValue()) : number->getZExtValue()}});
        return result;
      }
    }
    return alone(narrow, is_signed);
  }

  std::optional<access> access_of(llvm::Instruction& instruction) {
    if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) return std::nullopt;
    llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer->getType()->getPointerAddressSpace() != global_space) return std::nullopt;
    sum total;
    while (auto* place = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> parts;
      llvm::APInt constant(64, 0);
      if (!place->collectOffset(m_kernel.getDataLayout(), 64, parts, constant)) return std::nullopt;
      for (const auto& [index, bytes] : parts) {
        if (!index->getType()->isIntegerTy(64)) return std::nullopt;
        add(total, sum_of(index), bytes.getZExtValue());
      }
      if (!constant.isZero()) add(total, {{{}, constant.getZExtValue()}});
      pointer = place->getPointerOperand();
    }
    if (!is_alike(pointer)) return std::nullopt;
    access result{&instruction, pointer, {}, {}, 0};
    for (const auto& [factors, count] : total) {
      if (factors.empty()) {
        result.bytes = count;
      } else {
        (is_alike(factors) ? result.alike : result.own)[factors] = count;
      }
    }
    if (result.own.empty() || result.own.size() > most_own_terms) return std::nullopt;
    return result;
  }

  // ------------------------------------------------------------------------------------------ new addresses

  /// Returns a place that dominates all `accesses`.
  llvm::Instruction* place_for(llvm::ArrayRef<const access*> accesses) {
    llvm::BasicBlock* block = accesses.front()->instruction->getParent();
    for (const access* each : accesses) {
      block = m_dominators.findNearestCommonDominator(block, each->instruction->getParent());
    }
    llvm::Instruction* first = block->getTerminator();
    for (const access* each : accesses) {
      if (each->instruction->getParent() == block && each->instruction->comesBefore(first)) first = each->instruction;
    }
    return first;
  }

  llvm::Value* make(llvm::IRBuilder<>& builder, const sum& terms) {
    unsigned places = 63;
    for (const auto& each : terms) places = std::min(places, static_cast<unsigned>(llvm::countr_zero(each.second)));
    llvm::Value* result = nullptr;
    for (const auto& [factors, count] : terms) {
      // Factors that are equal in all work-items of the wave are multiplied first, because their product is equal in
      // all these work-items, too.
      llvm::Value* term = nullptr;
      for (const bool alike : {true, false}) {
        if (alike && count >> places != 1) term = builder.getInt64(count >> places);
        for (const factor& each : factors) {
          if (is_alike(each.value) != alike) continue;
          llvm::Value* value = each.value;
          if (value->getType()->isIntegerTy(32)) {
            value = each.is_signed ? builder.CreateSExt(value, builder.getInt64Ty())
                                   : builder.CreateZExt(value, builder.getInt64Ty());
          }
          term = term ? builder.CreateMul(value, term) : value;
        }
      }
      result = result ? builder.CreateAdd(result, term) : term;
    }
    return places == 0 ? result : builder.CreateShl(result, places);
  }

  void rewrite(const sum& own, std::vector<access>& accesses) {
    std::vector<std::vector<const access*>> of_place;
    for (const access& each : accesses) {
      const auto known = llvm::find_if(of_place, [&](const auto& others) {
        return others.front()->base == each.base && others.front()->alike == each.alike;
      });
      (known != of_place.end() ? *known : of_place.emplace_back()).push_back(&each);
    }
    if (of_place.size() < 2) return;
    std::vector<const access*> all;
    for (const access& each : accesses) all.push_back(&each);
    llvm::IRBuilder<> builder(place_for(all));
    llvm::Value* offset = make(builder, own);
    for (const auto& together : of_place) {
      builder.SetInsertPoint(place_for(together));
      llvm::Value* place = together.front()->base;
      if (!together.front()->alike.empty()) {
        place = builder.CreatePtrAdd(place, make(builder, together.front()->alike));
      }
      place = builder.CreatePtrAdd(place, offset);
      for (const access* each : together) {
        builder.SetInsertPoint(each->instruction);
        llvm::Value* old = llvm::getLoadStorePointerOperand(each->instruction);
        llvm::Value* now = each->bytes == 0 ? place : builder.CreatePtrAdd(place, builder.getInt64(each->bytes));
        each->instruction->setOperand(llvm::isa<llvm::StoreInst>(each->instruction) ? 1 : 0, now);
        llvm::RecursivelyDeleteTriviallyDeadInstructions(old);
      }
    }
  }

  const dialect& m_dialect;
  llvm::Function& m_kernel;
  llvm::DominatorTree& m_dominators;
  llvm::LoopInfo m_loops;
  llvm::DenseMap<llvm::Value*, bool> m_alike;
  llvm::DenseMap<llvm::Value*, unsigned> m_order;
};

}  // namespace

void add_scalar_parts_first(const dialect& words, llvm::Function& kernel, llvm::DominatorTree& dominators) {
  address_sums(words, kernel, dominators).run();
}

}  // namespace sinter::jit::gpu
