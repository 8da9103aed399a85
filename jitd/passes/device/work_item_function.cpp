#include "work_item_function.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/called_names.hpp"

namespace sinter::passes {
namespace {

struct query {
  const char* name;
  unsigned first_parameter;
};

constexpr query queries[] = {
    {"__sinter_global_id", parameter_global_id},       {"__sinter_local_id", parameter_local_id},
    {"__sinter_group_id", parameter_group_id},         {"__sinter_global_range", parameter_global_range},
    {"__sinter_local_range", parameter_local_range},   {"__sinter_group_range", parameter_group_range},
    {"__sinter_global_offset", parameter_global_offset},
};

void lower_query(llvm::CallInst& call, unsigned first_parameter) {
  llvm::Function& function = *call.getFunction();
  llvm::Value* replacement = nullptr;
  if (auto* dimension = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0))) {
    replacement = function.getArg(first_parameter + static_cast<unsigned>(dimension->getZExtValue() % 3));
  } else {
    // If the dimension is known only at run time, two selects choose the value.
    llvm::IRBuilder<> builder(&call);
    llvm::Value* d = call.getArgOperand(0);
    llvm::Value* first = builder.CreateSelect(builder.CreateICmpEQ(d, builder.getInt32(0)),
                                              function.getArg(first_parameter), function.getArg(first_parameter + 1));
    replacement = builder.CreateSelect(builder.CreateICmpEQ(d, builder.getInt32(2)),
                                       function.getArg(first_parameter + 2), first);
  }
  call.replaceAllUsesWith(replacement);
  call.eraseFromParent();
}

void lower_queries(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !call->getCalledFunction()) continue;
    const llvm::StringRef name = call->getCalledFunction()->getName();
    if (name == "__sinter_local_base" || name == "__sinter_group_scratch") {
      const bool local = name == "__sinter_local_base";
      call->replaceAllUsesWith(function.getArg(local ? parameter_local_base : parameter_scratch));
      call->eraseFromParent();
      continue;
    }
    for (const query& known : queries) {
      if (name != known.name) continue;
      lower_query(*call, known.first_parameter);
      break;
    }
  }
}

/// Replaces calls of __sinter_fence. A fence is needed only if other threads may read the memory, because a thread sees
/// its own accesses in order.
void lower_fences(llvm::Function& function) {
  for (llvm::CallInst* call : calls_of(function, "__sinter_fence")) {
    auto* order = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
    if (!order || !order->isZero()) llvm::IRBuilder<>(call).CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
    call->eraseFromParent();
  }
}

void mark_block_loads(llvm::Value& block, unsigned levels) {
  llvm::MDNode* empty = llvm::MDNode::get(block.getContext(), {});
  llvm::SmallVector<llvm::Value*, 16> work{&block};
  while (!work.empty()) {
    for (llvm::User* user : work.pop_back_val()->users()) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        if (load->isVolatile()) continue;
        load->setMetadata(llvm::LLVMContext::MD_invariant_load, empty);
        if (levels > 1) mark_block_loads(*load, levels - 1);
      } else if (llvm::isa<llvm::GetElementPtrInst>(user)) {
        work.push_back(user);
      }
    }
  }
}

/// Whether the address may be in private memory. Accesses to private memory must not be declared parallel, because all
/// iterations of a loop over work-items use the same private memory. A pointer may lead into private memory if it comes
/// from private memory, a call or an integer.
bool maybe_private(const llvm::Value* address) {
  llvm::SmallVector<const llvm::Value*, 8> work{address};
  llvm::SmallPtrSet<const llvm::Value*, 8> seen;
  while (!work.empty()) {
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(work.pop_back_val(), objects, nullptr, 0);
    for (const llvm::Value* object : objects) {
      if (!seen.insert(object).second || llvm::isa<llvm::Argument, llvm::Constant>(object)) continue;
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
      if (!load) return true;
      work.push_back(load->getPointerOperand());
    }
  }
  return false;
}

void mark_accesses(llvm::Function& function, llvm::MDNode* group) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.mayReadOrWriteMemory() || instruction.isAtomic()) continue;
    const llvm::Value* address = nullptr;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) address = load->getPointerOperand();
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) address = store->getPointerOperand();
    if (!address || maybe_private(address)) continue;
    // The instruction may already have an access group of a parallel loop inside the kernel.
    llvm::MDNode* own = instruction.getMetadata(llvm::LLVMContext::MD_access_group);
    instruction.setMetadata(llvm::LLVMContext::MD_access_group, llvm::uniteAccessGroups(own, group));
  }
}

} // namespace

work_item_function make_work_item_function(llvm::Function& kernel, unsigned block_levels) {
  llvm::LLVMContext& context = kernel.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* int64 = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Type*, parameter_count> types(parameter_count, int64);
  for (unsigned i : {parameter_block, parameter_local_base, parameter_context, parameter_scratch}) types[i] = pointer;
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), types, false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, kernel.getName() + ".work_item",
                                          kernel.getParent());

  llvm::ValueToValueMapTy map;
  map[kernel.getArg(0)] = function->getArg(parameter_block);
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::CloneFunctionInto(function, &kernel, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
  for (llvm::ReturnInst* old : returns) {
    llvm::IRBuilder<>(old).CreateRet(llvm::ConstantInt::get(type->getReturnType(), 0));
    old->eraseFromParent();
  }
  function->setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::Argument* block = function->getArg(parameter_block);
  block->addAttr(llvm::Attribute::ReadOnly);
  // Parameters are not noalias, for two reasons. Behind a barrier, pointers into local memory and the context are
  // loaded from the context. Besides, inlining would leave declarations of scopes in the loop. Such a declaration
  // counts as a memory access without an access group, so the loop would no longer be parallel.

  lower_queries(*function);
  for (llvm::Function& each : *kernel.getParent()) lower_fences(each);
  mark_block_loads(*block, block_levels);
  llvm::MDNode* group = llvm::MDNode::getDistinct(context, {});
  mark_accesses(*function, group);
  return {function, group};
}

void mark_argument_loads(llvm::Function& work_item, unsigned block_levels) {
  mark_block_loads(*work_item.getArg(parameter_block), block_levels);
}

void state_argument_block(llvm::Function& work_item, const argument_block& block) {
  if (block.bytes == 0) return;
  llvm::LLVMContext& context = work_item.getContext();
  work_item.addParamAttr(parameter_block, llvm::Attribute::getWithDereferenceableBytes(context, block.bytes));
  work_item.addParamAttr(parameter_block, llvm::Attribute::getWithAlignment(context, llvm::Align(block.alignment)));
}

void state_local_range(llvm::Function& work_item, const std::array<std::uint64_t, 3>& local_range) {
  llvm::LLVMContext& context = work_item.getContext();
  llvm::Type* int64 = llvm::Type::getInt64Ty(context);
  auto is = [&](unsigned parameter, std::uint64_t value) {
    work_item.getArg(parameter)->replaceAllUsesWith(llvm::ConstantInt::get(int64, value));
  };
  auto is_below = [&](unsigned parameter, std::uint64_t end) {
    if (end == 1) return is(parameter, 0);
    const llvm::ConstantRange range(llvm::APInt::getZero(64), llvm::APInt(64, end));
    work_item.addParamAttr(parameter, llvm::Attribute::get(context, llvm::Attribute::Range, range));
    work_item.addParamAttr(parameter, llvm::Attribute::NoUndef);
  };
  std::uint64_t items = 1;
  for (unsigned d = 0; d < 3; ++d) {
    is(parameter_local_range + d, local_range[d]);
    is_below(parameter_local_id + d, local_range[d]);
    items *= local_range[d];
  }
  is_below(parameter_item, items);
  is(parameter_item_count, items);
}

bool is_noticed(const llvm::Instruction& instruction) {
  return instruction.mayHaveSideEffects() && !instruction.isLifetimeStartOrEnd() &&
         !llvm::isa<llvm::AssumeInst, llvm::NoAliasScopeDeclInst>(instruction);
}

} // namespace sinter::passes
