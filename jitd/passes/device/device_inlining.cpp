#include "device_inlining.hpp"

#include <abi/readable_name.hpp>

#include "passes/alias_scopes.hpp"
#include "passes/kernel_memory.hpp"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::passes {
namespace {

/// Whether a call of the function can be lowered only in the kernel itself. Functions that contain such a call have to
/// be inlined into the kernel. If `with_traps` is set, traps can be lowered only in the kernel, too.
bool needs_kernel(const llvm::Function& function, bool with_traps) {
  const llvm::StringRef name = function.getName();
  if (!function.isDeclaration() || !name.starts_with("__sinter_") || name.starts_with("__sinter_math_")) return false;
  if (name == "__sinter_trap" || name == "__sinter_assert_fail") return with_traps;
  return name != "__sinter_fence";
}

/// Removes functions whose calls were all inlined. These functions must not stay, because they still query ids of their
/// work-item, and only a kernel knows these ids.
void erase_unused(llvm::SmallPtrSetImpl<llvm::Function*>& functions) {
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::Function* function : llvm::SmallVector<llvm::Function*, 16>(functions.begin(), functions.end())) {
      if (!function->use_empty() || !function->hasLocalLinkage()) continue;
      functions.erase(function);
      function->eraseFromParent();
      changed = true;
    }
  }
}

} // namespace

llvm::Error inline_device_calls(llvm::Function& kernel, bool with_traps) {
  llvm::SmallPtrSet<llvm::Function*, 16> affected;
  llvm::SmallVector<llvm::Function*, 16> work;
  for (llvm::Function& function : *kernel.getParent()) {
    if (needs_kernel(function, with_traps)) work.push_back(&function);
    if (&function == &kernel || !has_large_arrays(function)) continue;
    if (affected.insert(&function).second) work.push_back(&function);
  }
  while (!work.empty()) {
    llvm::Function* function = work.pop_back_val();
    for (llvm::User* user : function->users()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (call && call->getCalledOperand() == function && affected.insert(call->getFunction()).second) {
        work.push_back(call->getFunction());
      }
    }
  }
  affected.erase(&kernel);

  // Each round inlines one level of calls. There are more rounds than functions, so if a call remains after the last
  // round, it is recursive.
  for (std::size_t round = 0; round <= affected.size(); ++round) {
    llvm::SmallVector<llvm::CallBase*, 16> calls;
    for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && call->getCalledFunction() && affected.contains(call->getCalledFunction())) calls.push_back(call);
    }
    if (calls.empty()) {
      erase_unused(affected);
      drop_scopes_in_loops(kernel);
      return llvm::Error::success();
    }
    for (llvm::CallBase* call : calls) {
      const std::string name =
          abi::without_inline_namespace(llvm::demangle(call->getCalledFunction()->getName().str()));
      llvm::InlineFunctionInfo info;
      llvm::InlineResult result = llvm::InlineFunction(*call, info);
      if (!result.isSuccess()) {
        return llvm::createStringError("function '" + name +
                                       "' asks for its work-item or has large private arrays, but can't be inlined: " +
                                       result.getFailureReason());
      }
    }
  }
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && call->getCalledFunction() && affected.contains(call->getCalledFunction())) {
      return llvm::createStringError(
          "function '" + abi::without_inline_namespace(llvm::demangle(call->getCalledFunction()->getName().str())) +
          "' is recursive and asks for its work-item or waits at a barrier, or has large private "
          "arrays");
    }
  }
  drop_scopes_in_loops(kernel);
  return llvm::Error::success();
}

void inline_all_calls(llvm::Function& kernel, std::size_t most_instructions) {
  // A call, and the chain of inlined functions through which the call came into the kernel.
  struct level {
    llvm::CallBase* call;
    llvm::SmallVector<llvm::Function*, 4> within;
  };
  llvm::SmallVector<level, 16> calls;
  const auto collect = [&](llvm::CallBase* call, llvm::ArrayRef<llvm::Function*> within) {
    llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isDeclaration() || callee == &kernel || callee->hasOptNone()) return;
    if (!llvm::is_contained(within, callee)) calls.push_back({call, {within.begin(), within.end()}});
  };
  for (llvm::Instruction& each : llvm::instructions(kernel)) collect(llvm::dyn_cast<llvm::CallBase>(&each), {});
  llvm::SmallPtrSet<llvm::Function*, 16> inlined;
  std::size_t count = kernel.getInstructionCount();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    level each = calls[i];
    llvm::Function* callee = each.call->getCalledFunction();
    if (count + callee->getInstructionCount() > most_instructions) continue;
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*each.call, info).isSuccess()) continue;
    count += callee->getInstructionCount();
    inlined.insert(callee);
    each.within.push_back(callee);
    for (llvm::CallBase* inner : info.InlinedCallSites) collect(inner, each.within);
  }
  if (inlined.empty()) return;
  erase_unused(inlined);
  drop_scopes_in_loops(kernel);
}

} // namespace sinter::passes
