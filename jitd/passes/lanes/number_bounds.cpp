#include "number_bounds.hpp"

#include <limits>
#include <utility>

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

constexpr std::int64_t least_number = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t most_number = std::numeric_limits<std::int32_t>::max();
// The limit for the search, because kernels with unrolled code have thousands of sums.
constexpr unsigned most_bound_steps = 600;

constexpr unsigned parameters[] = {
    parameter_block,           parameter_global_range,      parameter_global_range + 1,  parameter_global_range + 2,
    parameter_global_offset,   parameter_global_offset + 1, parameter_global_offset + 2, parameter_local_range,
    parameter_local_range + 1, parameter_local_range + 2};

bool is_number(const llvm::Value& value) {
  return value.getType()->isIntegerTy(32) || value.getType()->isIntegerTy(64);
}

}  // namespace

llvm::ArrayRef<unsigned> bounds_parameters() { return parameters; }

bounds_finder::bounds_finder(llvm::Function& work_item, const llvm::DominatorTree& dominators, early_function& function,
                             llvm::ArrayRef<unsigned> known)
    : m_work_item(work_item),
      m_dominators(dominators),
      m_function(function),
      m_parameters(known),
      m_builder(function.builder()),
      m_conditions(m_builder) {}

std::optional<number_bounds> bounds_finder::at(llvm::Value* value, const llvm::BasicBlock* place) {
  if (!is_number(*value)) return {};
  const std::pair key(value, place);
  if (const auto found = m_found.find(key); found != m_found.end()) return found->second;
  // A loop's counter depends on itself, so only conditions of the loop give it bounds.
  if (++m_steps > most_bound_steps || !m_open.insert(key).second) return {};
  std::optional<number_bounds> bounds = find(value, place);
  for (const known_comparison& known : known_list(known_at(place))) narrow(value, known, bounds);
  m_open.erase(key);
  return m_found[key] = bounds;
}

std::optional<number_bounds> bounds_finder::find(llvm::Value* value, const llvm::BasicBlock* place) {
  if (const auto given = m_given.find(value); given != m_given.end()) return given->second;
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    if (!constant->getValue().isSignedIntN(32)) return {};
    return number_bounds{number(constant->getSExtValue()), number(constant->getSExtValue())};
  }
  if (is_known_early(value, m_parameters)) {
    llvm::Value* known = m_builder.CreateSExt(m_function.value_of(value), m_builder.getInt64Ty());
    const number_bounds bounds{known, known};
    if (value->getType()->isIntegerTy(64)) m_conditions.require(fits(bounds));
    return bounds;
  }
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) return of_argument(*argument);
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction) return {};
  return of_instruction(*instruction, place);
}

std::optional<number_bounds> bounds_finder::of_argument(const llvm::Argument& argument) {
  const unsigned first = argument.getArgNo();
  const auto of_launch = [&](unsigned parameter, unsigned d) {
    return m_function.value_of(m_work_item.getArg(parameter + d));
  };
  const auto groups = [&](unsigned d) {
    return m_builder.CreateUDiv(of_launch(parameter_global_range, d), of_launch(parameter_local_range, d));
  };
  number_bounds bounds{number(0), nullptr};
  if (first >= parameter_global_id && first < parameter_global_id + 3) {
    const unsigned d = first - parameter_global_id;
    bounds.low = of_launch(parameter_global_offset, d);
    bounds.high = m_builder.CreateAdd(bounds.low, of_launch(parameter_global_range, d));
  } else if (first >= parameter_local_id && first < parameter_local_id + 3) {
    bounds.high = of_launch(parameter_local_range, first - parameter_local_id);
  } else if (first >= parameter_group_id && first < parameter_group_id + 3) {
    bounds.high = groups(first - parameter_group_id);
  } else if (first >= parameter_group_range && first < parameter_group_range + 3) {
    bounds.low = bounds.high = groups(first - parameter_group_range);
    m_conditions.require(fits(bounds));
    return bounds;
  } else {
    return {};
  }
  bounds.high = m_builder.CreateSub(bounds.high, number(1));
  m_conditions.require(fits(bounds));
  return bounds;
}

std::optional<number_bounds> bounds_finder::of_instruction(llvm::Instruction& instruction,
                                                           const llvm::BasicBlock* place) {
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return of_phi(*phi);
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return of_cast(*cast, place);
  if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    const auto a = at(choice->getTrueValue(), place), b = at(choice->getFalseValue(), place);
    if (!a || !b) return {};
    return join(*a, *b);
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
    case llvm::Instruction::And:
      return of_division(instruction, place);
    default:
      break;
  }
  if (const auto* choice = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction)) return of_choice(*choice, place);
  const auto bounds = unwrapped(instruction, place);
  if (!bounds) return {};
  return settle(*instruction.getType(), fits(*bounds), *bounds);
}

std::optional<number_bounds> bounds_finder::of_choice(const llvm::MinMaxIntrinsic& choice,
                                                      const llvm::BasicBlock* place) {
  const auto a = at(choice.getLHS(), place), b = at(choice.getRHS(), place);
  if (!a || !b) return {};
  const llvm::Intrinsic::ID kind = choice.getIntrinsicID();
  const bool smaller = kind == llvm::Intrinsic::smin || kind == llvm::Intrinsic::umin;
  const number_bounds chosen = smaller ? number_bounds{least(a->low, b->low), least(a->high, b->high)}
                                       : number_bounds{most(a->low, b->low), most(a->high, b->high)};
  if (choice.isSigned()) return chosen;
  return settle(*choice.getType(), m_builder.CreateAnd(is_positive(*a), is_positive(*b)), chosen);
}

std::optional<number_bounds> bounds_finder::unwrapped(llvm::Instruction& arithmetic, const llvm::BasicBlock* place) {
  if (arithmetic.getNumOperands() != 2 || !arithmetic.isBinaryOp() || !is_number(arithmetic)) return {};
  const unsigned operation = arithmetic.getOpcode();
  const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&arithmetic);
  const bool adds = operation == llvm::Instruction::Add || (disjoint && disjoint->isDisjoint());
  const bool multiplies = operation == llvm::Instruction::Mul || operation == llvm::Instruction::Shl;
  if (!adds && !multiplies && operation != llvm::Instruction::Sub) return {};
  llvm::Value* right = arithmetic.getOperand(1);
  if (operation == llvm::Instruction::Shl) {
    const auto* amount = llvm::dyn_cast<llvm::ConstantInt>(right);
    if (!amount || amount->getValue().uge(31)) return {};
    right = llvm::ConstantInt::get(arithmetic.getType(), std::uint64_t{1} << amount->getZExtValue());
  }
  const auto a = at(arithmetic.getOperand(0), place), b = at(right, place);
  if (!a || !b) return {};
  if (adds) return number_bounds{m_builder.CreateAdd(a->low, b->low), m_builder.CreateAdd(a->high, b->high)};
  if (!multiplies) return number_bounds{m_builder.CreateSub(a->low, b->high), m_builder.CreateSub(a->high, b->low)};
  llvm::Value* high = m_builder.CreateMul(a->high, b->high);
  llvm::Value* low = m_builder.CreateMul(a->low, b->low);
  llvm::Value* mixed = m_builder.CreateMul(a->low, b->high);
  llvm::Value* other = m_builder.CreateMul(a->high, b->low);
  return number_bounds{least(least(low, high), least(mixed, other)), most(most(low, high), most(mixed, other))};
}

/// Bounds of a counter that only grows (or only shrinks), in a loop that goes on as long as the counter or its next
/// value is below (or above) a limit. If the step past the limit does not wrap, the counter's start is its other bound.
std::optional<number_bounds> bounds_finder::of_counter(llvm::PHINode& phi) {
  using namespace llvm::PatternMatch;
  if (phi.getNumIncomingValues() != 2 || !is_number(phi)) return {};
  for (unsigned i : {0u, 1u}) {
    llvm::Value *next = phi.getIncomingValue(i), *by = nullptr;
    if (!match(next, m_c_Add(m_Specific(&phi), m_Value(by))) || by == &phi) continue;
    const llvm::BasicBlock* latch = phi.getIncomingBlock(i);
    const auto start = at(phi.getIncomingValue(1 - i), phi.getIncomingBlock(1 - i)), step = at(by, latch);
    if (!start || !step) return {};
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(by);
    const bool down = constant && constant->isNegative();
    std::optional<number_bounds> last = down ? number_bounds{number(least_number), start->high}
                                             : number_bounds{start->low, number(most_number)};
    for (const known_comparison& known : known_list(known_at(latch))) {
      // If an unsigned comparison tests the counter, this comparison already bounds the counter at both ends.
      if (!known.comparison->isSigned() && llvm::is_contained(known.comparison->operands(), &phi)) return {};
      narrow(&phi, known, last);
    }
    // The following comparisons hold whenever the loop continues, because the branch from the loop's last block to the
    // header tests them.
    std::optional<number_bounds> going_on = number_bounds{number(least_number), number(most_number)};
    for (const known_comparison& known : known_at_edge(*latch, *phi.getParent())) {
      narrow(&phi, known, last);
      narrow(next, known, going_on);
    }
    if (down) {
      last->low = most(last->low, least(start->low, going_on->low));
      llvm::Value* behind = m_builder.CreateAdd(last->low, step->low);
      return settle(*phi.getType(), m_builder.CreateICmpSGE(behind, number(least_number)),
                    {least(start->low, most(behind, going_on->low)), start->high});
    }
    last->high = least(last->high, most(start->high, going_on->high));
    llvm::Value* behind = m_builder.CreateAdd(last->high, step->high);
    llvm::Value* wraps_not = m_builder.CreateICmpSLE(behind, number(most_number));
    return settle(*phi.getType(), m_builder.CreateAnd(is_positive(*step), wraps_not),
                  {start->low, most(start->high, least(behind, going_on->high))});
  }
  return {};
}

/// The facts that hold on the edge from `from` to `to`, because of the branch at the end of `from`.
bounds_finder::known_list bounds_finder::known_at_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
  known_list edge;
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(from.getTerminator());
  if (branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1))
    add_known(branch->getCondition(), branch->getSuccessor(0) == &to, edge);
  return edge;
}

std::optional<number_bounds> bounds_finder::of_phi(llvm::PHINode& phi) {
  std::optional<number_bounds> all;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    llvm::Value* value = phi.getIncomingValue(i);
    llvm::BasicBlock* from = phi.getIncomingBlock(i);
    if (value == &phi) continue;
    auto bounds = at(value, from);
    for (const known_comparison& known : known_at_edge(*from, *phi.getParent())) narrow(value, known, bounds);
    if (!bounds) return of_counter(phi);
    all = all ? join(*all, *bounds) : *bounds;
  }
  return all;
}

std::optional<number_bounds> bounds_finder::of_cast(llvm::CastInst& cast, const llvm::BasicBlock* place) {
  llvm::Value* from = cast.getOperand(0);
  if (!from->getType()->isIntegerTy()) return {};
  const unsigned bits = from->getType()->getIntegerBitWidth();
  if (llvm::isa<llvm::TruncInst>(cast)) return bits == 64 ? at(from, place) : std::nullopt;
  if (bits < 32) {
    const bool is_signed = llvm::isa<llvm::SExtInst>(cast);
    const std::int64_t count = std::int64_t{1} << (is_signed ? bits - 1 : bits);
    return number_bounds{number(is_signed ? -count : 0), number(count - 1)};
  }
  if (bits != 32) return {};
  const auto bounds = at(from, place);
  if (bounds && llvm::isa<llvm::ZExtInst>(cast)) m_conditions.require(is_positive(*bounds));
  return bounds;
}

/// Bounds of quotients and remainders of positive numbers. Divisions by powers of two may be shifts and masks.
std::optional<number_bounds> bounds_finder::of_division(llvm::Instruction& division, const llvm::BasicBlock* place) {
  if (!division.getType()->isIntegerTy(32)) return {};
  const unsigned operation = division.getOpcode();
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(division.getOperand(1));
  // A constant mask alone gives bounds, so nothing has to be known about the other operand.
  if (operation == llvm::Instruction::And) {
    if (!constant || constant->isNegative()) return {};
    return number_bounds{number(0), number(constant->getSExtValue())};
  }
  const auto a = at(division.getOperand(0), place);
  if (operation == llvm::Instruction::LShr || operation == llvm::Instruction::AShr) {
    if (!constant || constant->getValue().uge(32) || !a) return {};
    llvm::Value* amount = number(constant->getSExtValue());
    const number_bounds shifted{m_builder.CreateAShr(a->low, amount), m_builder.CreateAShr(a->high, amount)};
    return operation == llvm::Instruction::AShr ? shifted : settle(*division.getType(), is_positive(*a), shifted);
  }
  const auto b = at(division.getOperand(1), place);
  if (!b) return {};
  const bool quotient = operation == llvm::Instruction::UDiv || operation == llvm::Instruction::SDiv;
  const bool remainder_of_any = operation == llvm::Instruction::URem;
  if (!a && !remainder_of_any) return {};
  llvm::Value* positive = is_positive(*b, 1);
  if (!remainder_of_any) positive = m_builder.CreateAnd(positive, is_positive(*a));
  return settle(*division.getType(), positive,
                {number(0), quotient ? a->high : m_builder.CreateSub(b->high, number(1))});
}

void bounds_finder::narrow(llvm::Value* value, const known_comparison& known, std::optional<number_bounds>& bounds) {
  llvm::ICmpInst& comparison = *known.comparison;
  const bool is_left = comparison.getOperand(0) == value;
  if (!is_left && comparison.getOperand(1) != value) return narrow_shifted(value, known, bounds);
  auto predicate = known.truth ? comparison.getPredicate() : comparison.getInversePredicate();
  if (!is_left) predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  const auto other = at(comparison.getOperand(is_left ? 1 : 0), comparison.getParent());
  if (!other) return;
  const auto raise = [&](llvm::Value* condition, llvm::Value* low) {
    bounds->low = m_builder.CreateSelect(condition, most(bounds->low, low), bounds->low);
  };
  const auto lower = [&](llvm::Value* condition, llvm::Value* high) {
    bounds->high = m_builder.CreateSelect(condition, least(bounds->high, high), bounds->high);
  };
  llvm::Value* always = m_builder.getTrue();
  switch (predicate) {
    case llvm::CmpInst::ICMP_ULT:
      return narrow_below(*value, *other, false, bounds);
    case llvm::CmpInst::ICMP_ULE:
      return narrow_below(*value, *other, true, bounds);
    case llvm::CmpInst::ICMP_EQ:
      if (!bounds) {
        bounds = *other;
      } else {
        raise(always, other->low);
        lower(always, other->high);
      }
      return;
    default:
      break;
  }
  if (!bounds) return;
  switch (predicate) {
    case llvm::CmpInst::ICMP_UGT:
    case llvm::CmpInst::ICMP_UGE: {
      llvm::Value* positive = m_builder.CreateAnd(is_positive(*bounds), is_positive(*other));
      const bool equal = predicate == llvm::CmpInst::ICMP_UGE;
      return raise(positive, equal ? other->low : m_builder.CreateAdd(other->low, number(1)));
    }
    case llvm::CmpInst::ICMP_SGT:
      return raise(always, m_builder.CreateAdd(other->low, number(1)));
    case llvm::CmpInst::ICMP_SGE:
      return raise(always, other->low);
    case llvm::CmpInst::ICMP_SLT:
      return lower(always, m_builder.CreateSub(other->high, number(1)));
    case llvm::CmpInst::ICMP_SLE:
      return lower(always, other->high);
    case llvm::CmpInst::ICMP_NE: {
      llvm::Value* one = m_builder.CreateICmpEQ(other->low, other->high);
      raise(m_builder.CreateAnd(m_builder.CreateICmpEQ(bounds->low, other->low), one),
            m_builder.CreateAdd(bounds->low, number(1)));
      return lower(m_builder.CreateAnd(m_builder.CreateICmpEQ(bounds->high, other->low), one),
                   m_builder.CreateSub(bounds->high, number(1)));
    }
    default:
      return;
  }
}

/// Narrows the bounds by an unsigned comparison. The comparison gives bounds only if the other number is not negative.
void bounds_finder::narrow_below(const llvm::Value& value, const number_bounds& other, bool equal,
                                 std::optional<number_bounds>& bounds) {
  llvm::Value* positive = is_positive(other);
  const number_bounds below{number(0), equal ? other.high : m_builder.CreateSub(other.high, number(1))};
  if (!bounds) {
    bounds = settle(*value.getType(), positive, below);
  } else {
    bounds->low = m_builder.CreateSelect(positive, most(bounds->low, below.low), bounds->low);
    bounds->high = m_builder.CreateSelect(positive, least(bounds->high, below.high), bounds->high);
  }
}

/// Narrows the bounds by comparisons of sums: LLVM writes `i > 0 && i < n - 1` as `i - 1 < n - 2`.
void bounds_finder::narrow_shifted(llvm::Value* value, const known_comparison& known,
                                   std::optional<number_bounds>& bounds) {
  using namespace llvm::PatternMatch;
  llvm::ICmpInst& comparison = *known.comparison;
  const llvm::APInt* step = nullptr;
  for (llvm::Value* sum : comparison.operands()) {
    if (!bounds || !match(sum, m_Add(m_Specific(value), m_APInt(step))) || !step->isSignedIntN(32)) continue;
    std::optional<number_bounds> of_sum;
    narrow(sum, known, of_sum);
    if (!of_sum) return;
    llvm::Value* by = number(step->getSExtValue());
    llvm::Value* wraps_not = fits({m_builder.CreateAdd(bounds->low, by), m_builder.CreateAdd(bounds->high, by)});
    bounds->low =
        m_builder.CreateSelect(wraps_not, most(bounds->low, m_builder.CreateSub(of_sum->low, by)), bounds->low);
    bounds->high =
        m_builder.CreateSelect(wraps_not, least(bounds->high, m_builder.CreateSub(of_sum->high, by)), bounds->high);
    return;
  }
}

const bounds_finder::known_list& bounds_finder::known_at(const llvm::BasicBlock* place) {
  const auto [known, is_new] = m_known.try_emplace(place);
  if (!is_new) return known->second;
  known_list list;
  for (const auto* node = m_dominators.getNode(place); node && node->getIDom(); node = node->getIDom()) {
    const llvm::BasicBlock* block = node->getIDom()->getBlock();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
    for (unsigned i : {0u, 1u}) {
      if (m_dominators.dominates(llvm::BasicBlockEdge(block, branch->getSuccessor(i)), place))
        add_known(branch->getCondition(), i == 0, list);
    }
  }
  return m_known[place] = list;
}

void bounds_finder::add_known(llvm::Value* condition, bool truth, known_list& list) {
  using namespace llvm::PatternMatch;
  llvm::Value *left = nullptr, *right = nullptr;
  if (auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(condition)) {
    list.push_back({comparison, truth});
  } else if (match(condition, m_Not(m_Value(left)))) {
    add_known(left, !truth, list);
  } else if (truth ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                   : match(condition, m_LogicalOr(m_Value(left), m_Value(right)))) {
    add_known(left, truth, list);
    add_known(right, truth, list);
  }
}

llvm::Value* bounds_finder::least(llvm::Value* a, llvm::Value* b) {
  return a == b ? a : m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
}

llvm::Value* bounds_finder::most(llvm::Value* a, llvm::Value* b) {
  return a == b ? a : m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
}

llvm::Value* bounds_finder::is_positive(const number_bounds& bounds, std::int64_t from) {
  return m_builder.CreateICmpSGE(bounds.low, number(from));
}

llvm::Value* bounds_finder::fits(const number_bounds& bounds) {
  return m_builder.CreateAnd(m_builder.CreateICmpSGE(bounds.low, number(least_number)),
                             m_builder.CreateICmpSLE(bounds.high, number(most_number)));
}

number_bounds bounds_finder::settle(const llvm::Type& type, llvm::Value* condition, const number_bounds& bounds) {
  if (!type.isIntegerTy(32)) {
    m_conditions.require(condition);
    return bounds;
  }
  return {m_builder.CreateSelect(condition, bounds.low, number(least_number)),
          m_builder.CreateSelect(condition, bounds.high, number(most_number))};
}

}  // namespace sinter::passes
