// The part of value_forms that handles loops: their counters, and their numbers of iterations ("turns").

#include "llvm/IR/PatternMatch.h"
#include "value_forms.hpp"

namespace sinter::passes {
namespace {

using predicate = llvm::CmpInst::Predicate;
using wide = __int128;

bool holds(wide low, wide high, unsigned bits, bool is_signed) {
  const wide one = 1;
  if (is_signed) return low >= -(one << (bits - 1)) && high < one << (bits - 1);
  return low >= 0 && high < one << bits;
}

bool is_strict(predicate p) {
  return p == llvm::CmpInst::ICMP_SLT || p == llvm::CmpInst::ICMP_ULT || p == llvm::CmpInst::ICMP_SGT ||
         p == llvm::CmpInst::ICMP_UGT;
}
bool is_less(predicate p) {
  return p == llvm::CmpInst::ICMP_SLT || p == llvm::CmpInst::ICMP_ULT || p == llvm::CmpInst::ICMP_SLE ||
         p == llvm::CmpInst::ICMP_ULE;
}

/// Addresses in one allocation are closer together than this.
constexpr wide most_bytes = wide{1} << 46;

}  // namespace

affine_form value_forms::loop_counter::in_turn() const {
  affine_form result = start;
  result.coefficients[variable_loop + slot] = step;
  return result;
}

form value_forms::counter(llvm::PHINode& phi) {
  const auto known = m_counters.find(&phi);
  if (known == m_counters.end()) return std::nullopt;
  const loop_counter& counter = known->second;
  const affine_form now = counter.in_turn();
  const unsigned bits = phi.getType()->getIntegerBitWidth();
  if (form fits = fits_somehow(now, bits)) return fits;
  if (!m_is_used || !(counter.keeps_sign || counter.keeps_carry) || bits > 62) return std::nullopt;
  // The counter's value is used here, so it has not overflowed, which limits the number of iterations.
  const bool up = counter.step > 0;
  const std::int64_t end = (std::int64_t{1} << (counter.keeps_sign ? bits - 1 : bits)) - 1;
  const std::int64_t begin = counter.keeps_sign ? -end - 1 : 0, stride = up ? counter.step : -counter.step;
  const form left = up ? minus(number(end), now) : minus(now, number(begin));
  const bounds first = bounds_of(counter.start);
  const wide way = up ? end - first.first : first.last - begin;
  if (!left || way < 0) return std::nullopt;
  m_turns[counter.slot] = static_cast<std::uint64_t>(std::min<wide>(m_turns[counter.slot], way / stride + 1));
  m_guards.push_back(*left);
  return fits_somehow(now, bits);
}

/// Finds counters among the loop's phis. The counters' start values and steps must not depend on other phis of the
/// loop. Returns false if further phis might be counters if fewer iterations were assumed.
bool value_forms::find_counters(llvm::Loop& loop, std::int64_t most) {
  using namespace llvm::PatternMatch;
  const unsigned slot = loop.getLoopDepth() - 1;
  m_turns[slot] = static_cast<std::uint64_t>(most);
  std::vector<llvm::PHINode*> others;
  for (llvm::PHINode& phi : loop.getHeader()->phis()) m_counters.erase(&phi);
  for (llvm::PHINode& phi : loop.getHeader()->phis()) {
    llvm::Value* start = phi.getIncomingValueForBlock(loop.getLoopPredecessor());
    llvm::Value* next = phi.getIncomingValueForBlock(loop.getLoopLatch());
    loop_counter found{{}, 0, slot, nullptr, false, false};
    form first, step;
    if (phi.getType()->isPointerTy()) {
      llvm::Value* from = nullptr;
      first = address(start, found.base);
      step = address(next, from);
      if (!found.base) continue;
      if (from != &phi) step.reset();
    } else if (phi.getType()->isIntegerTy() && phi.getType()->getIntegerBitWidth() <= 64) {
      llvm::Value* by = nullptr;
      const bool adds = match(next, m_c_Add(m_Specific(&phi), m_Value(by)));
      first = value(start, 0);
      if (adds) {
        step = value(by, 0);
      } else if (match(next, m_Sub(m_Specific(&phi), m_Value(by)))) {
        step = minus(number(0), value(by, 0));
      }
      if (step) {
        const auto* wraps = llvm::cast<llvm::OverflowingBinaryOperator>(next);
        found.keeps_sign = wraps->hasNoSignedWrap();
        // If a large unsigned number is added in each iteration, the counter counts down.
        found.keeps_carry = wraps->hasNoUnsignedWrap() && (adds ? step->constant > 0 : step->constant < 0);
      }
    }
    if (!first) continue;
    found.start = *first;
    if (!step) {
      others.push_back(&phi);
      m_counters[&phi] = found;
    } else if (is_number(*step) && step->constant != 0) {
      found.step = step->constant;
      m_counters[&phi] = found;
    }
  }
  return others.empty() || find_recomputed(loop, others);
}

/// Finds counters among two kinds of phis: phis whose next value is computed from other counters, and phis whose value
/// is truncated and extended in each iteration. Such a phi is a counter if its step is the same in every iteration as
/// in the first iteration.
bool value_forms::find_recomputed(llvm::Loop& loop, std::vector<llvm::PHINode*>& phis) {
  const unsigned slot = loop.getLoopDepth() - 1;
  const auto turns = m_turns;
  const std::size_t guards = m_guards.size(), quotients = m_quotients.size();
  const unsigned next_slot = m_next_slot;
  auto next_of = [&](llvm::PHINode& phi) {
    llvm::Value* next = phi.getIncomingValueForBlock(loop.getLoopLatch());
    if (!phi.getType()->isPointerTy()) return value(next, 0);
    llvm::Value* base = nullptr;
    const form at = address(next, base);
    return is_same_base(base, m_counters[&phi].base) ? at : form();
  };
  // In the first iteration, all counters have their start values.
  m_turns[slot] = 1;
  m_forms.clear();
  llvm::DenseMap<llvm::PHINode*, std::int64_t> steps;
  for (llvm::PHINode* phi : phis) {
    form next = next_of(*phi);
    if (next) next->coefficients[variable_loop + slot] = 0;
    const form step = minus(next, m_counters[phi].start);
    if (step && is_number(*step) && step->constant != 0) steps[phi] = step->constant;
  }
  const auto drop = [&](auto fails) {
    const std::size_t before = phis.size();
    llvm::erase_if(phis, [&](llvm::PHINode* phi) { return fails(*phi) && m_counters.erase(phi); });
    return phis.size() < before;
  };
  drop([&](llvm::PHINode& phi) { return !steps.contains(&phi); });
  for (llvm::PHINode* phi : phis) m_counters[phi].step = steps[phi];
  m_turns = turns;
  bool all = true;
  const auto is_other = [&](llvm::PHINode& phi) {
    const loop_counter& counter = m_counters[&phi];
    return next_of(phi) != plus(counter.in_turn(), number(counter.step));
  };
  // Repeats until no counter depends on a dropped counter.
  for (m_forms.clear(); drop(is_other); m_forms.clear()) all = false;
  m_turns = turns;
  m_guards.resize(guards);
  m_quotients.resize(quotients);
  m_next_slot = next_slot;
  return all;
}

bool value_forms::is_same_base(const llvm::Value* a, const llvm::Value* b) const {
  return a && b && (a == b || (block_offset(a) && block_offset(a) == block_offset(b)));
}

/// Whether the value may change in each iteration, because it depends on a phi of the loop, or on memory.
bool value_forms::may_vary(const llvm::Value& value, const llvm::Loop& loop, unsigned depth) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || !loop.contains(instruction)) return false;
  if (depth > 16 || llvm::isa<llvm::PHINode>(instruction)) return true;
  if (instruction->mayReadFromMemory()) return !block_offset(instruction);
  return llvm::any_of(instruction->operands(),
                      [&](const llvm::Use& operand) { return may_vary(*operand.get(), loop, depth + 1); });
}

/// Finds the number of iterations from the loop's exits, under the assumption of at most `most` iterations. Forms of
/// counters are valid in these iterations only.
value_forms::loop_view value_forms::look_at(llvm::Loop& loop, const llvm::BasicBlock* place, std::int64_t most) {
  const unsigned slot = loop.getLoopDepth() - 1;
  loop_view result;
  m_forms.clear();
  result.is_complete = find_counters(loop, most);
  m_forms.clear();
  wide turns = most_turns + wide{1};
  llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  loop.getExitingBlocks(exits);
  for (llvm::BasicBlock* exit : exits) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(exit->getTerminator());
    // The test runs once in each iteration.
    const bool always = m_loops.getLoopFor(exit) == &loop && m_tree.dominates(exit, loop.getLoopLatch());
    if (!always || !branch || !branch->isConditional() ||
        loop.contains(branch->getSuccessor(0)) == loop.contains(branch->getSuccessor(1))) {
      result.is_exact = false;
      continue;
    }
    const bool stays = loop.contains(branch->getSuccessor(0));
    std::vector<affine_form> tests;
    if (add_tests(branch->getCondition(), stays, loop, tests)) {
      result.tested.push_back(exit);
    } else {
      result.is_exact = false;
    }
    // At places behind the test, the test's condition is known to be true in this iteration and in all earlier
    // iterations. At other places, the condition is known to be true only in the earlier iterations.
    const bool behind = m_tree.dominates(llvm::BasicBlockEdge(exit, branch->getSuccessor(stays ? 0 : 1)), place);
    for (const affine_form& test : tests) {
      affine_form at_first = test;
      at_first.coefficients[variable_loop + slot] = 0;
      const std::int64_t stride = -test.coefficients[variable_loop + slot];
      const bounds of_first = bounds_of(at_first);
      if (stride <= 0) {
        // A condition without counters that holds in the first iteration holds in all iterations.
        if (of_first.last < 0) turns = std::min<wide>(turns, behind ? 0 : 1);
        if (of_first.first < 0) {
          // In each iteration, variables of inner loops may have different values.
          const llvm::ArrayRef<std::int64_t> all = at_first.coefficients;
          const bool tells =
              behind && llvm::all_of(all.drop_front(variable_loop + slot), [](std::int64_t each) { return each == 0; });
          if (tells) result.guards.push_back(at_first);
          result.is_exact &= tells;
        }
        continue;
      }
      turns = std::min(turns, (of_first.last < 0 ? 0 : of_first.last / stride + 1) + (behind ? 0 : 1));
      if (is_number(at_first)) continue;
      if (behind) {
        result.guards.push_back(test);
        continue;
      }
      const form before = plus(test, number(stride)), before_first = plus(at_first, number(stride));
      // There is no test before the first iteration.
      if (before && before_first && bounds_of(*before_first).first >= 0) {
        result.guards.push_back(*before);
      } else {
        result.is_exact = false;
      }
    }
  }
  if (turns > most_turns) {
    turns = most_turns;
    result.is_exact = false;
  }
  result.turns = static_cast<std::int64_t>(turns);
  return result;
}

/// Examines a loop that contains the place: finds the loop's number of iterations, and guards that hold at the place.
void value_forms::enter(llvm::Loop& loop, const llvm::BasicBlock* place) {
  const unsigned slot = loop.getLoopDepth() - 1;
  if (slot >= loop_depth || !loop.getLoopLatch() || !loop.getLoopPredecessor()) {
    m_exact = false;
    return;
  }
  m_is_used = false;
  m_entered = &loop;
  // If the number of iterations were not limited, values of narrow types might overflow and would have no forms. So a
  // limit is assumed first. If the loop's exits then show that the loop ends within this limit, the assumption was
  // right.
  loop_view view;
  auto ends_within = [&](std::int64_t most) {
    view = look_at(loop, place, most);
    return view.turns < most;
  };
  const auto known = m_assumed.find(&loop);
  std::int64_t most = known == m_assumed.end() ? most_turns : known->second;
  bool ends = ends_within(most);
  if (known == m_assumed.end() || most != most_turns) {
    for (std::int64_t fewer = std::int64_t{1} << 31; !ends && fewer >= 8; fewer /= 2) ends = ends_within(most = fewer);
    if (ends && !view.is_complete) {
      // If fewer iterations are assumed, more phis may be counters. The limit on iterations is one more than this place
      // has, because other places in the loop may be reached once more.
      const std::int64_t fewer = view.turns + 2;
      if (ends_within(fewer)) {
        most = fewer;
      } else {
        ends = ends_within(most);
      }
    }
    if (!ends) ends_within(most = most_turns);
  }
  m_assumed[&loop] = most;
  m_entered = nullptr;
  m_exact &= view.is_exact;
  m_turns[slot] = static_cast<std::uint64_t>(view.turns);
  m_tested.insert(view.tested.begin(), view.tested.end());
  m_never |= view.turns == 0;
  m_forms.clear();
  for (const affine_form& guard : view.guards) (void)at_least(guard, 0);
  m_forms.clear();
  m_is_used = true;
}

/// Adds conditions under which the loop continues. Each condition is a form that is at least 0 while the loop
/// continues. Returns false if some conditions can't be expressed.
bool value_forms::add_tests(llvm::Value* condition, bool stays, llvm::Loop& loop, std::vector<affine_form>& tests,
                            unsigned depth) {
  using namespace llvm::PatternMatch;
  llvm::Value *a = nullptr, *b = nullptr;
  if (depth > 8 || !condition->getType()->isIntegerTy(1)) return false;
  if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(condition))
    return add_tests(freeze->getOperand(0), stays, loop, tests, depth + 1);
  if (match(condition, m_Not(m_Value(a)))) return add_tests(a, !stays, loop, tests, depth + 1);
  if (stays ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
            : match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    const bool first = add_tests(a, stays, loop, tests, depth + 1);
    return add_tests(b, stays, loop, tests, depth + 1) && first;
  }
  const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!comparison) return false;
  const predicate wanted = stays ? comparison->getPredicate() : comparison->getInversePredicate();
  llvm::Value *left = comparison->getOperand(0), *right = comparison->getOperand(1);
  form test = test_of_counter(left, right, wanted, loop);
  if (!test) test = test_of_counter(right, left, llvm::CmpInst::getSwappedPredicate(wanted), loop);
  if (!test) return add_tests_of_forms(*comparison, wanted, tests);
  tests.push_back(*test);
  return true;
}

/// Returns a form that is at least 0 while the loop continues. `moving` is a counter, or its value in the next
/// iteration, and approaches `end`.
form value_forms::test_of_counter(llvm::Value* moving, llvm::Value* end, predicate stays, llvm::Loop& loop) {
  using p = llvm::CmpInst;
  llvm::Value* counted = moving;
  const bool is_sext = llvm::isa<llvm::SExtInst>(moving), is_zext = llvm::isa<llvm::ZExtInst>(moving);
  if (is_sext || is_zext) counted = llvm::cast<llvm::CastInst>(moving)->getOperand(0);
  const loop_counter* counter = nullptr;
  bool of_next = false;
  for (llvm::PHINode& phi : loop.getHeader()->phis()) {
    llvm::Value* next = phi.getIncomingValueForBlock(loop.getLoopLatch());
    const auto known = m_counters.find(&phi);
    if (known == m_counters.end() || (counted != &phi && counted != next)) continue;
    counter = &known->second;
    of_next = counted == next;
    break;
  }
  if (!counter) return std::nullopt;
  const std::int64_t step = counter->step, stride = step < 0 ? -step : step;
  const unsigned moves = variable_loop + counter->slot;
  const form first = of_next ? plus(counter->start, number(step)) : form(counter->start);
  const bool is_pointer = moving->getType()->isPointerTy();
  form last;
  if (is_pointer) {
    llvm::Value* base = nullptr;
    last = address(end, base);
    if (!is_same_base(base, counter->base)) return std::nullopt;
  } else {
    last = value(end, 0);
  }
  if (!first || !last || last->coefficients[moves] != 0) return std::nullopt;
  const bool up = step > 0;
  const form gap = up ? minus(last, first) : minus(first, last);
  if (!gap) return std::nullopt;
  std::int64_t least = is_strict(stays) ? 1 : 0;
  const bounds begins = bounds_of(*first), ends = bounds_of(*last);
  // The farthest value of the counter when the loop ends.
  wide far = up ? ends.last + stride - least : ends.first - stride + least;
  if (stays == p::ICMP_NE) {
    if (!divided(gap, stride) || bounds_of(*gap).first < 0) return std::nullopt;
    least = 1;
    far = up ? ends.last : ends.first;
  } else if (stays == p::ICMP_EQ || is_less(stays) != up) {
    return std::nullopt;
  }
  const wide low = up ? begins.first : std::min(begins.first, far),
             high = up ? std::max(begins.last, far) : begins.last;
  if (is_pointer) {
    if (low < -most_bytes || high > most_bytes || ends.first < -most_bytes || ends.last > most_bytes)
      return std::nullopt;
  } else {
    const unsigned bits = counted->getType()->getIntegerBitWidth(), all_bits = moving->getType()->getIntegerBitWidth();
    const bounds from = bounds_of(counter->start);
    const bool by_sign =
        !is_zext && (holds(low, high, bits, true) || (counter->keeps_sign && holds(from.first, from.last, bits, true)));
    const bool by_carry = !is_sext && (holds(low, high, bits, false) ||
                                       (counter->keeps_carry && holds(from.first, from.last, bits, false)));
    const bool as_signed = (by_sign || (is_zext && by_carry)) && holds(ends.first, ends.last, all_bits, true);
    const bool as_unsigned =
        (by_carry || (is_sext && by_sign && low >= 0)) && holds(ends.first, ends.last, all_bits, false);
    if (p::isSigned(stays) ? !as_signed : p::isUnsigned(stays) ? !as_unsigned : !as_signed && !as_unsigned)
      return std::nullopt;
  }
  form test = plus(*gap, number(-least));
  if (test) test->coefficients[moves] = -stride;
  return test;
}

/// Adds tests of sums of counters, if the sums do not overflow in any iteration.
bool value_forms::add_tests_of_forms(const llvm::ICmpInst& comparison, predicate stays,
                                     std::vector<affine_form>& tests) {
  using p = llvm::CmpInst;
  if (!comparison.getOperand(0)->getType()->isIntegerTy() || stays == p::ICMP_NE || stays == p::ICMP_EQ) return false;
  const unsigned bits = comparison.getOperand(0)->getType()->getIntegerBitWidth();
  form a = value(comparison.getOperand(0), 0), b = value(comparison.getOperand(1), 0);
  if (!a || !b) return false;
  if (!is_less(stays)) std::swap(a, b);
  const form left = minus(b, a);
  const form test = left ? plus(*left, number(is_strict(stays) ? -1 : 0)) : form();
  if (!test) return false;
  if (!comparable(*a, *b, bits, p::isSigned(stays))) {
    // A loop may count down below zero, and in an unsigned comparison a negative number counts as a large number.
    if (p::isSigned(stays) || !comparable(*a, *b, bits, true) || bounds_of(*b).first < 0) return false;
    tests.push_back(*a);
  }
  tests.push_back(*test);
  return true;
}

}  // namespace sinter::passes
