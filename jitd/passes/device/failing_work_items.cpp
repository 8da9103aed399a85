#include "failing_work_items.hpp"

#include <abi/device_abi.hpp>
#include <array>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "turns.hpp"

namespace sinter::passes {
namespace {

using id_values = std::array<llvm::Value*, failing_ids>;

/// Whether a copy with six more parameters can replace the function, because all calls of the function can be changed.
bool takes_parameters(const llvm::Function& function) {
  if (function.isDeclaration() || function.isVarArg() || function.hasAddressTaken()) return false;
  return llvm::all_of(function.users(), [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    return call && !call->isMustTailCall() && call->getFunctionType() == function.getFunctionType();
  });
}

llvm::FunctionType* with_ids(llvm::FunctionType* type) {
  llvm::SmallVector<llvm::Type*, 16> types(type->params());
  types.append(failing_ids, llvm::Type::getInt64Ty(type->getContext()));
  return llvm::FunctionType::get(type->getReturnType(), types, false);
}

class naming {
public:
  naming(llvm::Module& module, llvm::Function& old, llvm::ArrayRef<asserting_kernel> kernels)
      : m_module(module), m_old(old), m_kernels(kernels) {}

  void run() {
    m_new[&m_old] = copy_of(m_old);
    find_functions();
    // Calls are changed last, when all functions have their new parameters.
    for (llvm::Function* old : m_moved) move(*old);
    llvm::SmallVector<llvm::CallInst*, 16> calls;
    for (const auto& [old, ignored] : m_new) {
      for (llvm::User* user : old->users()) calls.push_back(llvm::cast<llvm::CallInst>(user));
    }
    for (llvm::CallInst* call : calls) hand_over(*call);
    for (const auto& [old, ignored] : m_new) old->eraseFromParent();
  }

private:
  const asserting_kernel* kernel_of(const llvm::Function& function) const {
    const auto* found = llvm::find_if(m_kernels, [&](const auto& each) { return each.function == &function; });
    return found == m_kernels.end() ? nullptr : found;
  }

  /// Finds all functions from which an assertion is reached, up to the kernels.
  void find_functions() {
    llvm::SetVector<llvm::Function*> found;
    found.insert(&m_old);
    for (unsigned i = 0; i < found.size(); ++i) {
      for (const llvm::User* user : found[i]->users()) {
        llvm::Function* caller = const_cast<llvm::Function*>(llvm::cast<llvm::CallInst>(user)->getFunction());
        if (!kernel_of(*caller) && takes_parameters(*caller)) found.insert(caller);
      }
    }
    for (llvm::Function* each : llvm::drop_begin(found)) {
      m_new[each] = copy_of(*each);
      m_moved.push_back(each);
    }
  }

  llvm::Function* copy_of(llvm::Function& old) {
    llvm::Function* made = llvm::Function::Create(with_ids(old.getFunctionType()), old.getLinkage(),
                                                  old.getAddressSpace());
    m_module.getFunctionList().insert(old.getIterator(), made);
    made->copyAttributesFrom(&old);
    made->takeName(&old);
    return made;
  }

  void move(llvm::Function& old) {
    llvm::Function* made = m_new[&old];
    made->splice(made->begin(), &old);
    for (auto [from, to] : llvm::zip(old.args(), made->args())) {
      to.takeName(&from);
      from.replaceAllUsesWith(&to);
    }
    made->copyMetadata(&old, 0);
    old.clearMetadata();
    m_own[made] = old.arg_size();
  }

  void hand_over(llvm::CallInst& old) {
    llvm::Function* callee = m_new[old.getCalledFunction()];
    llvm::SmallVector<llvm::Value*, 16> arguments(old.args());
    const id_values ids = ids_at(old);
    arguments.append(ids.begin(), ids.end());
    llvm::SmallVector<llvm::OperandBundleDef, 1> bundles;
    old.getOperandBundlesAsDefs(bundles);
    auto* call = llvm::CallInst::Create(callee, arguments, bundles, "", old.getIterator());
    call->setCallingConv(old.getCallingConv());
    call->setAttributes(old.getAttributes());
    call->copyMetadata(old);
    if (llvm::isa<llvm::FPMathOperator>(call)) call->copyFastMathFlags(&old);
    call->takeName(&old);
    old.replaceAllUsesWith(call);
    old.eraseFromParent();
  }

  id_values ids_at(llvm::CallInst& call) {
    llvm::IRBuilder<> builder(&call);
    id_values ids;
    llvm::Function& function = *call.getFunction();
    if (const auto own = m_own.find(&function); own != m_own.end()) {
      for (unsigned i = 0; i < failing_ids; ++i) ids[i] = function.getArg(own->second + i);
      return ids;
    }
    const asserting_kernel* kernel = kernel_of(function);
    ids.fill(builder.getInt64(kernel ? 0 : abi::unknown_work_item));
    if (!kernel || kernel->shape == abi::kernel_shape::single_task) return ids;
    if (const llvm::CallInst* element = element_at(call)) {
      // In a reduction over a range, the user thinks of each visited element as a work-item, so the element's ids are
      // reported.
      for (unsigned d = 0; d < 3; ++d) ids[d] = element->getArgOperand(d);
      return ids;
    }
    llvm::Value* turn = nullptr;
    if (!find_turn(call, turn)) {
      ids.fill(builder.getInt64(abi::unknown_work_item));
      return ids;
    }
    for (unsigned d = 3 - kernel->dimensions; d < 3; ++d) {
      ids[d] = ask(builder, "__sinter_global_id", {builder.getInt32(d)});
      if (turn) ids[d] = ask(builder, turn_global_id_name, {ids[d], turn, builder.getInt32(d)});
      if (kernel->shape == abi::kernel_shape::nd_range)
        ids[3 + d] = ask(builder, "__sinter_local_id", {builder.getInt32(d)});
    }
    return ids;
  }

  /// The visit of an element (abi/device_abi.hpp) that contains the call, or null.
  const llvm::CallInst* element_at(const llvm::CallInst& call) const {
    const llvm::Function* begin = m_module.getFunction("__sinter_element_begin");
    const llvm::Function* end = m_module.getFunction("__sinter_element_end");
    if (!begin || !end) return nullptr;
    const llvm::DominatorTree dominators(*const_cast<llvm::Function*>(call.getFunction()));
    const auto is_behind = [&](const llvm::User* user, const llvm::CallInst& later) {
      const auto* earlier = llvm::dyn_cast<llvm::CallInst>(user);
      return earlier && earlier->getFunction() == later.getFunction() && dominators.dominates(earlier, &later);
    };
    const llvm::CallInst* last = nullptr;
    for (const llvm::User* user : begin->users()) {
      if (is_behind(user, call) && (!last || is_behind(last, *llvm::cast<llvm::CallInst>(user))))
        last = llvm::cast<llvm::CallInst>(user);
    }
    const bool has_ended = last && llvm::any_of(end->users(), [&](const llvm::User* user) {
      return is_behind(user, call) && is_behind(last, *llvm::cast<llvm::CallInst>(user));
    });
    return has_ended ? nullptr : last;
  }

  /// A work-item may do the work of several groups, one group in each turn. In each turn, it counts as a different
  /// work-item. Returns false if the turn is unknown.
  bool find_turn(const llvm::CallInst& call, llvm::Value*& turn) const {
    using namespace llvm::PatternMatch;
    const llvm::Function* question = m_module.getFunction(has_turn_name);
    if (!question) return true;
    for (const llvm::User* user : question->users()) {
      const auto* asks = llvm::dyn_cast<llvm::CallInst>(user);
      if (!asks || asks->getFunction() != call.getFunction()) continue;
      const llvm::DominatorTree dominators(*const_cast<llvm::Function*>(call.getFunction()));
      llvm::Value* number = nullptr;
      if (!match(asks->getArgOperand(0), m_Add(m_Value(number), m_One()))) return false;
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(number);
      if (!phi) return false;
      // Before and after the turns, each work-item has its own ids.
      if (dominators.dominates(phi->getParent(), call.getParent()) && !dominators.dominates(asks, &call)) turn = number;
    }
    return true;
  }

  llvm::Value* ask(llvm::IRBuilder<>& builder, llvm::StringRef query, llvm::ArrayRef<llvm::Value*> operands) {
    llvm::SmallVector<llvm::Type*, 3> types;
    for (llvm::Value* each : operands) types.push_back(each->getType());
    llvm::Function* function = m_module.getFunction(query);
    if (!function) {
      auto* type = llvm::FunctionType::get(builder.getInt64Ty(), types, false);
      function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, query, m_module);
      // The capture plugin declares such functions with these attributes, too.
      function->setDoesNotThrow();
      function->setDoesNotAccessMemory();
      function->setWillReturn();
      for (auto attribute : {llvm::Attribute::Speculatable, llvm::Attribute::NoCallback, llvm::Attribute::NoSync,
                             llvm::Attribute::NoFree}) {
        function->addFnAttr(attribute);
      }
      function->addRetAttr(llvm::Attribute::NoUndef);
    }
    return builder.CreateCall(function, operands);
  }

  llvm::Module& m_module;
  llvm::Function& m_old;
  llvm::ArrayRef<asserting_kernel> m_kernels;
  llvm::MapVector<llvm::Function*, llvm::Function*> m_new;
  llvm::SmallVector<llvm::Function*, 8> m_moved;
  llvm::DenseMap<const llvm::Function*, unsigned> m_own;  ///< number of the first parameter that is an id
};

}  // namespace

void name_failing_work_items(llvm::Module& module, llvm::ArrayRef<asserting_kernel> kernels) {
  llvm::Function* fail = module.getFunction(assert_fail_name);
  if (!fail || fail->arg_size() != first_failing_id) return;
  const bool is_called = llvm::all_of(fail->users(), [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    return call && call->getCalledFunction() == fail;
  });
  if (is_called) naming(module, *fail, kernels).run();
}

}  // namespace sinter::passes
