#include "value_forms.hpp"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

/// Whether the instruction extends a condition (i1). LLVM writes selects between two constants that differ by 1 as such
/// an extension and an addition.
bool is_condition(const llvm::Instruction& widened) {
  return widened.getOperand(0)->getType()->isIntegerTy(1) && !llvm::isa<llvm::Constant>(widened.getOperand(0));
}

// The largest size that the device ABI allows.
constexpr std::int64_t longest_sub_group = 64;

bool same_or_opposite(const affine_form& a, const affine_form& b, std::int64_t sign) {
  for (unsigned i = 0; i < variable_count; ++i) {
    if (a.coefficients[i] != sign * b.coefficients[i]) return false;
  }
  return true;
}

}  // namespace

value_forms::value_forms(llvm::Function& kernel, const fusion_range& range, std::string_view block,
                         unsigned sub_group_size, access_summary& summary)
    : m_layout(kernel.getParent()->getDataLayout()),
      m_arguments(kernel.getArg(0)),
      m_range(range),
      m_block(block),
      m_sub_group_size(sub_group_size),
      m_summary(summary),
      m_tree(kernel),
      m_loops(m_tree),
      m_post_tree(kernel) {
  const llvm::ReversePostOrderTraversal<llvm::Function*> blocks(&kernel);
  m_irreducible = llvm::containsIrreducibleCFG<llvm::BasicBlock*>(blocks, m_loops);
}

void value_forms::stand_at(const llvm::Instruction& place, const std::vector<choice>& choices) {
  m_choices = choices;
  m_undecided = nullptr;
  m_guards.clear();
  m_exact = !m_irreducible;
  m_never = m_addresses = false;
  m_forms.clear();
  m_turns = {1, 1, 1};
  m_next_slot = std::min(m_loops.getLoopDepth(place.getParent()), loop_depth);
  m_counters.clear();
  m_tested.clear();
  m_quotients.clear();
  m_bounded.clear();
  if (!m_irreducible) collect_conditions(place.getParent());
  for (const choice& decided : choices) m_exact &= add_decision(decided);
  // Recomputes the forms with all known facts.
  m_forms.clear();
  m_addresses = true;
}

// ------------------------------------------------------------------------------------------------- ranges of values

value_forms::bounds value_forms::bounds_of_variable(unsigned variable) const {
  if (variable >= variable_loop) return {0, static_cast<__int128>(m_turns[variable - variable_loop]) - 1};
  const unsigned d = variable % 3;
  const std::uint64_t local = m_range.local[d] == 0 ? 1 : m_range.local[d];
  std::uint64_t first = 0, count = local;
  if (variable < variable_local) {
    first = m_range.offset[d];
    count = m_range.global[d];
  } else if (variable >= variable_group) {
    count = m_range.global[d] / local;
  }
  return {first, static_cast<__int128>(first) + (count == 0 ? 0 : count - 1)};
}

value_forms::bounds value_forms::bounds_of_variables(const affine_form& a) const {
  bounds result{a.constant, a.constant};
  for (unsigned i = 0; i < variable_count; ++i) {
    const bounds variable = bounds_of_variable(i);
    const __int128 one = a.coefficients[i] * variable.first, other = a.coefficients[i] * variable.last;
    result.first += std::min(one, other);
    result.last += std::max(one, other);
  }
  return result;
}

value_forms::bounds value_forms::bounds_of(const affine_form& a) const {
  bounds result = bounds_of_variables(a);
  // A guard with the same variables can narrow the bounds.
  for (const affine_form& guard : m_guards) {
    const __int128 way = static_cast<__int128>(a.constant) - guard.constant;
    const __int128 back = static_cast<__int128>(a.constant) + guard.constant;
    if (same_or_opposite(a, guard, 1)) result.first = std::max(result.first, way);
    if (same_or_opposite(a, guard, -1)) result.last = std::min(result.last, back);
    // A guard is at least 0. If the form is a positive multiple of the guard plus a rest, the lower bound of the rest
    // is therefore a lower bound of the form. If the multiple is negative, the upper bound of the rest is an upper
    // bound.
    for (unsigned i = variable_loop; i < variable_count; ++i) {
      const std::int64_t of_guard = guard.coefficients[i], factor = of_guard == 0 ? 0 : a.coefficients[i] / of_guard;
      const form left = factor == 0 ? form() : minus(a, times(guard, factor));
      if (!left) continue;
      if (factor > 0) result.first = std::max(result.first, bounds_of_variables(*left).first);
      if (factor < 0) result.last = std::min(result.last, bounds_of_variables(*left).last);
    }
  }
  return result;
}

/// Returns the form if all its values fit an integer of that many bits.
form value_forms::in_range(const form& a, unsigned bits, bool is_signed) const {
  if (!a || bits > 64) return std::nullopt;
  const bounds range = bounds_of(*a);
  const __int128 one = 1;
  const __int128 least = is_signed ? -(one << (bits - 1)) : 0;
  const __int128 most = (one << (is_signed ? bits - 1 : bits)) - 1;
  return range.first >= least && range.last <= most ? a : form();
}

/// Returns the form if its values fit the bits as signed or as unsigned numbers, so that nothing was truncated.
form value_forms::fits_somehow(const form& a, unsigned bits) const {
  if (form fits = in_range(a, bits, true)) return fits;
  return in_range(a, bits, false);
}

bool value_forms::comparable(const affine_form& a, const affine_form& b, unsigned bits, bool is_signed) const {
  return in_range(a, bits, is_signed) && in_range(b, bits, is_signed);
}

// ------------------------------------------------------------------------------------------------- addresses

std::optional<unsigned> value_forms::block_offset(const llvm::Value* base) const {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(base);
  if (!load) return std::nullopt;
  llvm::APInt offset(64, 0);
  const llvm::Value* block = load->getPointerOperand()->stripAndAccumulateConstantOffsets(m_layout, offset, true);
  if (block != m_arguments || offset.isNegative()) return std::nullopt;
  return static_cast<unsigned>(offset.getZExtValue());
}

form value_forms::address(llvm::Value* address_value, llvm::Value*& base, unsigned depth) {
  if (depth > 32) return std::nullopt;
  if (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(address_value)) {
    form sum = address(gep->getPointerOperand(), base, depth + 1);
    variable_offsets variable;
    llvm::APInt constant(64, 0);
    if (!sum || !gep->collectOffset(m_layout, 64, variable, constant)) return std::nullopt;
    sum = plus(*sum, number(constant.getSExtValue()));
    for (const auto& [index, scale] : variable) {
      // GEPs treat indices as signed.
      form part = in_range(value(index, 0), index->getType()->getIntegerBitWidth(), true);
      if (part) part = times(*part, scale.getSExtValue());
      if (!sum || !part) return std::nullopt;
      sum = plus(*sum, *part);
    }
    return sum;
  }
  if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(address_value))
    return address(cast->getPointerOperand(), base, depth + 1);
  if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(address_value))
    return address(freeze->getOperand(0), base, depth + 1);
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(address_value)) {
    const auto known = m_counters.find(phi);
    if (known != m_counters.end()) {
      base = known->second.base;
      return known->second.in_turn();
    }
  }
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(address_value)) {
    const auto taken = decision(*select);
    return taken ? address(*taken == 0 ? select->getTrueValue() : select->getFalseValue(), base, depth + 1) : form();
  }
  base = address_value;
  return number(0);
}

// ------------------------------------------------------------------------------------------------- integers

std::optional<unsigned> value_forms::decision(llvm::Value& value) {
  if (m_entered && may_vary(value, *m_entered)) return std::nullopt;
  for (const auto& [decided, which] : m_choices) {
    if (decided == &value) return which;
  }
  if (!m_undecided) m_undecided = &value;
  return std::nullopt;
}

form value_forms::condition(llvm::Instruction& widened, std::int64_t when_true) {
  const auto taken = decision(widened);
  return taken ? number(*taken == 0 ? when_true : 0) : form();
}

form value_forms::value(llvm::Value* value, unsigned depth) {
  auto known = m_forms.find(value);
  if (known != m_forms.end()) return known->second;
  form result = depth > 64 ? form() : compute(value, depth);
  m_forms[value] = result;
  return result;
}

/// Computes the mathematical value, before it is truncated to the type's width. A caller that extends the value to a
/// wider type has to check in_range.
form value_forms::compute(llvm::Value* value, unsigned depth) {
  if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64) return std::nullopt;
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) return number(constant->getSExtValue());
  if (auto* called = llvm::dyn_cast<llvm::CallInst>(value)) return call(*called, depth);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) return block_number(*load);
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
    return m_counters.contains(phi) ? counter(*phi) : joined(*phi, depth);
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction ? compute_instruction(*instruction, depth) : form();
}

form value_forms::compute_instruction(llvm::Instruction& instruction, unsigned depth) {
  const unsigned bits = instruction.getType()->getIntegerBitWidth();
  using namespace llvm::PatternMatch;
  auto operand = [&](unsigned i) { return value(instruction.getOperand(i), depth + 1); };
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Freeze:
      return operand(0);
    case llvm::Instruction::SExt:
      if (is_condition(instruction)) return condition(instruction, -1);
      return in_range(operand(0), instruction.getOperand(0)->getType()->getIntegerBitWidth(), true);
    case llvm::Instruction::ZExt:
      if (is_condition(instruction)) return condition(instruction, 1);
      return in_range(operand(0), instruction.getOperand(0)->getType()->getIntegerBitWidth(), false);
    case llvm::Instruction::Trunc: {
      // The form stays valid if its values fit the narrow type as unsigned or as signed numbers.
      form whole = operand(0);
      if (form fits = in_range(whole, bits, false)) return fits;
      return in_range(whole, bits, true);
    }
    case llvm::Instruction::Or:
      if (!llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint()) return std::nullopt;
      [[fallthrough]];
    case llvm::Instruction::Add: {
      const form a = operand(0), b = operand(1);
      return a ? fits_somehow(plus(*a, b), bits) : form();
    }
    case llvm::Instruction::Sub: {
      // Recognises the difference of two pointers.
      llvm::Value *to = nullptr, *from = nullptr, *end = nullptr, *begin = nullptr;
      if (match(&instruction, m_Sub(m_PtrToInt(m_Value(to)), m_PtrToInt(m_Value(from))))) {
        const form last = address(to, end, depth + 1), first = address(from, begin, depth + 1);
        return is_same_base(end, begin) && bits == 64 ? minus(last, first) : form();
      }
      return fits_somehow(minus(operand(0), operand(1)), bits);
    }
    case llvm::Instruction::Mul: {
      const form a = operand(0), b = operand(1);
      if (!a || !b) return std::nullopt;
      if (is_number(*b)) return fits_somehow(times(*a, b->constant), bits);
      if (is_number(*a)) return fits_somehow(times(*b, a->constant), bits);
      return std::nullopt;
    }
    case llvm::Instruction::Shl: {
      const form a = operand(0), b = operand(1);
      if (!a || !b || !is_number(*b) || b->constant < 0 || b->constant > 62) return std::nullopt;
      return fits_somehow(times(*a, std::int64_t{1} << b->constant), bits);
    }
    case llvm::Instruction::And: {
      const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
      if (!mask || !mask->getValue().isShiftedMask()) return std::nullopt;
      const unsigned low = mask->getValue().countTrailingZeros(), high = mask->getValue().getActiveBits();
      if (low > 62) return std::nullopt;
      const form whole = operand(0);
      if (!whole && low == 0 && high <= 62) return anything(instruction, 0, (std::int64_t{1} << high) - 1);
      // Drops the bits above the mask, then the bits below it.
      const form cut = in_range(whole, high, false) || high > 62 ? in_range(whole, high, false)
                                                                 : remainder(whole, std::int64_t{1} << high);
      return minus(cut, remainder(cut, std::int64_t{1} << low));
    }
    case llvm::Instruction::Xor: {
      const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
      if (!mask) return std::nullopt;
      const form whole = operand(0);
      if (mask->isMinusOne()) return fits_somehow(minus(number(-1), whole), bits);
      const unsigned high = mask->getValue().getActiveBits();
      if (high > 40 || !whole) return std::nullopt;
      // If the mask is one bit, or all low bits, an XOR with it turns the bits p under the mask into mask - p.
      const std::int64_t above = std::int64_t{1} << high, below = mask->getValue().isMask() ? 1 : above / 2;
      if (!mask->getValue().isMask() && !mask->getValue().isPowerOf2()) return std::nullopt;
      const form low = remainder(whole, above), turned = minus(low, remainder(low, below));
      return turned ? fits_somehow(plus(*minus(number(above - below), turned), minus(whole, turned)), bits) : form();
    }
    case llvm::Instruction::AShr:  // LLVM turns a sext of a trunc into an AShr of a Shl
    case llvm::Instruction::LShr: {
      const auto* shift = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
      if (!shift || shift->getValue().uge(std::min(bits, 62u))) return std::nullopt;
      const form whole = in_range(operand(0), bits, instruction.getOpcode() == llvm::Instruction::AShr);
      return quotient(whole, std::int64_t{1} << shift->getZExtValue());
    }
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem: {
      const bool is_signed =
          instruction.getOpcode() == llvm::Instruction::SDiv || instruction.getOpcode() == llvm::Instruction::SRem;
      const bool remains =
          instruction.getOpcode() == llvm::Instruction::URem || instruction.getOpcode() == llvm::Instruction::SRem;
      const form divisor = in_range(operand(1), bits, is_signed);
      if (!divisor || !is_number(*divisor) || divisor->constant <= 0) return std::nullopt;
      const form whole = operand(0);
      if (!whole && remains && !is_signed) return anything(instruction, 0, divisor->constant - 1);
      // Negative numbers are excluded, because division instructions round their quotients up.
      if (!whole || !in_range(whole, bits, is_signed) || bounds_of(*whole).first < 0) return std::nullopt;
      return remains ? remainder(whole, divisor->constant) : quotient(whole, divisor->constant);
    }
    case llvm::Instruction::Select: {
      const auto taken = decision(instruction);
      return taken ? operand(1 + *taken) : form();
    }
    default:
      return std::nullopt;
  }
}

/// Takes a loop variable that no loop uses, and makes a form with the values from first to last.
form value_forms::spare_turns(__int128 first, __int128 last) {
  const __int128 count = last - first + 1;
  if (first == last) return number(static_cast<std::int64_t>(first));
  if (m_next_slot == loop_depth || first < -most_turns || count > most_turns) return std::nullopt;
  m_turns[m_next_slot] = static_cast<std::uint64_t>(count);
  affine_form result;
  result.constant = static_cast<std::int64_t>(first);
  result.coefficients[variable_loop + m_next_slot++] = 1;
  return result;
}

/// Replaces global ids by group and local ids, if the size of a group is a multiple of the divisor.
form value_forms::by_groups(const affine_form& a, std::int64_t divisor) const {
  affine_form result = a;
  for (unsigned d = 0; d < 3; ++d) {
    const std::int64_t step = a.coefficients[variable_global + d], local = static_cast<std::int64_t>(m_range.local[d]);
    std::int64_t of_group = 0, of_offset = 0;
    if (step == 0 || step % divisor == 0 || local == 0) continue;
    if (__builtin_mul_overflow(step, local, &of_group) || of_group % divisor != 0) continue;
    if (__builtin_mul_overflow(step, static_cast<std::int64_t>(m_range.offset[d]), &of_offset)) return std::nullopt;
    affine_form moved;
    moved.constant = of_offset;
    if (m_range.global[d] != m_range.local[d]) moved.coefficients[variable_group + d] = of_group;
    if (local != 1) moved.coefficients[variable_local + d] = step;
    result.coefficients[variable_global + d] = 0;
    const form sum = plus(result, moved);
    if (!sum) return std::nullopt;
    result = *sum;
  }
  return result;
}

/// Returns the quotient, rounded down.
form value_forms::quotient(const form& number_to_divide, std::int64_t divisor) {
  if (!number_to_divide || divisor <= 0) return std::nullopt;
  const form a = by_groups(*number_to_divide, divisor);
  if (!a) return std::nullopt;
  affine_form whole, rest;
  for (unsigned i = 0; i < variable_count; ++i) {
    whole.coefficients[i] = a->coefficients[i] / divisor;
    rest.coefficients[i] = a->coefficients[i] % divisor;
  }
  whole.constant = static_cast<std::int64_t>(floor_quotient(a->constant, divisor));
  rest.constant = a->constant - whole.constant * divisor;
  for (const quotient_form& known : m_quotients) {
    if (known.rest == rest && known.divisor == divisor) return plus(whole, known.result);
  }
  const bounds range = bounds_of(rest);
  const form result = spare_turns(floor_quotient(range.first, divisor), floor_quotient(range.last, divisor));
  const form multiple = result ? times(*result, divisor) : form();
  const form low = minus(rest, multiple), high = low ? minus(number(divisor - 1), low) : form();
  if (!low || !high) return std::nullopt;
  if (!is_number(*result)) {
    m_guards.push_back(*low);
    m_guards.push_back(*high);
  }
  m_quotients.push_back({rest, divisor, *result});
  return plus(whole, result);
}

form value_forms::remainder(const form& a, std::int64_t divisor) {
  const form result = quotient(a, divisor);
  return result ? minus(a, times(*result, divisor)) : form();
}

/// Makes a form for a value of which only the bounds are known. An access may then happen for each number between the
/// bounds.
form value_forms::anything(llvm::Value& value, std::int64_t least, std::int64_t most) {
  if (!m_addresses) return std::nullopt;
  const auto known = m_bounded.find(&value);
  if (known != m_bounded.end()) return known->second;
  m_exact = false;
  const form result = spare_turns(least, most);
  if (result) m_bounded[&value] = *result;
  return result;
}

/// Finds the branch that decides which incoming value is used, and the branch's successor for each incoming value.
/// Returns null if no branch decides.
const llvm::BranchInst* value_forms::deciding_branch(const llvm::PHINode& phi, unsigned (&successors)[2]) const {
  const llvm::DomTreeNode* node = m_tree.getNode(phi.getParent());
  if (phi.getNumIncomingValues() != 2 || !node || !node->getIDom() || m_loops.isLoopHeader(phi.getParent()))
    return nullptr;
  const llvm::BasicBlock* above = node->getIDom()->getBlock();
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return nullptr;
  for (unsigned i = 0; i < 2; ++i) {
    const llvm::BasicBlock* from = phi.getIncomingBlock(i);
    unsigned& successor = successors[i];
    for (successor = 0; successor < 2; ++successor) {
      const llvm::BasicBlock* to = branch->getSuccessor(successor);
      if (from == above ? to == phi.getParent() : m_tree.dominates(llvm::BasicBlockEdge(above, to), from)) break;
    }
  }
  return successors[0] + successors[1] == 1 ? branch : nullptr;
}

/// Returns the chosen incoming value. All phis of a block are decided together.
form value_forms::joined(llvm::PHINode& phi, unsigned depth) {
  unsigned successors[2];
  if (!deciding_branch(phi, successors)) return std::nullopt;
  llvm::PHINode& first = *phi.getParent()->phis().begin();
  const auto taken = decision(first);
  return taken ? value(phi.getIncomingValueForBlock(first.getIncomingBlock(*taken)), depth + 1) : form();
}

form value_forms::call(llvm::CallInst& call, unsigned depth) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return std::nullopt;
  switch (callee->getIntrinsicID()) {
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax: {
      const auto taken = decision(call);
      return taken ? value(call.getArgOperand(*taken), depth + 1) : form();
    }
    case llvm::Intrinsic::usub_sat: {
      const auto taken = decision(call);
      if (!taken) return std::nullopt;
      return *taken == 1 ? number(0)
                         : minus(value(call.getArgOperand(0), depth + 1), value(call.getArgOperand(1), depth + 1));
    }
    case llvm::Intrinsic::not_intrinsic:
      break;
    default:
      return std::nullopt;
  }
  if (callee->getName().starts_with("__sinter_sub_group_")) return sub_group_query(call);
  const auto* dimension = call.arg_size() == 1 ? llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0)) : nullptr;
  return dimension ? query(callee->getName(), static_cast<unsigned>(dimension->getZExtValue() % 3)) : form();
}

form value_forms::query(llvm::StringRef name, unsigned d) {
  const std::uint64_t local = m_range.local[d] == 0 ? 1 : m_range.local[d];
  if (name == "__sinter_global_range" || name == "__sinter_group_range") {
    m_summary.uses_extent |= d == 3 - m_range.dimensions;
    return number(
        static_cast<std::int64_t>(name == "__sinter_global_range" ? m_range.global[d] : m_range.global[d] / local));
  }
  if (name == "__sinter_global_offset") return number(static_cast<std::int64_t>(m_range.offset[d]));
  if (name == "__sinter_local_range") return number(static_cast<std::int64_t>(local));
  unsigned variable = variable_count;
  if (name == "__sinter_global_id") variable = variable_global + d;
  if (name == "__sinter_local_id") variable = variable_local + d;
  if (name == "__sinter_group_id") variable = variable_group + d;
  if (variable == variable_count) return std::nullopt;
  affine_form result;
  const bounds range = bounds_of_variable(variable);
  if (range.first == range.last) {
    result.constant = static_cast<std::int64_t>(range.first);  // the only value needs no variable
  } else {
    result.coefficients[variable] = 1;
  }
  return result;
}

form value_forms::linear_local_id() {
  form linear = number(0);
  for (unsigned d = 0; d < 3 && linear; ++d) {
    linear = times(*linear, static_cast<std::int64_t>(m_range.local[d]));
    if (linear) linear = plus(*linear, query("__sinter_local_id", d));
  }
  return linear;
}

/// Returns the form of a query about the sub-group, which consists of work-items with consecutive linear ids.
form value_forms::sub_group_query(llvm::CallInst& call) {
  const llvm::StringRef name = call.getCalledFunction()->getName();
  const auto items = static_cast<std::int64_t>(m_range.local[0] * m_range.local[1] * m_range.local[2]);
  const std::int64_t size = m_sub_group_size;
  if (name == "__sinter_sub_group_size") return size == 0 ? form() : number(size);
  if (items == 0) return std::nullopt;
  if (name == "__sinter_sub_group_local_range") {
    if (size == 0 || items <= size || items % size == 0) return size == 0 ? form() : number(std::min(items, size));
    // The last sub-group has fewer work-items.
    const auto taken = decision(call);
    return taken ? number(*taken == 0 ? size : items % size) : form();
  }
  if (name != "__sinter_sub_group_local_id") return std::nullopt;
  if (size != 0) {
    const form linear = linear_local_id();
    if (form lane = items <= size ? linear : remainder(linear.value_or(affine_form()), size); linear && lane)
      return lane;
  }
  return anything(call, 0, std::min(items, longest_sub_group) - 1);
}

/// Returns the number that the load reads from the argument block.
form value_forms::block_number(llvm::LoadInst& load) {
  const unsigned size = static_cast<unsigned>(m_layout.getTypeStoreSize(load.getType()).getFixedValue());
  const auto offset = block_offset(&load);
  if (!offset || size == 0 || size > 8 || *offset + size > m_block.size()) return std::nullopt;
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, m_block.data() + *offset, size);
  const block_dependence used{*offset, size};
  if (llvm::find(m_summary.depends_on, used) == m_summary.depends_on.end()) m_summary.depends_on.push_back(used);
  const unsigned width = load.getType()->getIntegerBitWidth();
  if (width < 64) bits &= (std::uint64_t{1} << width) - 1;
  // It is unknown whether the number is signed. Numbers below half of the type's range have the same value in both
  // cases.
  if (bits >> (width - 1) == 0) return number(static_cast<std::int64_t>(bits));
  return number(llvm::SignExtend64(bits, width));
}

// ------------------------------------------------------------------------------------------------- conditions

/// Visits the branches between the entry and the block, and the loops around the block. Each branch and loop adds
/// conditions.
void value_forms::collect_conditions(const llvm::BasicBlock* block) {
  std::vector<const llvm::DomTreeNode*> way;
  for (const llvm::DomTreeNode* node = m_tree.getNode(block); node; node = node->getIDom()) way.push_back(node);
  m_never = way.empty();
  for (std::size_t i = way.size(); i-- > 0;) {
    const llvm::BasicBlock* at = way[i]->getBlock();
    if (way[i]->getIDom()) add_step(at, way[i]->getIDom()->getBlock());
    llvm::Loop* loop = m_loops.getLoopFor(at);
    if (loop && loop->getHeader() == at && loop->contains(block)) enter(*loop, block);
  }
}

void value_forms::add_step(const llvm::BasicBlock* at, const llvm::BasicBlock* above) {
  if (m_post_tree.dominates(at, above)) return;
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) {
    m_exact = false;
    return;
  }
  // If the branch continues a loop around the place, enter() has already made a guard of its condition.
  const llvm::Loop* loop = m_tested.contains(above) ? m_loops.getLoopFor(above) : nullptr;
  for (unsigned i = 0; i < 2; ++i) {
    const llvm::BasicBlock* taken = branch->getSuccessor(i);
    if (!m_tree.dominates(llvm::BasicBlockEdge(above, taken), at)) continue;
    m_exact &= taken == at || m_post_tree.dominates(at, taken);
    if (!loop || !loop->contains(taken)) m_exact &= add_condition(branch->getCondition(), i == 0);
    return;
  }
  m_exact = false;
}

/// Adds guards that follow from the condition. Returns false if forms can't express the whole condition.
bool value_forms::add_condition(llvm::Value* condition, bool holds, unsigned depth) {
  using namespace llvm::PatternMatch;
  llvm::Value *a = nullptr, *b = nullptr;
  if (depth > 8 || !condition->getType()->isIntegerTy(1)) return false;
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    m_never |= constant->isOne() != holds;
    return true;
  }
  if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(condition))
    return add_condition(freeze->getOperand(0), holds, depth + 1);
  if (match(condition, m_Not(m_Value(a)))) return add_condition(a, !holds, depth + 1);
  if (holds ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
            : match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    const bool first = add_condition(a, holds, depth + 1);
    return add_condition(b, holds, depth + 1) && first;
  }
  const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
  return comparison && add_comparison(*comparison, holds);
}

/// Adds the guard a >= least, unless it is known already.
bool value_forms::at_least(const form& a, std::int64_t least) {
  const form guard = a ? plus(*a, number(-least)) : form();
  if (!guard) return false;
  const bounds range = bounds_of(*guard);
  m_never |= range.last < 0;
  if (range.first >= 0) return true;
  m_guards.push_back(*guard);
  m_forms.clear();
  return true;
}

bool value_forms::add_comparison(const llvm::ICmpInst& comparison, bool holds) {
  using p = llvm::CmpInst;
  using namespace llvm::PatternMatch;
  if (!comparison.getOperand(0)->getType()->isIntegerTy()) return false;
  const unsigned bits = comparison.getOperand(0)->getType()->getIntegerBitWidth();
  form a = value(comparison.getOperand(0), 0), b = value(comparison.getOperand(1), 0);
  llvm::Value *one = nullptr, *other = nullptr;
  if (!a && comparison.getPredicate() == (holds ? p::ICMP_EQ : p::ICMP_NE) &&
      match(comparison.getOperand(0), m_Or(m_Value(one), m_Value(other))) &&
      match(comparison.getOperand(1), m_Zero())) {
    // LLVM tests whether two numbers are 0 by comparing their OR with 0.
    const form first = value(one, 0), second = value(other, 0);
    const auto is_zero = [&](const form& each) {
      if (!each || !fits_somehow(each, bits)) return false;
      const bool from = at_least(each, 0);
      return at_least(minus(number(0), each), 0) && from;
    };
    const bool both = is_zero(first);
    return is_zero(second) && both;
  }
  if (!a || !b) return false;
  p::Predicate predicate = holds ? comparison.getPredicate() : comparison.getInversePredicate();
  if (predicate == p::ICMP_SGT || predicate == p::ICMP_SGE || predicate == p::ICMP_UGT || predicate == p::ICMP_UGE) {
    std::swap(a, b);
    predicate = p::getSwappedPredicate(predicate);
  }
  const bool as_signed = comparable(*a, *b, bits, true), as_unsigned = comparable(*a, *b, bits, false);
  const form over = minus(b, a);
  switch (predicate) {
    case p::ICMP_SLT:
      return as_signed && at_least(over, 1);
    case p::ICMP_SLE:
      return as_signed && at_least(over, 0);
    case p::ICMP_ULT:
    case p::ICMP_ULE: {
      const std::int64_t least = predicate == p::ICMP_ULT ? 1 : 0;
      if (as_unsigned) return at_least(over, least);
      // An unsigned comparison becomes two signed comparisons, because a negative number is a large unsigned number.
      if (!as_signed || bounds_of(*b).first < 0) return false;
      const bool first = at_least(a, 0);
      return at_least(over, least) && first;
    }
    case p::ICMP_EQ: {
      if (!as_signed && !as_unsigned) return false;
      const bool first = at_least(over, 0);
      return at_least(minus(a, b), 0) && first;
    }
    case p::ICMP_NE:
      if ((!as_signed && !as_unsigned) || !over) return false;
      if (bounds_of(*over).first >= 0) return at_least(over, 1);
      if (bounds_of(*over).last <= 0) return at_least(minus(a, b), 1);
      return false;
    default:
      return false;
  }
}

bool value_forms::add_decision(const choice& decided) {
  const auto& [chosen, which] = decided;
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(chosen)) return add_condition(select->getCondition(), which == 0);
  if (auto* widened = llvm::dyn_cast<llvm::CastInst>(chosen)) return add_condition(widened->getOperand(0), which == 0);
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(chosen)) {
    unsigned successors[2];
    const llvm::BranchInst* branch = deciding_branch(*phi, successors);
    return add_condition(branch->getCondition(), successors[which] == 0);
  }
  auto* call = llvm::cast<llvm::CallInst>(chosen);
  if (!call->getCalledFunction()->isIntrinsic()) {
    // The size of a sub-group is known, but the last sub-group may have another size.
    const auto items = static_cast<std::int64_t>(m_range.local[0] * m_range.local[1] * m_range.local[2]);
    const form linear = linear_local_id(), last = number(items - items % m_sub_group_size);
    return which == 0 ? at_least(minus(last, linear), 1) : at_least(minus(linear, last), 0);
  }
  const llvm::Intrinsic::ID intrinsic = call->getCalledFunction()->getIntrinsicID();
  const form a = value(call->getArgOperand(0), 0), b = value(call->getArgOperand(1), 0);
  const bool is_signed = intrinsic == llvm::Intrinsic::smin || intrinsic == llvm::Intrinsic::smax;
  if (!a || !b || !comparable(*a, *b, call->getType()->getIntegerBitWidth(), is_signed)) return false;
  const bool first_is_larger = intrinsic == llvm::Intrinsic::smax || intrinsic == llvm::Intrinsic::umax ||
                               intrinsic == llvm::Intrinsic::usub_sat;
  const form lead = first_is_larger ? minus(a, b) : minus(b, a);
  return which == 0 ? at_least(lead, 0) : lead && at_least(minus(number(0), lead), 1);
}

}  // namespace sinter::passes
