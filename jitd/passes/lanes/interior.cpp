#include "interior.hpp"

#include <abi/planted_error.hpp>
#include <optional>

#include "early_values.hpp"
#include "lane_promises.hpp"
#include "number_bounds.hpp"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

// With more comparisons, or more instructions in the condition, the copy would cost more than it saves.
constexpr unsigned most_comparisons = 64, most_interior_steps = 256;
// A minimum may contain a maximum, for example. To find such nested borders, several rounds are needed.
constexpr unsigned rounds = 3;
// The limit for comparisons in loops, because finding bounds of values that loops compute takes many steps.
constexpr unsigned most_in_loops = 16;
// A constant up to this size is a border at the beginning of a range. A larger or unknown number is a border at the
// end.
constexpr std::int64_t small_number = 256;

bool is_position(unsigned parameter) {
  return (parameter >= parameter_global_id && parameter < parameter_group_id) || parameter == parameter_item;
}

bool differs_between_lanes(unsigned parameter) {
  return parameter == parameter_global_id + 2 || parameter == parameter_local_id + 2 || parameter == parameter_item;
}

/// A comparison of a position with another value.
struct comparison {
  llvm::CmpInst::Predicate predicate;
  llvm::Value *position, *border;
  bool expected;
};

/// The low bits of a 64-bit sum (whole + more), extended to 64 bits and shifted left. LLVM makes such sums from 32-bit
/// indices. The program promises that the 32-bit sums do not overflow, but LLVM drops the promise.
struct low_part {
  llvm::Value* whole;
  std::int64_t more;  ///< the number that is added to `whole`
  unsigned bits, shift;
  bool is_signed;
};

/// Recognises (whole << left) + (more << left).
bool is_shifted(llvm::Value* value, llvm::Value*& whole, std::int64_t& more, std::uint64_t& left) {
  using namespace llvm::PatternMatch;
  const llvm::APInt* added = nullptr;
  llvm::Value* shifted = value;
  if (match(value, m_Add(m_Value(shifted), m_APInt(added))) && added->countr_zero() < 32) return false;
  if (!match(shifted, m_Shl(m_Value(whole), m_ConstantInt(left))) || left != 32) return false;
  more = added ? added->ashr(32).getSExtValue() : 0;
  return true;
}

std::optional<low_part> low_part_of(llvm::Instruction& instruction) {
  using namespace llvm::PatternMatch;
  llvm::Value* whole = nullptr;
  std::uint64_t left = 0, right = 0;
  if (!instruction.getType()->isIntegerTy(64)) return {};
  llvm::Value* shifted = nullptr;
  std::int64_t more = 0;
  const bool is_signed = match(&instruction, m_AShr(m_Value(shifted), m_ConstantInt(right)));
  if (is_signed || match(&instruction, m_LShr(m_Value(shifted), m_ConstantInt(right)))) {
    if (!is_shifted(shifted, whole, more, left) || right > left) return {};
    return low_part{whole, more, 32, static_cast<unsigned>(left - right), is_signed};
  }
  if (match(&instruction, m_And(m_Value(whole), m_SpecificInt(0xffffffffu)))) return low_part{whole, 0, 32, 0, false};
  if (!match(&instruction, m_ZExtOrSExt(m_Trunc(m_Value(whole)))) || !whole->getType()->isIntegerTy(64)) return {};
  const unsigned bits = instruction.getOperand(0)->getType()->getIntegerBitWidth();
  if (bits != 32) return {};
  return low_part{whole, 0, bits, 0, llvm::isa<llvm::SExtInst>(instruction)};
}

/// Whether a work-item executes this load at its beginning, before any write. (Values that are kept across a barrier
/// are loaded in this way.)
bool is_read_first(const llvm::Instruction& instruction) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  const llvm::BasicBlock& block = *instruction.getParent();
  if (!load || !load->isSimple() || !block.isEntryBlock()) return false;
  return llvm::none_of(llvm::make_range(block.begin(), load->getIterator()), [](const llvm::Instruction& each) {
    return each.mayWriteToMemory() || !llvm::isGuaranteedToTransferExecutionToSuccessor(&each);
  });
}

/// Whether the value depends on the work-item's position. Returns nothing if the value can't be computed at the
/// work-item's beginning.
std::optional<bool> depends_on_position(const llvm::Value* value, unsigned depth) {
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) return is_position(argument->getArgNo());
  if (llvm::isa<llvm::Constant>(value)) return false;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || depth > 16 || !(may_run_first(*instruction) || is_read_first(*instruction))) return {};
  // A value that is promised to be equal in all lanes depends on no position.
  if (promised_of(*instruction) == lane_promise::same) return {};
  bool result = false;
  for (const llvm::Value* operand : instruction->operands()) {
    if (llvm::isa<llvm::Function>(operand)) continue;
    const std::optional<bool> inner = depends_on_position(operand, depth + 1);
    if (!inner) return {};
    result |= *inner;
  }
  return result;
}

comparison in_order(llvm::CmpInst::Predicate predicate, llvm::Value* position, llvm::Value* border) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(border);
  const bool at_the_beginning = number && number->getValue().abs().ule(small_number);
  comparison result{predicate, position, border, false};
  if (llvm::CmpInst::isEquality(predicate)) {
    result.expected = predicate == llvm::CmpInst::ICMP_NE;
  } else {
    const bool greater = llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate);
    result.expected = greater == at_the_beginning;
  }
  return result;
}

std::optional<comparison> understand(llvm::CmpInst::Predicate predicate, llvm::Value* a, llvm::Value* b) {
  if (!a->getType()->isIntegerTy()) return {};
  const std::optional<bool> of_a = depends_on_position(a, 0), of_b = depends_on_position(b, 0);
  if (!of_a || !of_b || *of_a == *of_b) return {};
  return *of_a ? in_order(predicate, a, b) : in_order(llvm::CmpInst::getSwappedPredicate(predicate), b, a);
}

/// Recognises expressions such as i == 0 ? 0 : i - 1, which LLVM writes as a saturating subtraction. Away from the
/// border, a plain subtraction gives the same result.
std::optional<comparison> difference_from_border(llvm::Instruction& instruction) {
  auto* difference = llvm::dyn_cast<llvm::SaturatingInst>(&instruction);
  if (!difference || difference->getIntrinsicID() != llvm::Intrinsic::usub_sat) return {};
  const auto found = understand(llvm::CmpInst::ICMP_UGE, difference->getLHS(), difference->getRHS());
  return found && found->expected && found->position == difference->getLHS() ? found : std::nullopt;
}

/// Whether a value is computed from a lane's position, perhaps in a loop.
bool is_of_place(const llvm::Value* value, llvm::SmallPtrSetImpl<const llvm::Value*>& seen) {
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) return differs_between_lanes(argument->getArgNo());
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || instruction->mayReadFromMemory() || !seen.insert(instruction).second) return false;
  return llvm::any_of(instruction->operand_values(),
                      [&](const llvm::Value* operand) { return is_of_place(operand, seen); });
}

bool is_of_place(const llvm::Value* value) {
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  return is_of_place(value, seen);
}

/// Recognises a comparison of a position with a value that all lanes share, if the position depends on counters of
/// loops.
std::optional<comparison> understand_in_loop(llvm::CmpInst::Predicate predicate, llvm::Value* a, llvm::Value* b) {
  if (!a->getType()->isIntegerTy(32) && !a->getType()->isIntegerTy(64)) return {};
  const bool of_a = is_of_place(a);
  if (of_a == is_of_place(b)) return {};
  return of_a ? in_order(predicate, a, b) : in_order(llvm::CmpInst::getSwappedPredicate(predicate), b, a);
}

/// Whether a branch that ends a loop depends on the comparison. If the comparison always had the expected result, the
/// loop would never end.
bool ends_loop(const llvm::Instruction& compare, const llvm::LoopInfo& loops) {
  // Each instruction is visited once, because a condition that a loop accumulates (found |= test) uses itself.
  llvm::SmallPtrSet<const llvm::Instruction*, 8> seen{&compare};
  llvm::SmallVector<const llvm::Instruction*, 8> left{&compare};
  while (!left.empty()) {
    for (const llvm::User* user : left.pop_back_val()->users()) {
      const auto* instruction = llvm::cast<llvm::Instruction>(user);
      if (!instruction->isTerminator()) {
        if (user->getType()->isIntegerTy(1) && seen.insert(instruction).second) left.push_back(instruction);
        continue;
      }
      const llvm::Loop* loop = loops.getLoopFor(instruction->getParent());
      if (loop && loop->isLoopExiting(instruction->getParent())) return true;
    }
  }
  return false;
}

/// Whether a position is compared with anything. This function is called before it is known which values differ between
/// lanes.
bool may_have_borders(llvm::Function& function) {
  const auto is_understood = [](llvm::CmpInst::Predicate predicate, llvm::Value* a, llvm::Value* b) {
    return understand(predicate, a, b) || understand_in_loop(predicate, a, b);
  };
  return llvm::any_of(llvm::instructions(function), [&](llvm::Instruction& each) {
    if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&each))
      return is_understood(compare->getPredicate(), compare->getOperand(0), compare->getOperand(1));
    if (const auto* limit = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&each))
      return is_understood(limit->getPredicate(), limit->getLHS(), limit->getRHS());
    if (difference_from_border(each)) return true;
    const auto has_position = [](const llvm::Value* value) { return depends_on_position(value, 0).value_or(false); };
    if (each.getOpcode() == llvm::Instruction::And && llvm::any_of(each.operand_values(), has_position)) return true;
    const auto low = low_part_of(each);
    return low && has_position(low->whole);
  });
}

/// Indices of the parameters that are equal in all lanes.
llvm::ArrayRef<unsigned> parameters_alike() {
  static const auto alike = [] {
    llvm::SmallVector<unsigned, parameter_count> list;
    for (unsigned i = 0; i < parameter_count; ++i) {
      if (!differs_between_lanes(i)) list.push_back(i);
    }
    return list;
  }();
  return alike;
}

llvm::Function* clone(llvm::Function& function) {
  llvm::ValueToValueMapTy map;
  return llvm::CloneFunction(&function, map);
}

class interior_builder {
public:
  interior_builder(llvm::Function& prepared, lane_facts facts)
      : m_facts(facts),
        m_result{clone(prepared)},
        m_early(*m_result.function, all_parameters(), llvm::Type::getInt1Ty(prepared.getContext()),
                prepared.getName() + ".inside"),
        m_builder(m_early.builder()) {
    m_result.condition = m_builder.GetInsertBlock()->getParent();
    m_result.condition->setAttributes(prepared.getAttributes().removeAttributesAtIndex(
        prepared.getContext(), llvm::AttributeList::ReturnIndex));
    m_holds = m_builder.getTrue();
  }

  interior run() {
    for (unsigned round = 0; round < rounds; ++round) {
      const unsigned before = m_count;
      replace_comparisons();
      if (m_count == before) break;
    }
    for (llvm::Instruction* each : llvm::reverse(m_replaced)) each->eraseFromParent();
    m_early.finish(m_holds);
    if (m_count != 0 && m_count <= most_comparisons && m_steps <= most_interior_steps) return m_result;
    m_result.function->eraseFromParent();
    m_result.condition->eraseFromParent();
    return {};
  }

private:
  static llvm::ArrayRef<unsigned> all_parameters() {
    static const auto all = llvm::to_vector(llvm::seq<unsigned>(0, parameter_count));
    return all;
  }

  void replace_comparisons() {
    const lane_analyses known(*m_result.function, m_facts);
    const lane_shapes& shapes = known.shapes;
    if (shapes.failure()) return;
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(m_result.function)) {
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
        if (m_count > most_comparisons || m_steps > most_interior_steps) return;
        // The previous round replaced the instruction.
        if (instruction.use_empty()) continue;
        if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
          const auto found = understand(compare->getPredicate(), compare->getOperand(0), compare->getOperand(1));
          if (found && promise(*found, shapes)) {
            replace(instruction, m_builder.getInt1(found->expected));
          } else if (!found && !known.loops.empty() && !ends_loop(instruction, known.loops)) {
            const auto moved =
                understand_in_loop(compare->getPredicate(), compare->getOperand(0), compare->getOperand(1));
            if (moved && promise_in_loop(*moved, *block)) replace(instruction, m_builder.getInt1(moved->expected));
          }
        } else if (auto* limit = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction)) {
          // If this predicate is true for the left and the right operand, the minimum or maximum is the left operand.
          const auto predicate = llvm::CmpInst::getNonStrictPredicate(limit->getPredicate());
          auto found = understand(predicate, limit->getLHS(), limit->getRHS());
          if (found && found->position != limit->getLHS())
            found = understand(predicate, limit->getRHS(), limit->getLHS());
          const bool in_loop = !found && !known.loops.empty();
          if (in_loop) {
            found = understand_in_loop(predicate, limit->getLHS(), limit->getRHS());
            if (found && found->position != limit->getLHS())
              found = understand_in_loop(predicate, limit->getRHS(), limit->getLHS());
          }
          if (!found || !found->expected) continue;
          if (!(in_loop ? promise_in_loop(*found, *block) : promise(*found, shapes))) continue;
          replace(instruction, found->position);
          m_result.unclamps = true;
        } else if (const auto difference = difference_from_border(instruction);
                   difference && promise(*difference, shapes)) {
          llvm::IRBuilder<> here(&instruction);
          replace(instruction, here.CreateNUWSub(difference->position, difference->border));
          m_result.unclamps = true;
        } else if (const lane_promise found = promise_of_cut(instruction, shapes); found != lane_promise::none) {
          llvm::IRBuilder<> behind(instruction.getParent(), std::next(instruction.getIterator()));
          llvm::Value* said = say(behind, found, &instruction);
          instruction.replaceUsesWithIf(said, [&](const llvm::Use& use) { return use.getUser() != said; });
          m_result.unclamps = true;
          ++m_count;
        } else if (const auto low = low_part_of(instruction); low && promise(*low, shapes)) {
          llvm::IRBuilder<> here(&instruction);
          replace(instruction,
                  here.CreateShl(here.CreateAdd(low->whole, here.getInt64(static_cast<std::uint64_t>(low->more))),
                                 low->shift));
        }
      }
    }
  }

  void replace(llvm::Instruction& instruction, llvm::Value* by) {
    instruction.replaceAllUsesWith(by);
    // The instruction is erased only at the end. The maps of facts use addresses of instructions as keys, and a new
    // instruction could get the address of an erased instruction.
    m_replaced.push_back(&instruction);
    ++m_count;
  }

  /// Does what promise() does, for positions that depend on loop counters. The condition compares the bounds of the
  /// position with the bounds of the border, so it covers all values of the counters.
  bool promise_in_loop(const comparison& what, const llvm::BasicBlock& place) {
    if (++m_in_loops > most_in_loops) return false;
    bounds_finder bounds(*m_result.function, m_dominators, m_early, parameters_alike());
    for (llvm::Argument& argument : m_result.function->args()) {
      if (!differs_between_lanes(argument.getArgNo())) continue;
      llvm::Value* first = m_result.condition->getArg(argument.getArgNo());
      bounds.set(&argument, {first, m_builder.CreateAdd(first, m_builder.getInt64(m_facts.lanes - 1))});
    }
    const auto position = bounds.at(what.position, &place), border = bounds.at(what.border, &place);
    if (!position || !border) return false;
    auto predicate = what.expected ? what.predicate : llvm::CmpInst::getInversePredicate(what.predicate);
    const auto no_sign = [&](const number_bounds& of) {
      return m_builder.CreateICmpSGE(of.low, m_builder.getInt64(0));
    };
    llvm::Value* holds = bounds.holds();
    if (llvm::CmpInst::isUnsigned(predicate)) {
      // Unsigned numbers have usable bounds only if their highest bit is 0.
      holds = m_builder.CreateAnd(holds, m_builder.CreateAnd(no_sign(*position), no_sign(*border)));
      predicate = llvm::ICmpInst::getSignedPredicate(predicate);
    }
    if (llvm::CmpInst::isEquality(predicate)) {
      if (predicate == llvm::CmpInst::ICMP_EQ) return false;
      holds = m_builder.CreateAnd(holds, m_builder.CreateOr(m_builder.CreateICmpSLT(position->high, border->low),
                                                            m_builder.CreateICmpSGT(position->low, border->high)));
    } else {
      const bool above = llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate);
      llvm::Value* end = above ? position->low : position->high;
      holds = m_builder.CreateAnd(holds, m_builder.CreateICmp(predicate, end, above ? border->high : border->low));
    }
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds); known && known->isZero()) return false;
    require(holds);
    m_result.in_loops = true;
    return true;
  }

  /// Adds a test to the condition: the comparison has the expected result in all lanes. Returns false if no such test
  /// can be computed.
  bool promise(const comparison& what, const lane_shapes& shapes) {
    const lane_shape shape = shapes.of(what.position);
    if (shape.is_varying() || !shapes.of(what.border).is_uniform()) return false;
    llvm::Value* border = evaluate(what.border, 0);
    llvm::Value* first = evaluate(what.position, 0);
    if (shape.is_uniform()) {
      require(is_expected(what, first, border));
      return true;
    }
    const unsigned bits = first->getType()->getIntegerBitWidth();
    const std::int64_t span = std::abs(shape.stride) * (m_facts.lanes - 1);
    if (span == 0 || bits > 64 || !llvm::isIntN(bits - 1, span)) return false;
    llvm::Value* last = evaluate(what.position, m_facts.lanes - 1);
    if (shape.stride < 0) std::swap(first, last);
    // It is enough to test the first and the last lane, because the other lanes' positions lie between them, unless
    // positions wrap around.
    const bool is_unsigned = llvm::CmpInst::isUnsigned(what.predicate);
    require(m_builder.CreateICmp(is_unsigned ? llvm::CmpInst::ICMP_ULE : llvm::CmpInst::ICMP_SLE, first, last));
    if (llvm::CmpInst::isEquality(what.predicate)) {
      require(m_builder.CreateOr(m_builder.CreateICmpSLT(border, first), m_builder.CreateICmpSGT(border, last)));
    } else {
      require(is_expected(what, first, border));
      require(is_expected(what, last, border));
    }
    return true;
  }

  /// Adds a test to the condition: the number equals its low part in all lanes.
  bool promise(const low_part& what, const lane_shapes& shapes) {
    const lane_shape shape = shapes.of(what.whole);
    if (shape.is_varying() || shape.is_uniform() || !depends_on_position(what.whole, 0).value_or(false)) return false;
    // If the numbers of the first and the last lane fit these bits, the numbers of all lanes between them fit, too.
    if (!llvm::isIntN(what.bits - 1, std::abs(shape.stride) * m_facts.lanes)) return false;
    const llvm::APInt end = llvm::APInt::getOneBitSet(64, what.bits);
    for (const unsigned lane : {0u, m_facts.lanes - 1}) {
      llvm::Value* number =
          m_builder.CreateAdd(evaluate(what.whole, lane), m_builder.getInt64(static_cast<std::uint64_t>(what.more)));
      if (what.is_signed) number = m_builder.CreateAdd(number, m_builder.getInt(end.lshr(1)));
      require(m_builder.CreateICmpULT(number, m_builder.getInt(end)));
    }
    return true;
  }

  /// For i & m, where i is a position, adds a test to the condition. If m is computed as n - 1, the test is that i &
  /// m counts up from lane to lane. For any other m, the test is that i & m is equal in all lanes. n and m are
  /// mostly powers of two.
  lane_promise promise_of_cut(llvm::Instruction& instruction, const lane_shapes& shapes) {
    if (instruction.getOpcode() != llvm::Instruction::And || !shapes.of(&instruction).is_varying())
      return lane_promise::none;
    if (promised_of(instruction) != lane_promise::none) return lane_promise::none;
    llvm::Value *position = instruction.getOperand(0), *mask = instruction.getOperand(1);
    if (shapes.of(position).is_uniform()) std::swap(position, mask);
    const lane_shape shape = shapes.of(position);
    if (shape.what != lane_shape::kind::strided || shape.stride != 1) return lane_promise::none;
    if (!shapes.of(mask).is_uniform() || llvm::isa<llvm::Constant>(mask)) return lane_promise::none;
    if (!depends_on_position(position, 0).value_or(false) || depends_on_position(mask, 0).value_or(true))
      return lane_promise::none;
    if (!llvm::isUIntN(mask->getType()->getIntegerBitWidth() - 1, m_facts.lanes)) return lane_promise::none;
    // If lane 0's position is a multiple of the number of lanes, stride_forms has already made copies for this case.
    const bool counts =
        match(mask, llvm::PatternMatch::m_Add(llvm::PatternMatch::m_Value(), llvm::PatternMatch::m_AllOnes()));
    if (counts && shape.aligned) return lane_promise::none;
    llvm::Constant* span = llvm::ConstantInt::get(mask->getType(), m_facts.lanes - 1);
    llvm::Value* known = evaluate(mask, 0);
    llvm::Value* low = m_builder.CreateAnd(known, span);
    llvm::Value* first = m_builder.CreateAnd(evaluate(position, 0), known);
    llvm::Value* last = m_builder.CreateAnd(evaluate(position, m_facts.lanes - 1), known);
    // It is enough to test the first and the last lane, because from the first to the last lane, at most one carry
    // leaves the low bits.
    if (!counts) {
      require(m_builder.CreateIsNull(low));
      require(m_builder.CreateICmpEQ(first, last));
      return lane_promise::same;
    }
    require(m_builder.CreateICmpEQ(low, span));
    require(m_builder.CreateICmpEQ(m_builder.CreateSub(last, first), span));
    require(m_builder.CreateICmpULE(first, last));
    return lane_promise::counts_up;
  }

  llvm::Value* is_expected(const comparison& what, llvm::Value* position, llvm::Value* border) {
    const auto predicate = what.expected ? what.predicate : llvm::CmpInst::getInversePredicate(what.predicate);
    return m_builder.CreateICmp(predicate, position, border);
  }

  void require(llvm::Value* holds) {
    m_holds = m_builder.CreateAnd(m_holds, holds);
    m_steps += 2;
  }

  /// Emits code into the condition. The code computes the value in lane number `lane`.
  llvm::Value* evaluate(llvm::Value* value, unsigned lane) {
    if (llvm::isa<llvm::Constant>(value)) return value;
    llvm::Value*& known = m_known[{value, lane}];
    if (known) return known;
    llvm::Value* made = nullptr;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
      made = m_result.condition->getArg(argument->getArgNo());
      if (lane != 0 && differs_between_lanes(argument->getArgNo())) {
        made = m_builder.CreateAdd(made, llvm::ConstantInt::get(made->getType(), lane), "", true, true);
      }
    } else {
      auto* instruction = llvm::cast<llvm::Instruction>(value);
      if (is_lane_promise(*instruction)) return evaluate(instruction->getOperand(0), lane);
      llvm::Instruction* copy = instruction->clone();
      for (llvm::Use& operand : copy->operands()) {
        if (!llvm::isa<llvm::Function>(operand)) operand.set(evaluate(operand, lane));
      }
      // Flags such as nsw may hold only where the original instruction is.
      copy->dropPoisonGeneratingAnnotations();
      copy->setAAMetadata(llvm::AAMDNodes());
      copy->setDebugLoc({});
      made = m_builder.Insert(copy);
      if (llvm::canCreatePoison(llvm::cast<llvm::Operator>(copy))) {
        if (copy->isShift() && abi::is_planted("freeze")) {
          end_where_poison(*copy);
        } else {
          made = m_builder.CreateFreeze(made);
        }
      }
      ++m_steps;
    }
    return m_known[{value, lane}] = made;
  }

  /// A planted fault for tests: the shift's result is not frozen. If the shift's result is poison, a branch would
  /// depend on poison. This is undefined behaviour, but mostly does no harm. The fault's code ends the program instead.
  void end_where_poison(llvm::Instruction& shift) {
    llvm::Value* amount = shift.getOperand(1);
    llvm::Value* bits = llvm::ConstantInt::get(amount->getType(), amount->getType()->getIntegerBitWidth());
    llvm::Value* too_much = m_builder.CreateICmpUGE(amount, bits);
    llvm::Value* nowhere = m_builder.CreateIntToPtr(m_builder.getInt64(8), m_builder.getPtrTy());
    llvm::Value* place = m_builder.CreateSelect(too_much, nowhere, m_result.condition->getArg(parameter_block));
    m_builder.CreateLoad(m_builder.getInt8Ty(), place, /*isVolatile=*/true);
  }

  lane_facts m_facts;
  interior m_result;
  early_function m_early;         ///< computes the condition
  llvm::IRBuilder<>& m_builder;  ///< the builder of m_early
  llvm::DominatorTree m_dominators{*m_result.function};
  llvm::SmallVector<llvm::Instruction*, 16> m_replaced;
  llvm::Value* m_holds = nullptr;
  llvm::DenseMap<std::pair<llvm::Value*, unsigned>, llvm::Value*> m_known;
  unsigned m_count = 0, m_steps = 0, m_in_loops = 0;
};

/// Calls the function for one lane after the other. Returns the last call's result.
llvm::Value* call_for_each_lane(llvm::IRBuilder<>& builder, llvm::Function& joined, llvm::Function& scalar,
                                unsigned lanes) {
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* body = llvm::BasicBlock::Create(joined.getContext(), "lane", &joined);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(joined.getContext(), "lanes.end", &joined);
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  llvm::PHINode* lane = builder.CreatePHI(builder.getInt64Ty(), 2, "lane");
  lane->addIncoming(builder.getInt64(0), before);
  llvm::SmallVector<llvm::Value*, parameter_count> arguments;
  for (llvm::Argument& argument : joined.args()) {
    const bool differs = differs_between_lanes(argument.getArgNo());
    arguments.push_back(differs ? builder.CreateAdd(&argument, lane, "", true, true) : &argument);
  }
  llvm::Value* result = builder.CreateCall(&scalar, arguments);
  llvm::Value* next = builder.CreateAdd(lane, builder.getInt64(1), "", true, true);
  lane->addIncoming(next, body);
  llvm::BranchInst* back = builder.CreateCondBr(builder.CreateICmpULT(next, builder.getInt64(lanes)), body, done);
  // The loop is not unrolled: few vectors are at borders, and one copy of the scalar code for each lane would take
  // longer to compile than all other code.
  llvm::LLVMContext& context = joined.getContext();
  llvm::MDNode* once = llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.unroll.disable")});
  back->setMetadata(llvm::LLVMContext::MD_loop, llvm::makePostTransformationMetadata(context, nullptr, {}, {once}));
  builder.SetInsertPoint(done);
  return result;
}

} // namespace

interior find_interior(llvm::Function& prepared, lane_facts facts) {
  return may_have_borders(prepared) ? interior_builder(prepared, facts).run() : interior{};
}

unsigned cost_of_condition(const interior& inside) {
  llvm::SmallPtrSet<const llvm::Value*, 32> differing;
  for (const llvm::Argument& argument : inside.condition->args()) {
    if (differs_between_lanes(argument.getArgNo())) differing.insert(&argument);
  }
  // The condition is one block, so its instructions are in order.
  for (const llvm::Instruction& each : inside.condition->getEntryBlock()) {
    if (llvm::any_of(each.operand_values(), [&](const llvm::Value* operand) { return differing.contains(operand); }))
      differing.insert(&each);
  }
  return static_cast<unsigned>(differing.size());
}

llvm::Function* join_interior(const interior& inside, llvm::Function& outside, bool outside_is_wide, unsigned lanes) {
  llvm::Function& model = *inside.function;
  auto* joined = llvm::Function::Create(model.getFunctionType(), model.getLinkage(), model.getName() + ".joined",
                                        *model.getParent());
  joined->copyAttributesFrom(&model);
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(joined->getContext(), name, joined); };
  llvm::IRBuilder<> builder(block("entry"));
  llvm::BasicBlock *in = block("inside"), *out = block("outside");
  llvm::SmallVector<llvm::Value*, parameter_count> arguments;
  for (llvm::Argument& argument : joined->args()) arguments.push_back(&argument);
  llvm::SmallVector<llvm::CallInst*, 3> calls;
  auto call = [&](llvm::Function& function) {
    calls.push_back(builder.CreateCall(&function, arguments));
    return calls.back();
  };
  builder.CreateCondBr(call(*inside.condition), in, out);
  builder.SetInsertPoint(in);
  builder.CreateRet(call(model));
  builder.SetInsertPoint(out);
  builder.CreateRet(outside_is_wide ? call(outside) : call_for_each_lane(builder, *joined, outside, lanes));
  for (llvm::CallInst* each : calls) {
    llvm::Function* used = each->getCalledFunction();
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*each, info);
    used->eraseFromParent();
  }
  return joined;
}

} // namespace sinter::passes
