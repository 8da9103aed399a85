#include "flat_rows.hpp"

#include <utility>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "passes/called_names.hpp"
#include "passes/device/failing_work_items.hpp"
#include "row_forms.hpp"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

/// Whether the sum is group * local range + local id, in any types.
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

/// The program may compute its ids from the group's id. Replaces such an id with the global id. Rows have no offset.
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

/// Removes local ids from calls for failed assertions, because rows have no local ids. write_failing_ids adds them
/// again after all other code has been written.
llvm::SmallVector<llvm::Use*, 4> take_failing_ids(llvm::Function& function) {
  llvm::SmallVector<llvm::Use*, 4> taken;
  for (llvm::CallInst* call : calls_of(function, assert_fail_name)) {
    for (llvm::Use& argument : llvm::drop_begin(call->args(), first_failing_id)) {
      if (without_casts(argument) != function.getArg(parameter_local_id + 2)) continue;
      argument.set(llvm::ConstantInt::get(argument->getType(), 0));
      taken.push_back(&argument);
    }
  }
  return taken;
}

/// Computes the local id in front of the calls for failed assertions.
void write_failing_ids(llvm::Function& function, llvm::ArrayRef<llvm::Use*> uses) {
  for (llvm::Use* use : uses) {
    llvm::IRBuilder<> builder(llvm::cast<llvm::Instruction>(use->getUser()));
    use->set(builder.CreateURem(function.getArg(parameter_global_id + 2), function.getArg(parameter_local_range + 2)));
  }
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

/// Replaces parameters by constants: the parameters of dimensions that the kernel does not have, and the offset, which
/// is 0.
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

bool divides(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& each) { return each.isIntDivRem(); });
}

flat_rows find_flat_rows(llvm::Function& work_item, const flat_range& range) {
  llvm::ValueToValueMapTy map;
  if (range.accesses) map.MD()[range.accesses].reset(range.accesses);
  llvm::Function* copy = llvm::CloneFunction(&work_item, map);
  const auto failing_ids_of_group = range.grouped ? take_failing_ids(*copy) : llvm::SmallVector<llvm::Use*, 4>();
  if (range.grouped && range.narrow_ids) write_global_ids(*copy, range.group);
  llvm::Argument* id = copy->getArg(parameter_global_id + 2);
  const id_steps steps = steps_of(*copy, id, range.narrow_ids);
  llvm::Value* width = innermost(steps);
  if (!width || (range.grouped && knows_its_group(*copy))) {
    copy->eraseFromParent();
    return {};
  }
  llvm::Function* length = make_row_length(*copy, steps, width, range.narrow_ids);
  fill_in_constants(*copy);
  llvm::Instruction* front = &*copy->getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  const row_of_ids row{id, copy->getArg(parameter_global_id + 1), copy->getArg(parameter_global_range),
                       copy->getArg(parameter_global_range + 1)};
  write_in_row(front, range.narrow_ids, row, steps, id, width);
  write_failing_ids(*copy, failing_ids_of_group);
  return {copy, length};
}

}  // namespace sinter::passes
