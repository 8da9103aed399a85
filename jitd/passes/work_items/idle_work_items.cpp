#include "idle_work_items.hpp"

#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/llvm_versions.hpp"
#include "passes/pass_runner.hpp"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

constexpr unsigned last_dimension = 2;
// The deepest condition that is examined. Conditions such as `local id == 0` are short, and the limit rejects other
// regions quickly.
constexpr unsigned deepest_condition = 8;

bool depends_on_local_id(const llvm::Value* value, const llvm::Function& region, unsigned depth) {
  if (value == region.getArg(parameter_local_id + last_dimension) || value == region.getArg(parameter_item))
    return true;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction && depth != 0 && llvm::any_of(instruction->operands(), [&](const llvm::Value* operand) {
           return depends_on_local_id(operand, region, depth - 1);
         });
}

/// Whether the region branches on the local id before it has any effect.
bool begins_with_question(const llvm::Function& region) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> seen;
  for (const llvm::BasicBlock* block = &region.getEntryBlock(); block && seen.insert(block).second;) {
    if (llvm::any_of(*block, is_noticed)) return false;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (branch && branch->isConditional())
      return depends_on_local_id(branch->getCondition(), region, deepest_condition);
    block = block->getSingleSuccessor();
  }
  return false;
}

/// Copies the region for local ids from `first` on. In the copy, the local id is a * `first` + b, where a > 0 and b <
/// `first` are new parameters. The old parameter can't be used, because its attributes are not true for such ids.
llvm::Function* with_late_ids(const llvm::Function& region, unsigned dimensions, unsigned first) {
  llvm::LLVMContext& context = region.getContext();
  llvm::Type* int64 = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Type*, parameter_count + 2> types(region.getFunctionType()->params());
  types.append({int64, int64});
  auto* copy = llvm::Function::Create(llvm::FunctionType::get(region.getReturnType(), types, false),
                                      llvm::GlobalValue::InternalLinkage, "late",
                                      *const_cast<llvm::Module*>(region.getParent()));
  llvm::ValueToValueMapTy map;
  for (const llvm::Argument& argument : region.args()) map[&argument] = copy->getArg(argument.getArgNo());
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::CloneFunctionInto(copy, &region, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
  copy->removeFnAttr(llvm::Attribute::AlwaysInline);

  const unsigned shift = llvm::Log2_32(first), many = region.arg_size(), few = many + 1;
  const llvm::ConstantRange range(llvm::APInt(64, 1), llvm::APInt::getOneBitSet(64, 32));
  copy->addParamAttr(many, llvm::Attribute::get(context, llvm::Attribute::Range, range));
  copy->addParamAttr(many, llvm::Attribute::NoUndef);
  copy->addParamAttr(few, llvm::Attribute::NoUndef);
  llvm::IRBuilder<> builder(&copy->getEntryBlock(), copy->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::Value* id = create_disjoint_or(builder, builder.CreateShl(copy->getArg(many), shift, "", true, true),
                                       builder.CreateAnd(copy->getArg(few), first - 1));
  auto state = [&](unsigned parameter, llvm::Value* value) { copy->getArg(parameter)->replaceAllUsesWith(value); };
  state(parameter_local_id + last_dimension, id);
  for (unsigned d = 0; d + dimensions < 3; ++d) {
    state(parameter_local_id + d, builder.getInt64(0));
    state(parameter_local_range + d, builder.getInt64(1));
  }
  if (dimensions == 1) state(parameter_item, id);
  return copy;
}

} // namespace

bool are_idle_from(const llvm::Function& region, llvm::TargetMachine& machine, unsigned dimensions, unsigned first) {
  if (!begins_with_question(region)) return false;
  llvm::Function* late = with_late_ids(region, dimensions, first);
  pass_runner runner(&machine);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  runner.run(*late, std::move(passes));
  const bool idle = llvm::none_of(llvm::instructions(*late), is_noticed);
  late->eraseFromParent();
  return idle;
}

} // namespace sinter::passes
