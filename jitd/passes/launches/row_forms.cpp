#include "row_forms.hpp"

#include <cstdint>

#include "passes/lanes/early_values.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

// The maximum number of factors in a row's length.
constexpr unsigned most_factors = 4;

/// The parameters that may determine a row's length. All launches with one argument block and one range have the same
/// values of these parameters.
constexpr unsigned row_parameters[] = {parameter_block, parameter_global_range + 2, parameter_global_offset + 2};

/// Whether `a` and `b` are certainly equal: they are one value, or both are loads of one argument.
bool are_the_same(const llvm::Value* a, const llvm::Value* b) {
  if (a == b) return true;
  const auto* left = llvm::dyn_cast<llvm::Instruction>(a);
  const auto* right = llvm::dyn_cast<llvm::Instruction>(b);
  if (!left || !right || !left->isSameOperationAs(right)) return false;
  if (left->mayReadFromMemory() && !left->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
  if (llvm::isa<llvm::PHINode>(left)) return false;
  for (unsigned i = 0; i < left->getNumOperands(); ++i) {
    if (!are_the_same(left->getOperand(i), right->getOperand(i))) return false;
  }
  return true;
}

}  // namespace

llvm::Value* without_casts(llvm::Value* value) {
  while (auto* cast = llvm::dyn_cast<llvm::Instruction>(value)) {
    if (!llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst, llvm::FreezeInst>(cast)) break;
    if (cast->getType()->getIntegerBitWidth() < 32 || cast->getOperand(0)->getType()->getIntegerBitWidth() < 32) break;
    value = cast->getOperand(0);
  }
  return value;
}

bool divides_by_length(const id_step& step, llvm::Value* width) {
  return are_the_same(without_casts(step.divisor), without_casts(width));
}

namespace {

using factor_list = llvm::SmallVector<llvm::Value*, 4>;

void add_factors(llvm::Value* value, unsigned depth, factor_list& factors) {
  value = without_casts(value);
  auto* product = llvm::dyn_cast<llvm::Instruction>(value);
  if (!product || product->getOpcode() != llvm::Instruction::Mul || depth == 0) return factors.push_back(value);
  add_factors(product->getOperand(0), depth - 1, factors);
  add_factors(product->getOperand(1), depth - 1, factors);
}

factor_list factors_of(llvm::Value* value) {
  factor_list factors;
  add_factors(value, most_factors, factors);
  return factors;
}

/// Removes the factors `some` from the list `all`. Returns false if `all` lacks one of these factors.
bool take_away(factor_list& all, const factor_list& some) {
  for (llvm::Value* each : some) {
    const auto found = llvm::find_if(all, [&](llvm::Value* other) { return are_the_same(each, other); });
    if (found == all.end()) return false;
    all.erase(found);
  }
  return true;
}

bool is_multiple(llvm::Value* value, llvm::Value* of) {
  const auto* whole = llvm::dyn_cast<llvm::ConstantInt>(without_casts(value));
  const auto* part = llvm::dyn_cast<llvm::ConstantInt>(without_casts(of));
  if (whole && part) {
    return part->getValue().isStrictlyPositive() && whole->getValue().getActiveBits() <= 63 &&
           whole->getZExtValue() % part->getZExtValue() == 0;
  }
  factor_list factors = factors_of(value);
  return take_away(factors, factors_of(of));
}

class step_finder {
public:
  step_finder(llvm::Function& work_item, llvm::Value* id, bool narrow_ids)
      : m_function(work_item), m_narrow_ids(narrow_ids) {
    follow(id);
  }

  const id_steps& all() const { return m_steps; }

private:
  void follow(llvm::Value* id) {
    m_ids.insert(id);
    for (llvm::User* user : id->users()) {
      auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (!instruction || !instruction->getType()->isIntegerTy() || m_ids.contains(instruction)) continue;
      if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(instruction)) {
        take_comparison(id, *compare);
      } else {
        take(id, *instruction);
      }
    }
    // The code may compute a remainder as id - quotient * divisor. At this point, the quotients have been found.
    for (llvm::User* user : id->users()) {
      auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (instruction && instruction->getOpcode() == llvm::Instruction::Sub && instruction->getOperand(0) == id) {
        take_difference(id, *instruction);
      }
    }
  }

  void take(llvm::Value* id, llvm::Instruction& user) {
    const unsigned bits = user.getType()->getIntegerBitWidth();
    switch (user.getOpcode()) {
      case llvm::Instruction::Sub:
        // The difference id - offset is treated as an id, because launches for which the row version runs have no
        // offset.
        if (user.getOperand(0) != id ||
            without_casts(user.getOperand(1)) != m_function.getArg(parameter_global_offset + 2))
          return;
        [[fallthrough]];
      case llvm::Instruction::Trunc:
      case llvm::Instruction::ZExt:
      case llvm::Instruction::SExt:
      case llvm::Instruction::Freeze:
        if (bits != 64 && (bits != 32 || !m_narrow_ids)) return;
        m_steps.push_back({&user, id, nullptr, id_step::kind::cast});
        return follow(&user);
      case llvm::Instruction::UDiv:
      case llvm::Instruction::SDiv:
        return take_division(id, user, id_step::kind::quotient);
      case llvm::Instruction::URem:
      case llvm::Instruction::SRem:
        return take_division(id, user, id_step::kind::remainder);
      default:
        return;
    }
  }

  void take_division(llvm::Value* id, llvm::Instruction& user, id_step::kind what) {
    llvm::Value* divisor = user.getOperand(1);
    if (user.getOperand(0) != id || divisor == id || !is_known_early(divisor, row_parameters)) return;
    m_steps.push_back({&user, id, divisor, what});
    if (what == id_step::kind::remainder) follow(&user);
  }

  /// Handles the comparison id < width: LLVM turns id / width == 0 into this comparison.
  void take_comparison(llvm::Value* id, llvm::ICmpInst& user) {
    const auto predicate = user.getOperand(0) == id ? user.getPredicate() : user.getSwappedPredicate();
    llvm::Value* other = user.getOperand(user.getOperand(0) == id ? 1 : 0);
    if (predicate != llvm::CmpInst::ICMP_ULT && predicate != llvm::CmpInst::ICMP_UGE) return;
    if (other != id && is_known_early(other, row_parameters))
      m_steps.push_back({&user, id, other, id_step::kind::is_below});
  }

  /// Handles id - id / (x * y) * x * y, in any order of the factors.
  void take_difference(llvm::Value* id, llvm::Instruction& difference) {
    if (m_ids.contains(&difference)) return;
    const factor_list factors = factors_of(difference.getOperand(1));
    for (const id_step& each : m_steps) {
      if (each.what != id_step::kind::quotient || without_casts(each.id) != without_casts(id)) continue;
      factor_list left = factors;
      const auto quotient = llvm::find(left, each.instruction);
      if (quotient == left.end()) continue;
      left.erase(quotient);
      if (!take_away(left, factors_of(each.divisor)) || !left.empty()) continue;
      m_steps.push_back({&difference, id, each.divisor, id_step::kind::remainder});
      return follow(&difference);
    }
  }

  llvm::Function& m_function;
  bool m_narrow_ids;
  llvm::SmallPtrSet<llvm::Value*, 16> m_ids;
  id_steps m_steps;
};

/// Builds the function that returns the length of a row. The built function runs before the kernel's work-items.
class length_builder {
public:
  length_builder(llvm::Function& work_item, bool narrow_ids)
      : m_function(work_item, row_parameters, llvm::Type::getInt64Ty(work_item.getContext()),
                   work_item.getName() + ".row_length"),
        m_builder(m_function.builder()),
        m_conditions(m_builder),
        m_most(std::int64_t{1} << (narrow_ids ? 31 : 62)),
        m_offset(m_function.value_of(work_item.getArg(parameter_global_offset + 2))) {}

  void set_length(llvm::Value* value) {
    llvm::Value* length = number(value);
    m_conditions.require(m_builder.CreateIsNull(m_offset));
    m_conditions.require(m_builder.CreateICmpSGE(length, m_builder.getInt64(shortest_row)));
    m_conditions.require(m_builder.CreateICmpSLT(length, m_builder.getInt64(std::int64_t{1} << 31)));
    m_length = m_builder.CreateSelect(m_conditions.all(), length, m_builder.getInt64(1));
  }

  /// Adds a condition to the row version of the code: `value` must be a positive multiple of the row's length.
  void add_multiple(llvm::Value* value) {
    llvm::Value* whole = number(value);
    m_conditions.require(m_builder.CreateICmpSGT(whole, m_builder.getInt64(0)));
    m_conditions.require(m_builder.CreateICmpSLT(whole, m_builder.getInt64(m_most)));
    m_conditions.require(m_builder.CreateIsNull(m_builder.CreateURem(whole, m_length)));
  }

  llvm::Function* finish() {
    return m_function.finish(m_builder.CreateSelect(m_conditions.all(), m_length, m_builder.getInt64(0)));
  }

private:
  llvm::Value* number(llvm::Value* value) {
    return m_builder.CreateSExt(m_function.value_of(value), m_builder.getInt64Ty());
  }

  early_function m_function;
  llvm::IRBuilder<>& m_builder;
  early_conditions m_conditions;
  std::int64_t m_most;
  llvm::Value* m_offset;
  llvm::Value* m_length = nullptr;
};

/// Writes an id as a sum of two numbers: the position in the row, and a multiple of the row's length that is equal for
/// the whole row. This multiple is the row's first id, or the remainder of the first id by a multiple of the length.
class row_writer {
public:
  row_writer(llvm::Instruction* where, bool narrow_ids, const row_of_ids& of)
      : m_builder(where), m_narrow(narrow_ids), m_type(m_builder.getIntNTy(narrow_ids ? 32 : 64)), m_id(of.id) {
    m_place = m_builder.CreateSub(m_id, of.begin, "place", true, true);
    m_row = cast(of.number, m_type);
    m_length = cast(of.length, m_type);
    m_begin = cast(of.begin, m_type);
    // LLVM would narrow the difference by itself, but would drop the flags (nuw, nsw) which say that the difference
    // does not wrap.
    m_narrow_place = narrow_ids ? m_builder.CreateSub(cast(m_id, m_type), m_begin, "place", true, true) : m_place;
  }

  void run(llvm::ArrayRef<id_step> steps, llvm::Value* id, llvm::Value* length) {
    m_begins[id] = m_begin;
    for (const id_step& each : steps) {
      llvm::Value* begin = m_begins.lookup(each.id);
      // If an id comes from a division by another number than the row's length, its position in the row is unknown.
      if (!begin) continue;
      m_builder.SetInsertPoint(each.instruction);
      if (each.what == id_step::kind::cast) {
        replace_id(*each.instruction, begin);
      } else if (divides_by_length(each, length)) {
        divide_by_length(each, begin);
      } else if (each.is_division() && is_multiple(each.divisor, length)) {
        llvm::Value* divisor = cast(each.divisor, m_type);
        if (each.what == id_step::kind::remainder) {
          replace_id(*each.instruction, m_builder.CreateURem(begin, divisor));
        } else {
          replace(*each.instruction, m_builder.CreateUDiv(begin, divisor));
        }
      }
    }
    for (llvm::Instruction* each : llvm::reverse(m_dead)) each->eraseFromParent();
  }

private:
  /// Casts a number to `type`. The number must be below 2^31, or its type must have as many bits as `type`.
  llvm::Value* cast(llvm::Value* value, llvm::Type* type) {
    if (value->getType()->getIntegerBitWidth() < type->getIntegerBitWidth()) {
      return m_builder.CreateZExt(value, type, "", /*IsNonNeg=*/true);
    }
    // The flags tell LLVM that arithmetic with the result does not wrap.
    return m_builder.CreateTrunc(value, type, "", /*IsNUW=*/m_narrow, /*IsNSW=*/m_narrow);
  }

  llvm::Value* place(llvm::Type* type) {
    const bool is_wide = type->getIntegerBitWidth() > m_type->getIntegerBitWidth();
    return cast(is_wide ? m_place : m_narrow_place, type);
  }

  void replace_id(llvm::Instruction& id, llvm::Value* begin) {
    llvm::Type* type = id.getType();
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(begin);
    llvm::Value* value = begin == m_begin ? cast(m_id, type)
                         : known && known->isZero()
                             ? place(type)
                             : m_builder.CreateAdd(cast(begin, type), place(type), "", true, true);
    id.replaceAllUsesWith(value);
    m_begins[&id] = begin;
    m_dead.push_back(&id);
  }

  void divide_by_length(const id_step& each, llvm::Value* begin) {
    if (each.what == id_step::kind::remainder) return replace_id(*each.instruction, llvm::ConstantInt::get(m_type, 0));
    llvm::Value* row = begin == m_begin ? m_row : m_builder.CreateUDiv(begin, m_length);
    if (each.what == id_step::kind::quotient) {
      multiply_by_length(*each.instruction, each.divisor, begin);
      return replace(*each.instruction, row);
    }
    const auto* compare = llvm::cast<llvm::ICmpInst>(each.instruction);
    const bool below =
        compare->getPredicate() == llvm::CmpInst::ICMP_ULT || compare->getPredicate() == llvm::CmpInst::ICMP_UGT;
    replace(*each.instruction, below ? m_builder.CreateIsNull(row) : m_builder.CreateIsNotNull(row));
  }

  /// Lets LLVM know where rows begin: the first id of a row is the row's number times the row's length.
  void multiply_by_length(llvm::Instruction& quotient, llvm::Value* divisor, llvm::Value* begin) {
    for (llvm::User* user : quotient.users()) {
      auto* step = llvm::cast<llvm::Instruction>(user);
      if (llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst, llvm::FreezeInst>(step)) {
        if (step->getType()->getIntegerBitWidth() >= 32) multiply_by_length(*step, divisor, begin);
        continue;
      }
      if (step->getOpcode() != llvm::Instruction::Mul) continue;
      llvm::Value* factor = step->getOperand(step->getOperand(0) == &quotient ? 1 : 0);
      if (factor == &quotient || !are_the_same(without_casts(factor), without_casts(divisor))) continue;
      const llvm::IRBuilder<>::InsertPointGuard guard(m_builder);
      m_builder.SetInsertPoint(step);
      step->replaceAllUsesWith(cast(begin, step->getType()));
    }
  }

  void replace(llvm::Instruction& instruction, llvm::Value* value) {
    instruction.replaceAllUsesWith(value->getType() == instruction.getType() ? value
                                                                             : cast(value, instruction.getType()));
    m_dead.push_back(&instruction);
  }

  llvm::IRBuilder<> m_builder;
  bool m_narrow;
  llvm::Type* m_type;
  llvm::Value* m_id;
  llvm::Value *m_place = nullptr, *m_narrow_place = nullptr, *m_row = nullptr, *m_length = nullptr, *m_begin = nullptr;
  /// Maps each id to a number that is equal for the whole row: the id is the position in the row plus this number.
  llvm::DenseMap<llvm::Value*, llvm::Value*> m_begins;
  llvm::SmallVector<llvm::Instruction*, 16> m_dead;
};

}  // namespace

id_steps steps_of(llvm::Function& work_item, llvm::Value* id, bool narrow_ids) {
  return step_finder(work_item, id, narrow_ids).all();
}

llvm::Value* innermost(const id_steps& steps) {
  llvm::Value* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const id_step& each : steps) {
    if (!each.is_division()) continue;
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(each.divisor);
    if (known && (known->getValue().isNegative() || known->getValue().ult(shortest_row))) continue;
    const auto count = llvm::count_if(
        steps, [&](const id_step& other) { return other.is_division() && is_multiple(other.divisor, each.divisor); });
    if (count > most) {
      most = count;
      best = each.divisor;
    }
  }
  return best;
}

llvm::Function* make_row_length(llvm::Function& work_item, const id_steps& steps, llvm::Value* width, bool narrow_ids) {
  length_builder lengths(work_item, narrow_ids);
  lengths.set_length(without_casts(width));
  for (const id_step& each : steps) {
    if (!each.is_division() || !is_multiple(each.divisor, width)) continue;
    if (!divides_by_length(each, width)) lengths.add_multiple(each.divisor);
  }
  return lengths.finish();
}

void write_in_row(llvm::Instruction* where, bool narrow_ids, const row_of_ids& row, const id_steps& steps,
                  llvm::Value* id, llvm::Value* width) {
  row_writer(where, narrow_ids, row).run(steps, id, width);
}

}  // namespace sinter::passes
