#include "shared_sums.hpp"

#include <algorithm>
#include <numeric>

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

// The maximum depth of sums that are examined. Sums that compute indices are less deep.
constexpr unsigned deepest = 16;

/// Represents a sum modulo 2^bits. The summands are `number`, and values that are multiplied by factors.
struct value_sum {
  llvm::APInt number;
  llvm::MapVector<llvm::Value*, llvm::APInt> terms{};
};

void add(llvm::Value* value, const llvm::APInt& factor, value_sum& to, unsigned depth) {
  using namespace llvm::PatternMatch;
  llvm::Value *a = nullptr, *b = nullptr;
  const llvm::APInt* number = nullptr;
  if (match(value, m_APInt(number))) {
    to.number += factor * *number;
  } else if (depth < deepest && match(value, m_AddLike(m_Value(a), m_Value(b)))) {
    add(a, factor, to, depth + 1);
    add(b, factor, to, depth + 1);
  } else if (depth < deepest && match(value, m_Sub(m_Value(a), m_Value(b)))) {
    add(a, factor, to, depth + 1);
    add(b, -factor, to, depth + 1);
  } else if (depth < deepest && match(value, m_c_Mul(m_Value(a), m_APInt(number)))) {
    add(a, factor * *number, to, depth + 1);
  } else if (depth < deepest && match(value, m_Shl(m_Value(a), m_APInt(number))) &&
             number->ult(number->getBitWidth())) {
    add(a, factor.shl(*number), to, depth + 1);
  } else {
    to.terms.insert({value, llvm::APInt(factor.getBitWidth(), 0)}).first->second += factor;
  }
}

value_sum sum_of(llvm::Value* value) {
  const unsigned bits = value->getType()->getIntegerBitWidth();
  value_sum sum{llvm::APInt(bits, 0)};
  add(value, llvm::APInt(bits, 1), sum, 0);
  return sum;
}

llvm::Value* written(const value_sum& sum, llvm::Type* type, llvm::IRBuilder<>& builder) {
  llvm::Value* result = nullptr;
  for (const auto& [value, factor] : sum.terms) {
    llvm::Value* term = factor.isOne() ? value : builder.CreateMul(value, llvm::ConstantInt::get(type, factor));
    result = result ? builder.CreateAdd(result, term) : term;
  }
  llvm::Value* number = llvm::ConstantInt::get(type, sum.number);
  if (!result) return number;
  return sum.number.isZero() ? result : builder.CreateAdd(result, number);
}

/// The largest number that divides `divisor` and every summand of `sum`.
std::uint64_t divisor_of(const value_sum& sum, std::uint64_t divisor) {
  divisor = std::gcd(divisor, sum.number.abs().getZExtValue());
  for (const auto& [value, factor] : sum.terms) divisor = std::gcd(divisor, factor.abs().getZExtValue());
  return divisor;
}
void divide(value_sum& sum, const llvm::APInt& by) {
  sum.number = sum.number.sdiv(by);
  for (auto& [value, factor] : sum.terms) factor = factor.sdiv(by);
}

}  // namespace

void share_sums(llvm::Function& kernel) {
  bool changed = false;
  for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* select = llvm::dyn_cast<llvm::SelectInst>(&each);
    if (!select || !(select->getType()->isIntegerTy(32) || select->getType()->isIntegerTy(64))) continue;
    value_sum one = sum_of(select->getTrueValue()), other = sum_of(select->getFalseValue());
    value_sum shared{llvm::APInt(one.number.getBitWidth(), 0)};
    for (const auto& [value, factor] : one.terms) {
      const auto same = other.terms.find(value);
      if (same != other.terms.end() && same->second == factor) shared.terms.insert({value, factor});
    }
    if (shared.terms.empty()) continue;
    const auto is_shared = [&](const auto& term) { return shared.terms.contains(term.first); };
    one.terms.remove_if(is_shared);
    other.terms.remove_if(is_shared);
    // In a select between two rows, the operands that are left are often n and 0 for a constant n. So the factor n is
    // also moved out of the select.
    const std::uint64_t divisor = std::max<std::uint64_t>(divisor_of(other, divisor_of(one, 0)), 1);
    const llvm::APInt by(one.number.getBitWidth(), divisor);
    if (by.isNegative()) continue;
    divide(one, by);
    divide(other, by);
    llvm::IRBuilder<> builder(select);
    llvm::Type* type = select->getType();
    llvm::Value* rest =
        builder.CreateSelect(select->getCondition(), written(one, type, builder), written(other, type, builder));
    if (divisor != 1) rest = builder.CreateMul(rest, llvm::ConstantInt::get(type, by));
    select->replaceAllUsesWith(builder.CreateAdd(written(shared, type, builder), rest));
    select->eraseFromParent();
    changed = true;
  }
  if (!changed) return;
  llvm::FunctionPassManager once;
  once.addPass(llvm::EarlyCSEPass());
  pass_runner().run(kernel, std::move(once));
}

}  // namespace sinter::passes
