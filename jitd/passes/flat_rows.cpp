#include "flat_rows.hpp"

#include <algorithm>
#include <cstdint>

#include "alias_scopes.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "work_item_function.hpp"

namespace sinter::passes {
namespace {

// Of what says how long a row is.
constexpr unsigned most_steps = 32, most_factors = 4;

bool has_known_place(const llvm::Value* address, const llvm::Function& function) {
  while (const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(address)) {
    if (!step->hasAllConstantIndices()) return false;
    address = step->getPointerOperand();
  }
  if (address == function.getArg(parameter_block)) return true;
  // A member's block of a fusion.
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(address);
  return load && load->hasMetadata(llvm::LLVMContext::MD_invariant_load) &&
         has_known_place(load->getPointerOperand(), function);
}

/// Whether a value is the same in all launches of one argument block, and may be computed before anything runs.
bool is_known_early(const llvm::Value* value, const llvm::Function& function, unsigned& steps) {
  if (llvm::isa<llvm::ConstantInt>(value)) return true;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    return argument->getArgNo() == parameter_block || argument->getArgNo() == parameter_global_range + 2 ||
           argument->getArgNo() == parameter_global_offset + 2;
  }
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || ++steps > most_steps) return false;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
    return load->isSimple() && load->hasMetadata(llvm::LLVMContext::MD_invariant_load) &&
           has_known_place(load->getPointerOperand(), function);
  }
  if (instruction->isIntDivRem() || !instruction->getType()->isIntegerTy()) return false;
  if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::ICmpInst, llvm::SelectInst, llvm::FreezeInst,
                 llvm::MinMaxIntrinsic>(instruction)) {
    return false;
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(instruction);
  return llvm::all_of(call ? call->args() : instruction->operands(),
                      [&](const llvm::Use& operand) { return is_known_early(operand.get(), function, steps); });
}

bool is_known_early(const llvm::Value* value, const llvm::Function& function) {
  unsigned steps = 0;
  return is_known_early(value, function, steps);
}

/// Two loads of one argument may be two values.
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

/// Numbers that are positive and below 2^31 are the same in all types that have 32 bits at least.
llvm::Value* without_casts(llvm::Value* value) {
  while (auto* cast = llvm::dyn_cast<llvm::Instruction>(value)) {
    if (!llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst, llvm::FreezeInst>(cast)) break;
    if (cast->getType()->getIntegerBitWidth() < 32 || cast->getOperand(0)->getType()->getIntegerBitWidth() < 32) break;
    value = cast->getOperand(0);
  }
  return value;
}

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

/// What is left of `all` without `some`. False: these are not among them.
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

/// What is computed of an id, or of what a division left of one.
struct step {
  enum class kind { cast, quotient, remainder, is_below };  ///< casts and remainders are ids again
  llvm::Instruction* instruction;
  llvm::Value *id, *divisor;  ///< no divisor: a cast
  kind what;
};

/// What is computed of the id, each behind what it is computed of.
class id_steps {
public:
  id_steps(llvm::Function& work_item, llvm::Value* id, bool narrow_ids)
      : m_function(work_item), m_narrow_ids(narrow_ids) {
    follow(id);
  }

  llvm::ArrayRef<step> all() const { return m_steps; }

  static bool is_division(const step& each) {
    return each.what == step::kind::quotient || each.what == step::kind::remainder;
  }

  /// The divisor that most of the others are multiples of; null: there is none.
  llvm::Value* innermost() const {
    llvm::Value* best = nullptr;
    std::ptrdiff_t most = 0;
    for (const step& each : m_steps) {
      if (!is_division(each)) continue;
      const auto* known = llvm::dyn_cast<llvm::ConstantInt>(each.divisor);
      if (known && (known->getValue().isNegative() || known->getValue().ult(shortest_row))) continue;
      const auto count = llvm::count_if(
          m_steps, [&](const step& other) { return is_division(other) && is_multiple(other.divisor, each.divisor); });
      if (count > most) {
        most = count;
        best = each.divisor;
      }
    }
    return best;
  }

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
    // Remainders that are written as a difference: their quotients are known now.
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
        // Without the offset, of which rows have none.
        if (user.getOperand(0) != id ||
            without_casts(user.getOperand(1)) != m_function.getArg(parameter_global_offset + 2))
          return;
        [[fallthrough]];
      case llvm::Instruction::Trunc:
      case llvm::Instruction::ZExt:
      case llvm::Instruction::SExt:
      case llvm::Instruction::Freeze:
        if (bits != 64 && (bits != 32 || !m_narrow_ids)) return;
        m_steps.push_back({&user, id, nullptr, step::kind::cast});
        return follow(&user);
      case llvm::Instruction::UDiv:
      case llvm::Instruction::SDiv:
        return take_division(id, user, step::kind::quotient);
      case llvm::Instruction::URem:
      case llvm::Instruction::SRem:
        return take_division(id, user, step::kind::remainder);
      default:
        return;
    }
  }

  void take_division(llvm::Value* id, llvm::Instruction& user, step::kind what) {
    llvm::Value* divisor = user.getOperand(1);
    if (user.getOperand(0) != id || divisor == id || !is_known_early(divisor, m_function)) return;
    m_steps.push_back({&user, id, divisor, what});
    if (what == step::kind::remainder) follow(&user);
  }

  /// LLVM makes id < width of id / width == 0.
  void take_comparison(llvm::Value* id, llvm::ICmpInst& user) {
    const auto predicate = user.getOperand(0) == id ? user.getPredicate() : user.getSwappedPredicate();
    llvm::Value* other = user.getOperand(user.getOperand(0) == id ? 1 : 0);
    if (predicate != llvm::CmpInst::ICMP_ULT && predicate != llvm::CmpInst::ICMP_UGE) return;
    if (other != id && is_known_early(other, m_function)) m_steps.push_back({&user, id, other, step::kind::is_below});
  }

  /// id - id / (x * y) * x * y, in any order of the factors.
  void take_difference(llvm::Value* id, llvm::Instruction& difference) {
    if (m_ids.contains(&difference)) return;
    const factor_list factors = factors_of(difference.getOperand(1));
    for (const step& each : m_steps) {
      if (each.what != step::kind::quotient || without_casts(each.id) != without_casts(id)) continue;
      factor_list left = factors;
      const auto quotient = llvm::find(left, each.instruction);
      if (quotient == left.end()) continue;
      left.erase(quotient);
      if (!take_away(left, factors_of(each.divisor)) || !left.empty()) continue;
      m_steps.push_back({&difference, id, each.divisor, step::kind::remainder});
      return follow(&difference);
    }
  }

  llvm::Function& m_function;
  bool m_narrow_ids;
  llvm::SmallPtrSet<llvm::Value*, 16> m_ids;
  llvm::SmallVector<step, 16> m_steps;
};

/// The function that says how long rows are.
class length_builder {
public:
  length_builder(llvm::Function& work_item, bool narrow_ids)
      : m_builder(work_item.getContext()), m_most(std::int64_t{1} << (narrow_ids ? 31 : 62)) {
    llvm::Type* int64 = m_builder.getInt64Ty();
    auto* type = llvm::FunctionType::get(int64, {m_builder.getPtrTy(), int64, int64}, false);
    m_function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, work_item.getName() + ".row_length",
                                        work_item.getParent());
    m_function->addFnAttr(llvm::Attribute::AlwaysInline);
    m_function->addFnAttr(llvm::Attribute::NoUnwind);
    m_builder.SetInsertPoint(llvm::BasicBlock::Create(work_item.getContext(), "entry", m_function));
    m_copies[work_item.getArg(parameter_block)] = m_function->getArg(0);
    m_copies[work_item.getArg(parameter_global_range + 2)] = m_function->getArg(1);
    m_copies[work_item.getArg(parameter_global_offset + 2)] = m_function->getArg(2);
  }

  void set_length(llvm::Value* value) {
    llvm::Value* length = number(value);
    m_holds = m_builder.CreateIsNull(m_function->getArg(2));
    require(m_builder.CreateICmpSGE(length, m_builder.getInt64(shortest_row)));
    require(m_builder.CreateICmpSLT(length, m_builder.getInt64(std::int64_t{1} << 31)));
    m_length = m_builder.CreateSelect(m_holds, length, m_builder.getInt64(1));
  }

  /// `value` has to be a positive multiple of it.
  void add_multiple(llvm::Value* value) {
    llvm::Value* whole = number(value);
    require(m_builder.CreateICmpSGT(whole, m_builder.getInt64(0)));
    require(m_builder.CreateICmpSLT(whole, m_builder.getInt64(m_most)));
    require(m_builder.CreateIsNull(m_builder.CreateURem(whole, m_length)));
  }

  llvm::Function* finish() {
    m_builder.CreateRet(m_builder.CreateSelect(m_holds, m_length, m_builder.getInt64(0)));
    return m_function;
  }

private:
  void require(llvm::Value* condition) { m_holds = m_builder.CreateAnd(m_holds, condition); }

  llvm::Value* number(llvm::Value* value) {
    return m_builder.CreateSExt(m_builder.CreateFreeze(copy(value)), m_builder.getInt64Ty());
  }

  llvm::Value* copy(llvm::Value* value) {
    if (llvm::isa<llvm::Constant>(value)) return value;
    if (const auto known = m_copies.find(value); known != m_copies.end()) return known->second;
    auto* instruction = llvm::cast<llvm::Instruction>(value);
    llvm::SmallVector<llvm::Value*, 4> operands;
    for (llvm::Value* operand : instruction->operand_values()) operands.push_back(copy(operand));
    llvm::Instruction* made = instruction->clone();
    for (unsigned i = 0; i < operands.size(); ++i) made->setOperand(i, operands[i]);
    // It runs earlier than it was written.
    made->dropPoisonGeneratingFlags();
    made->dropUnknownNonDebugMetadata(llvm::LLVMContext::MD_invariant_load);
    made->setDebugLoc(llvm::DebugLoc());
    m_builder.Insert(made);
    return m_copies[value] = made;
  }

  llvm::IRBuilder<> m_builder;
  std::int64_t m_most;
  llvm::Function* m_function = nullptr;
  llvm::DenseMap<llvm::Value*, llvm::Value*> m_copies;
  llvm::Value *m_length = nullptr, *m_holds = nullptr;
};

/// Writes ids as a place in the row behind something that is the same for all of it and a multiple of its length: the
/// row's first id, or what remainders by such multiples leave of that.
class row_writer {
public:
  /// Of a row, in 64 bits.
  struct row {
    llvm::Value *id, *number, *begin, *length;
  };

  row_writer(llvm::Instruction* where, bool narrow_ids, const row& of)
      : m_builder(where), m_type(m_builder.getIntNTy(narrow_ids ? 32 : 64)), m_id(of.id) {
    m_place = m_builder.CreateSub(m_id, of.begin, "place", true, true);
    m_row = cast(of.number, m_type);
    m_length = cast(of.length, m_type);
    m_begin = cast(of.begin, m_type);
  }

  void run(llvm::ArrayRef<step> steps, llvm::Value* id, llvm::Value* length) {
    m_begins[id] = m_begin;
    for (const step& each : steps) {
      llvm::Value* begin = m_begins.lookup(each.id);
      // What a division by something else left.
      if (!begin) continue;
      m_builder.SetInsertPoint(each.instruction);
      if (each.what == step::kind::cast) {
        replace_id(*each.instruction, begin);
      } else if (are_the_same(without_casts(each.divisor), without_casts(length))) {
        divide_by_length(each, begin);
      } else if (id_steps::is_division(each) && is_multiple(each.divisor, length)) {
        llvm::Value* divisor = cast(each.divisor, m_type);
        if (each.what == step::kind::remainder) {
          replace_id(*each.instruction, m_builder.CreateURem(begin, divisor));
        } else {
          replace(*each.instruction, m_builder.CreateUDiv(begin, divisor));
        }
      }
    }
    for (llvm::Instruction* each : llvm::reverse(m_dead)) each->eraseFromParent();
  }

private:
  /// Of numbers below 2^31, or in as many bits.
  llvm::Value* cast(llvm::Value* value, llvm::Type* type) {
    if (value->getType()->getIntegerBitWidth() < type->getIntegerBitWidth()) {
      return m_builder.CreateZExt(value, type, "", /*IsNonNeg=*/true);
    }
    return m_builder.CreateTrunc(value, type);
  }

  void replace_id(llvm::Instruction& id, llvm::Value* begin) {
    llvm::Type* type = id.getType();
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(begin);
    llvm::Value* value = begin == m_begin ? cast(m_id, type)
                         : known && known->isZero()
                             ? cast(m_place, type)
                             : m_builder.CreateAdd(cast(begin, type), cast(m_place, type), "", true, true);
    id.replaceAllUsesWith(value);
    m_begins[&id] = begin;
    m_dead.push_back(&id);
  }

  void divide_by_length(const step& each, llvm::Value* begin) {
    if (each.what == step::kind::remainder) return replace_id(*each.instruction, llvm::ConstantInt::get(m_type, 0));
    llvm::Value* row = begin == m_begin ? m_row : m_builder.CreateUDiv(begin, m_length);
    if (each.what == step::kind::quotient) return replace(*each.instruction, row);
    const auto* compare = llvm::cast<llvm::ICmpInst>(each.instruction);
    const bool below =
        compare->getPredicate() == llvm::CmpInst::ICMP_ULT || compare->getPredicate() == llvm::CmpInst::ICMP_UGT;
    replace(*each.instruction, below ? m_builder.CreateIsNull(row) : m_builder.CreateIsNotNull(row));
  }

  void replace(llvm::Instruction& instruction, llvm::Value* value) {
    instruction.replaceAllUsesWith(value->getType() == instruction.getType() ? value
                                                                             : cast(value, instruction.getType()));
    m_dead.push_back(&instruction);
  }

  llvm::IRBuilder<> m_builder;
  llvm::Type* m_type;
  llvm::Value* m_id;
  llvm::Value *m_place = nullptr, *m_row = nullptr, *m_length = nullptr, *m_begin = nullptr;
  llvm::DenseMap<llvm::Value*, llvm::Value*> m_begins;  ///< what an id is behind
  llvm::SmallVector<llvm::Instruction*, 16> m_dead;
};

/// group * local range + local id, in any types.
bool is_global_id(llvm::Instruction& sum, std::uint64_t group) {
  using namespace llvm::PatternMatch;
  const llvm::Function& function = *sum.getFunction();
  const auto is = [&](llvm::Value* value, unsigned parameter) {
    return without_casts(value) == function.getArg(parameter);
  };
  llvm::Value *left = nullptr, *right = nullptr;
  if (!match(&sum, m_Add(m_Value(left), m_Value(right)))) return false;
  if (is(left, parameter_local_id + 2)) std::swap(left, right);
  if (!is(right, parameter_local_id + 2)) return false;
  left = without_casts(left);
  std::uint64_t shift = 0;
  llvm::Value *number = nullptr, *size = nullptr;
  if (match(left, m_Shl(m_Value(number), m_ConstantInt(shift)))) {
    return shift < 64 && is(number, parameter_group_id + 2) && group == std::uint64_t{1} << shift;
  }
  if (!match(left, m_Mul(m_Value(number), m_Value(size)))) return false;
  if (is(size, parameter_group_id + 2)) std::swap(number, size);
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(size);
  return is(number, parameter_group_id + 2) &&
         (known ? group != 0 && known->equalsInt(group) : is(size, parameter_local_range + 2));
}

/// The only dimension's id, which programs also compute of the group's. Rows have no offset.
void write_global_ids(llvm::Function& function, std::uint64_t group) {
  llvm::Argument* id = function.getArg(parameter_global_id + 2);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!instruction.getType()->isIntegerTy() || instruction.getType()->getIntegerBitWidth() < 32 ||
        !is_global_id(instruction, group))
      continue;
    llvm::IRBuilder<> builder(&instruction);
    instruction.replaceAllUsesWith(builder.CreateTrunc(id, instruction.getType()));
  }
  for (llvm::BasicBlock& block : function) llvm::SimplifyInstructionsInBlock(&block);
}

bool knows_its_group(const llvm::Function& function) {
  for (unsigned parameter = parameter_local_id; parameter < parameter_global_range; ++parameter) {
    if (!function.getArg(parameter)->use_empty()) return true;
  }
  for (unsigned parameter = parameter_local_base; parameter < parameter_count; ++parameter) {
    if (!function.getArg(parameter)->use_empty()) return true;
  }
  return false;
}

}  // namespace

bool divides(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& each) { return each.isIntDivRem(); });
}

namespace {

llvm::Function* make_length(llvm::Function& function, llvm::ArrayRef<step> steps, llvm::Value* length,
                            bool narrow_ids) {
  length_builder lengths(function, narrow_ids);
  lengths.set_length(without_casts(length));
  for (const step& each : steps) {
    if (!id_steps::is_division(each) || !is_multiple(each.divisor, length)) continue;
    if (!are_the_same(without_casts(each.divisor), without_casts(length))) lengths.add_multiple(each.divisor);
  }
  return lengths.finish();
}

/// Dimensions that the kernel does not have, and the offset, which is 0.
void fill_in_constants(llvm::Function& function) {
  const auto is = [&](unsigned parameter, std::uint64_t value) {
    llvm::Type* type = function.getArg(parameter)->getType();
    function.getArg(parameter)->replaceAllUsesWith(llvm::ConstantInt::get(type, value));
  };
  for (unsigned d : {0u, 1u}) {
    is(parameter_global_id + d, 0);
    is(parameter_global_range + d, 1);
  }
  is(parameter_global_offset + 2, 0);
}

}  // namespace

flat_rows find_flat_rows(llvm::Function& work_item, const flat_range& range) {
  if (!divides(work_item)) return {};
  llvm::ValueToValueMapTy map;
  if (range.accesses) map.MD()[range.accesses].reset(range.accesses);
  llvm::Function* copy = llvm::CloneFunction(&work_item, map);
  if (range.grouped && range.narrow_ids) write_global_ids(*copy, range.group);
  llvm::Argument* id = copy->getArg(parameter_global_id + 2);
  const id_steps steps(*copy, id, range.narrow_ids);
  llvm::Value* width = steps.innermost();
  if (!width || (range.grouped && knows_its_group(*copy))) {
    copy->eraseFromParent();
    return {};
  }
  llvm::Function* length = make_length(*copy, steps.all(), width, range.narrow_ids);
  fill_in_constants(*copy);
  llvm::Instruction* front = &*copy->getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  const row_writer::row row{id, copy->getArg(parameter_global_id + 1), copy->getArg(parameter_global_range),
                            copy->getArg(parameter_global_range + 1)};
  row_writer(front, range.narrow_ids, row).run(steps.all(), id, width);
  return {copy, length};
}

namespace {

/// Whether a sum has this number among its parts, once.
bool counts_up_by(const llvm::Value* sum, const llvm::Value* number, unsigned depth = 4) {
  if (sum == number) return true;
  const auto* add = llvm::dyn_cast<llvm::BinaryOperator>(sum);
  if (!add || depth == 0 || add->getOpcode() != llvm::Instruction::Add) return false;
  return counts_up_by(add->getOperand(0), number, depth - 1) != counts_up_by(add->getOperand(1), number, depth - 1);
}

/// Such a sum without that part, for what is the same in all lanes to be seen as that.
llvm::Value* without(llvm::IRBuilder<>& builder, llvm::Value* sum, const llvm::Value* number) {
  if (sum == number) return llvm::ConstantInt::get(sum->getType(), 0);
  if (!counts_up_by(sum, number)) return sum;
  auto* add = llvm::cast<llvm::BinaryOperator>(sum);
  return builder.CreateAdd(without(builder, add->getOperand(0), number), without(builder, add->getOperand(1), number));
}

bool is_number(const llvm::Value* value, std::uint64_t number) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(value);
  return known && known->equalsInt(number);
}

/// A visit of one element of a range with one dimension (element_visits.hpp).
struct visit {
  llvm::CallInst *begin = nullptr, *end = nullptr, *id = nullptr;
};

visit visit_at(llvm::CallInst& begin) {
  visit found{&begin, nullptr, nullptr};
  for (unsigned d : {0u, 1u}) {
    if (!is_number(begin.getArgOperand(d), 0) || !is_number(begin.getArgOperand(3 + d), 1)) return {};
  }
  for (llvm::User* user : begin.getArgOperand(2)->users()) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (!call || !call->getCalledFunction() || call == &begin) continue;
    const llvm::StringRef name = call->getCalledFunction()->getName();
    llvm::CallInst** place = name == "__sinter_element_end"  ? &found.end
                             : name == "__sinter_element_id" ? &found.id
                                                             : nullptr;
    if (!place || call->getArgOperand(name == "__sinter_element_end" ? 2 : 0) != begin.getArgOperand(2)) continue;
    if (*place) return {};
    *place = call;
  }
  return found.end && found.id ? found : visit{};
}

/// Between both, where nothing else leads in or out; empty: there is no such region.
llvm::SmallVector<llvm::BasicBlock*, 8> blocks_between(llvm::BasicBlock* head, llvm::BasicBlock* behind) {
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks{head};
  llvm::SmallPtrSet<llvm::BasicBlock*, 8> seen{head, behind};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (llvm::BasicBlock* next : llvm::successors(blocks[i])) {
      if (seen.insert(next).second) blocks.push_back(next);
    }
  }
  for (llvm::BasicBlock* block : blocks) {
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) return {};
    if (block == head) continue;
    for (llvm::BasicBlock* before : llvm::predecessors(block)) {
      if (!llvm::is_contained(blocks, before)) return {};
    }
  }
  return blocks;
}

/// A second form of a visit, for where it lies in one row with those of all lanes.
bool add_row_form(llvm::Function& function, const visit& what, const id_steps& steps, bool narrow_ids) {
  llvm::Value* width = steps.innermost();
  if (!width) return false;
  llvm::BasicBlock* before = what.begin->getParent();
  llvm::BasicBlock* head = llvm::SplitBlock(before, what.begin);
  llvm::BasicBlock* behind = llvm::SplitBlock(what.end->getParent(), what.end);
  const llvm::SmallVector<llvm::BasicBlock*, 8> blocks = blocks_between(head, behind);
  if (blocks.empty() || !llvm::is_contained(blocks, what.id->getParent())) return false;
  // What it leaves goes through memory until values are found again.
  llvm::SmallVector<llvm::Instruction*, 8> left;
  for (llvm::BasicBlock* block : blocks) {
    for (llvm::Instruction& each : *block) {
      const auto is_outside = [&](const llvm::User* user) {
        return !llvm::is_contained(blocks, llvm::cast<llvm::Instruction>(user)->getParent());
      };
      if (llvm::any_of(each.users(), is_outside)) left.push_back(&each);
    }
  }
  llvm::Function* length_of = make_length(function, steps.all(), width, narrow_ids);
  for (llvm::Instruction* each : left) llvm::DemoteRegToStack(*each);

  llvm::ValueToValueMapTy map;
  llvm::SmallVector<llvm::BasicBlock*, 8> copies;
  for (llvm::BasicBlock* block : blocks) {
    copies.push_back(llvm::CloneBasicBlock(block, map, ".row", &function));
    map[block] = copies.back();
  }
  llvm::remapInstructionsInBlocks(copies, map);
  renew_scopes(copies);

  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::CallInst* asked = builder.CreateCall(
      length_of, {function.getArg(parameter_block), function.getArg(parameter_global_range + 2), builder.getInt64(0)});
  // Vectors know what is the same in all lanes by how it is computed.
  llvm::Value* length = builder.CreateFreeze(asked);
  llvm::InlineFunctionInfo info;
  llvm::InlineFunction(*asked, info);
  length_of->eraseFromParent();
  builder.SetInsertPoint(before->getTerminator());
  llvm::Type* type = builder.getIntNTy(narrow_ids ? 32 : 64);
  const auto wide = [&](llvm::Value* value) { return builder.CreateZExt(value, builder.getInt64Ty()); };
  llvm::Value* id = what.id->getArgOperand(0);
  llvm::Value* first = without(builder, id, function.getArg(parameter_local_id + 2));
  llvm::Value* divisor = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, length, builder.getInt64(1));
  llvm::Value* row = wide(builder.CreateUDiv(builder.CreateTrunc(first, type), builder.CreateTrunc(divisor, type)));
  llvm::Value* begin = builder.CreateMul(row, divisor);
  llvm::Value* last = builder.CreateAdd(builder.CreateSub(first, begin), function.getArg(parameter_local_range + 2));
  llvm::Value* in_row = builder.CreateAnd(builder.CreateIsNotNull(length), builder.CreateICmpULE(last, divisor));
  before->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(before);
  builder.CreateCondBr(in_row, copies.front(), head);

  auto* id_in_row = llvm::cast<llvm::CallInst>(static_cast<llvm::Value*>(map[what.id]));
  const id_steps steps_in_row(function, id_in_row, narrow_ids);
  llvm::Value* width_in_row = steps_in_row.innermost();
  row_writer(&*copies.front()->getFirstInsertionPt(), narrow_ids, {id, row, begin, divisor})
      .run(steps_in_row.all(), id_in_row, width_in_row);
  return true;
}

}  // namespace

void visit_rows(llvm::Function& work_item, bool narrow_ids) {
  llvm::SmallVector<llvm::CallInst*, 4> begins;
  for (llvm::Instruction& instruction : llvm::instructions(work_item)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__sinter_element_begin")
      begins.push_back(call);
  }
  for (llvm::CallInst* begin : begins) {
    const visit found = visit_at(*begin);
    if (!found.begin || !counts_up_by(found.id->getArgOperand(0), work_item.getArg(parameter_local_id + 2))) continue;
    add_row_form(work_item, found, id_steps(work_item, found.id, narrow_ids), narrow_ids);
  }
}

}  // namespace sinter::passes
