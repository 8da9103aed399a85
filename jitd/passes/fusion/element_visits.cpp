#include "element_visits.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "passes/called_names.hpp"

namespace sinter::passes {
namespace {

constexpr const char *begin_name = "__sinter_element_begin", *end_name = "__sinter_element_end",
                     *id_name = "__sinter_element_id";

bool is_id_query(llvm::StringRef name) {
  return llvm::is_contained({"__sinter_global_id", "__sinter_local_id", "__sinter_group_id",
                             "__sinter_sub_group_local_id", "__sinter_sub_group_local_range", "__sinter_global_range",
                             "__sinter_local_range", "__sinter_group_range"},
                            name);
}

void replace(llvm::CallInst& call, llvm::Value* value) {
  call.replaceAllUsesWith(value);
  call.eraseFromParent();
}

/// An access outside of all visits belongs to no element, so its address counts as unknown.
template <class Unknown>
void hide_places_outside(llvm::Function& view, const Unknown& unknown) {
  const llvm::DominatorTree tree(view);
  const auto begins = calls_of(view, begin_name);
  llvm::SmallVector<llvm::Use*, 32> addresses;
  for (llvm::Instruction& instruction : llvm::instructions(view)) {
    if (llvm::any_of(begins, [&](llvm::CallInst* begin) { return tree.dominates(begin, &instruction); })) continue;
    if (!llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::MemIntrinsic>(
            instruction))
      continue;
    const bool is_store = llvm::isa<llvm::StoreInst>(instruction);
    for (llvm::Use& operand : instruction.operands()) {
      if (!operand->getType()->isPointerTy() || (is_store && operand.getOperandNo() == 0)) continue;
      if (llvm::isa<llvm::Function>(operand.get())) continue;
      const llvm::Value* object = llvm::getUnderlyingObject(operand.get(), 0);
      if (!llvm::isa<llvm::Argument, llvm::AllocaInst>(object)) addresses.push_back(&operand);
    }
  }
  for (llvm::Use* address : addresses) {
    llvm::IRBuilder<> builder(llvm::cast<llvm::Instruction>(address->getUser()));
    address->set(builder.CreatePtrAdd(address->get(), unknown(builder)));
  }
}

}  // namespace

bool visits_elements(const llvm::Function& kernel) {
  return llvm::any_of(llvm::instructions(kernel),
                      [](const llvm::Instruction& each) { return called_name(each) == begin_name; });
}

llvm::Function* make_element_view(llvm::Function& kernel) {
  llvm::ValueToValueMapTy map;
  return make_element_view(kernel, map);
}

llvm::Function* make_element_view(llvm::Function& kernel, llvm::ValueToValueMapTy& map) {
  llvm::Function* view = llvm::CloneFunction(&kernel, map);
  llvm::Module& module = *kernel.getParent();
  // Makes a function that returns an unknown value of the type.
  const auto unknown = [&](llvm::Type* type) {
    llvm::FunctionCallee callee = module.getOrInsertFunction(
        type->isIntegerTy(64) ? "sinter.unknown.64" : "sinter.unknown.32", llvm::FunctionType::get(type, false));
    llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotAccessMemory();
    return callee;
  };
  llvm::SmallVector<llvm::CallInst*, 16> queries;
  for (llvm::Instruction& instruction : llvm::instructions(*view)) {
    if (is_id_query(called_name(instruction))) queries.push_back(llvm::cast<llvm::CallInst>(&instruction));
  }
  for (llvm::CallInst* query : queries) {
    replace(*query, llvm::IRBuilder<>(query).CreateCall(unknown(query->getType())));
  }
  for (llvm::CallInst* id : calls_of(*view, id_name)) {
    llvm::IRBuilder<> builder(id);
    llvm::FunctionCallee query =
        module.getOrInsertFunction("__sinter_global_id", builder.getInt64Ty(), builder.getInt32Ty());
    replace(*id, builder.CreateCall(query, {id->getArgOperand(1)}));
  }
  // The copied function makes one visit and returns. It does not contain the loops around the visit.
  for (llvm::CallInst* end : calls_of(*view, end_name)) {
    llvm::BasicBlock* block = end->getParent();
    block->splitBasicBlock(end);
    llvm::ReplaceInstWithInst(block->getTerminator(), llvm::ReturnInst::Create(view->getContext()));
  }
  llvm::removeUnreachableBlocks(*view);
  hide_places_outside(*view, [&](llvm::IRBuilder<>& builder) {
    return builder.CreateCall(unknown(builder.getInt64Ty()));
  });
  for (llvm::CallInst* begin : calls_of(*view, begin_name)) begin->eraseFromParent();
  return view;
}

llvm::Function* make_element_work(llvm::Function& kernel) {
  llvm::LLVMContext& context = kernel.getContext();
  llvm::Type* number = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Type*, 7> parameters{kernel.getArg(0)->getType()};
  parameters.append(6, number);
  auto* work =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), parameters, false),
                             llvm::GlobalValue::ExternalLinkage, kernel.getName() + ".element", kernel.getParent());
  llvm::ValueToValueMapTy map;
  map[kernel.getArg(0)] = work->getArg(0);
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::CloneFunctionInto(work, &kernel, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
  work->removeFnAttr(llvm::Attribute::NoInline);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*work))) {
    const llvm::StringRef name = called_name(instruction);
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    auto* dimension =
        call && call->arg_size() == 1 ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0)) : nullptr;
    if (!dimension) continue;
    const unsigned d = static_cast<unsigned>(dimension->getZExtValue() % 3);
    if (name == "__sinter_global_id") replace(*call, work->getArg(1 + d));
    if (name == "__sinter_global_range") replace(*call, work->getArg(4 + d));
    if (name == "__sinter_global_offset") replace(*call, llvm::ConstantInt::get(number, 0));
  }
  return work;
}

llvm::Error call_at_elements(llvm::Function& function, llvm::ArrayRef<element_call> calls) {
  llvm::SmallVector<llvm::CallInst*, 16> made;
  for (bool in_front : {true, false}) {
    for (llvm::CallInst* mark : calls_of(function, in_front ? begin_name : end_name)) {
      llvm::IRBuilder<> builder(mark);
      for (const element_call& each : calls) {
        if (each.in_front != in_front) continue;
        llvm::SmallVector<llvm::Value*, 7> arguments{each.block};
        arguments.append(mark->arg_begin(), mark->arg_end());
        made.push_back(builder.CreateCall(each.work, arguments));
      }
    }
  }
  for (llvm::CallInst* call : made) {
    llvm::InlineFunctionInfo info;
    const std::string name = call->getCalledFunction()->getName().str();
    const llvm::InlineResult result = llvm::InlineFunction(*call, info);
    if (!result.isSuccess()) {
      return llvm::createStringError("kernel fusion: '" + name + "' can't be inlined: " + result.getFailureReason());
    }
  }
  return llvm::Error::success();
}

void erase_element_visits(llvm::Module& module) {
  for (const char* name : {begin_name, end_name, id_name}) {
    llvm::Function* mark = module.getFunction(name);
    if (!mark) continue;
    for (llvm::User* user : llvm::make_early_inc_range(mark->users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledFunction() != mark) continue;
      if (name == id_name) call->replaceAllUsesWith(call->getArgOperand(0));
      call->eraseFromParent();
    }
    if (mark->use_empty()) mark->eraseFromParent();
  }
}

}  // namespace sinter::passes
