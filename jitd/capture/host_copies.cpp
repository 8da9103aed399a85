#include "host_copies.hpp"

#include "../passes/safe_division.hpp"
#include <abi/device_abi.hpp>
#include <abi/image_format.hpp>

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::capture {
namespace {

// Limit for a work-item's arrays and variables in memory. The stacks of host code have room for more.
constexpr std::uint64_t most_stack_bytes = 64 << 10;

/// Functions of the device ABI that give the same answers on the host as on devices.
bool is_question_of_place(llvm::StringRef name) {
  return llvm::is_contained({"__sinter_global_id", "__sinter_local_id", "__sinter_group_id", "__sinter_global_range",
                             "__sinter_local_range", "__sinter_group_range", "__sinter_global_offset"},
                            name);
}

/// Whether every implementation of the intrinsic gives the same bits. Intrinsics without floating-point numbers always
/// give the same bits.
bool is_exact(llvm::Intrinsic::ID intrinsic) {
  switch (intrinsic) {
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::round:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fptosi_sat:
    case llvm::Intrinsic::fptoui_sat:
    case llvm::Intrinsic::is_fpclass:
      return true;
    default:
      return false;
  }
}

bool has_floating_point(const llvm::CallBase& call) {
  return call.getType()->isFPOrFPVectorTy() ||
         llvm::any_of(call.args(), [](const llvm::Use& each) { return each->getType()->isFPOrFPVectorTy(); });
}

bool has_loop(const llvm::Function& function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 8> back_edges;
  llvm::FindFunctionBackedges(function, back_edges);
  return !back_edges.empty();
}

bool has_fma(const llvm::Function& host) {
  const llvm::StringRef features = host.getFnAttribute("target-features").getValueAsString();
  return ("," + features + ",").str().find(",+fma,") != std::string::npos;
}

/// Whether the runtime has a function that multiplies and adds numbers of this type.
bool can_be_called(const llvm::Type& type) { return type.isFloatTy() || type.isDoubleTy(); }

/// The functions that a function calls by name, directly or through other functions. The function itself is included.
struct called_functions {
  llvm::SetVector<llvm::Function*> all;
  bool calls_others = false;  ///< whether functions are called through pointers

  explicit called_functions(llvm::Function& root) {
    all.insert(&root);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (llvm::Instruction& instruction : llvm::instructions(*all[i])) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (!call) continue;
        if (llvm::Function* callee = call->getCalledFunction()) {
          all.insert(callee);
        } else {
          calls_others = true;
        }
      }
    }
  }
};

class judgement {
public:
  explicit judgement(bool host_has_fma) : m_host_has_fma(host_has_fma) {}

  bool visit_all(llvm::Function& kernel) {
    m_work.push_back(&kernel);
    m_seen.insert(&kernel);
    while (!m_work.empty()) {
      const llvm::Function* function = m_work.pop_back_val();
      m_loops |= has_loop(*function);
      for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
        if (!visit(instruction)) return false;
      }
    }
    // In a loop, LLVM may apply a fact about one iteration to all iterations (docs/llvm_defects.md). The JIT guards
    // against this defect, but clang does not.
    return m_stack <= most_stack_bytes && !(m_loops && m_restricts);
  }
  bool adds_products() const { return m_adds_products; }
  bool loops() const { return m_loops; }

private:
  bool visit(const llvm::Instruction& instruction) {
    if (llvm::isa<llvm::FPMathOperator>(instruction)) {
      llvm::FastMathFlags flags = instruction.getFastMathFlags();
      if (flags.any() || instruction.getMetadata(llvm::LLVMContext::MD_fpmath)) return false;
    }
    if (const auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      const auto size = array->getAllocationSize(instruction.getDataLayout());
      if (!size) return false;
      m_stack += size->getFixedValue();
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return !call || visit_call(*call);
  }

  bool visit_call(const llvm::CallBase& call) {
    llvm::Function* callee = call.getCalledFunction();
    if (!callee) return false;
    m_restricts |= llvm::isa<llvm::NoAliasScopeDeclInst>(call);
    if (!callee->isDeclaration()) {
      m_restricts |= llvm::any_of(callee->args(), [](const llvm::Argument& each) {
        return each.hasNoAliasAttr() && !each.hasStructRetAttr() && !each.hasByValAttr();
      });
      if (m_seen.insert(callee).second) m_work.push_back(callee);
      return true;
    }
    if (callee->getIntrinsicID() == llvm::Intrinsic::fmuladd) {
      m_adds_products = true;
      const llvm::Type& type = *call.getType()->getScalarType();
      return can_be_called(m_host_has_fma ? type : *call.getType());
    }
    if (callee->isIntrinsic()) return !has_floating_point(call) || is_exact(callee->getIntrinsicID());
    return is_question_of_place(callee->getName());
  }

  llvm::SmallVector<const llvm::Function*, 8> m_work;
  llvm::SmallPtrSet<const llvm::Function*, 8> m_seen;
  const bool m_host_has_fma;
  std::uint64_t m_stack = 0;
  bool m_adds_products = false, m_loops = false, m_restricts = false;
};

}  // namespace

llvm::StringSet<> find_side_askers(llvm::Module& device) {
  llvm::StringSet<> found;
  llvm::SmallVector<llvm::Value*, 16> work;
  if (llvm::Function* question = device.getFunction("__sinter_on_device")) work.push_back(question);
  while (!work.empty()) {
    for (llvm::User* user : work.pop_back_val()->users()) {
      if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
        llvm::Function* function = instruction->getFunction();
        if (found.insert(function->getName()).second) work.push_back(function);
      } else {
        work.push_back(user);  // a constant, such as a table or a variable's initialiser
      }
    }
  }
  return found;
}

std::uint32_t host_copy_flags(llvm::Function& kernel, llvm::Function& host) {
  // Unoptimised code would be too slow. A single task may run for any length of time, and the JIT's code could not
  // replace the host's code while the task runs.
  if (host.hasOptNone()) return 0;
  judgement judged(has_fma(host));
  if (!judged.visit_all(kernel)) return 0;
  std::uint32_t flags = abi::kernel_host_copy;
  if (judged.adds_products() && has_fma(host)) flags |= abi::kernel_host_adds_products_once;
  // If the host entry calls functions through pointers, it is unknown here which functions would have to be rewritten.
  if (judged.adds_products() && !has_fma(host) && called_functions(host).calls_others) return 0;
  if (judged.loops()) flags |= abi::kernel_host_loops;
  return flags;
}

namespace {

/// Rewrites host entries, and copies of the functions that they call, so that they compute as the JIT's code does.
class host_forms {
public:
  host_forms(llvm::Module& host, bool rounds, bool divisions_trap)
      : m_host(host), m_rounds(rounds), m_divisions_trap(divisions_trap) {}

  void run(llvm::Function& kernel) {
    find_others(called_functions(kernel));
    if (!m_others.contains(&kernel)) return;
    m_work.push_back(&kernel);
    while (!m_work.empty()) change(*m_work.pop_back_val());
  }

private:
  bool is_product(const llvm::Function& function) const {
    return m_rounds && function.getIntrinsicID() == llvm::Intrinsic::fmuladd;
  }

  bool may_trap(const llvm::Instruction& instruction) const {
    return m_divisions_trap && passes::may_trap(instruction);
  }

  /// Finds functions that add products or divide, or call such a function.
  void find_others(const called_functions& called) {
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::Function* function : called.all) {
        if (m_others.contains(function)) continue;
        const bool is_other = is_product(*function) ||
                              llvm::any_of(llvm::instructions(*function), [&](const llvm::Instruction& instruction) {
                                const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
                                return may_trap(instruction) ||
                                       (call && m_others.contains(call->getCalledFunction()));
                              });
        if (is_other) m_others.insert(function);
        changed |= is_other;
      }
    }
  }

  void change(llvm::Function& function) {
    llvm::SmallVector<llvm::BinaryOperator*, 4> divisions;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (may_trap(instruction)) divisions.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !m_others.contains(callee)) continue;
      if (is_product(*callee)) {
        if (can_be_called(*call->getType())) call->setCalledFunction(runtime_function(*call->getType()));
      } else {
        call->setCalledFunction(&copy_of(*callee));
      }
    }
    for (llvm::BinaryOperator* each : divisions) passes::make_safe(*each);
  }

  llvm::Function& copy_of(llvm::Function& function) {
    llvm::Function*& copy = m_copies[&function];
    if (copy) return *copy;
    llvm::ValueToValueMapTy values;
    copy = llvm::CloneFunction(&function, values);
    copy->setName(function.getName() + ".sinter.host");
    copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    copy->setVisibility(llvm::GlobalValue::DefaultVisibility);
    copy->setComdat(nullptr);
    copy->setDSOLocal(true);
    m_work.push_back(copy);
    return *copy;
  }

  llvm::FunctionCallee runtime_function(llvm::Type& type) {
    const char* name = type.isFloatTy() ? "__sinter_multiply_add_f32" : "__sinter_multiply_add_f64";
    llvm::FunctionCallee found = m_host.getOrInsertFunction(name, &type, &type, &type, &type);
    if (auto* function = llvm::dyn_cast<llvm::Function>(found.getCallee())) {
      function->setDoesNotThrow();
      function->setDoesNotAccessMemory();
      function->setWillReturn();
    }
    return found;
  }

  llvm::Module& m_host;
  const bool m_rounds, m_divisions_trap;
  llvm::SmallPtrSet<const llvm::Function*, 16> m_others;
  llvm::DenseMap<const llvm::Function*, llvm::Function*> m_copies;
  llvm::SmallVector<llvm::Function*, 8> m_work;
};

}  // namespace

void compute_as_compiled(llvm::Module& host, llvm::ArrayRef<llvm::Function*> kernels) {
  const bool divisions_trap = llvm::Triple(host.getTargetTriple()).isX86();
  host_forms plain(host, /*rounds=*/false, divisions_trap), rounding(host, /*rounds=*/true, divisions_trap);
  for (llvm::Function* kernel : kernels) (has_fma(*kernel) ? plain : rounding).run(*kernel);
}

}  // namespace sinter::capture
