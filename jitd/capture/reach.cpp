#include "reach.hpp"

#include <abi/device_abi.hpp>
#include <abi/readable_name.hpp>
#include <algorithm>
#include <deque>
#include <optional>

#include "../passes/virtual_tables.hpp"
#include "device_assembly.hpp"
#include "device_module.hpp"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"

namespace sinter::capture {
namespace {

constexpr llvm::StringLiteral indirect_node = "<indirect call>";
constexpr llvm::StringLiteral assembly_node = "<inline assembly>";
constexpr llvm::StringLiteral throw_node = "<throw>";

bool is_allocation(llvm::StringRef name) {
  return name.starts_with("_Znw") || name.starts_with("_Zna") || name == "malloc" || name == "calloc" ||
         name == "realloc" || name == "aligned_alloc" || name == "posix_memalign";
}

bool is_deallocation(llvm::StringRef name) {
  return name.starts_with("_ZdlPv") || name.starts_with("_ZdaPv") || name == "free";
}

/// Whether the call is a trap that replaced a throw. Traps of abort() and of failed assertions are intended.
bool is_throw_trap(const llvm::CallBase& call) {
  if (call.arg_size() != 1) return false;
  const auto* text = llvm::dyn_cast<llvm::GlobalVariable>(call.getArgOperand(0)->stripPointerCasts());
  if (!text || !text->hasInitializer()) return false;
  const auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(text->getInitializer());
  return data && data->isCString() && data->getAsCString().contains("throw");
}

/// The node of the call graph to which an instruction leads. Empty for ordinary instructions.
std::string node_of(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return is_ptx(call) ? std::string() : assembly_node.str();
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  if (!callee) return indirect_node.str();
  if (callee->getName() == "__sinter_trap") return is_throw_trap(call) ? throw_node.str() : std::string();
  return callee->isIntrinsic() ? std::string() : callee->getName().str();
}

/// The key of the constant that a call of __sinter_specialization_constant reads.
std::optional<std::uint64_t> constant_key(const llvm::CallBase* call) {
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || callee->getName() != abi::specialization_symbol || call->arg_size() != 3) return std::nullopt;
  const auto* key = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(1));
  return key ? std::optional(key->getZExtValue()) : std::nullopt;
}

statement_place place_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = instruction.getDebugLoc();
  if (!location) return {};
  // If the code was inlined from a system header, the line of the user's call is reported.
  while (place_in_text(*location).file.starts_with("/usr/") && location->getInlinedAt()) {
    location = location->getInlinedAt();
  }
  return place_in_text(*location);
}

/// Whether the function belongs to namespace std. Such functions may be recursive (std::sort,
/// uniform_int_distribution), because for devices without a call stack their recursion is turned into loops.
bool is_of_the_library(llvm::StringRef symbol) {
  return symbol.starts_with("_ZSt") || symbol.starts_with("_ZNSt") || symbol.starts_with("_ZNKSt");
}

std::string readable(llvm::StringRef symbol) { return abi::without_inline_namespace(llvm::demangle(symbol.str())); }

class examiner {
public:
  explicit examiner(llvm::Function& kernel) { visit_function(kernel); }

  kernel_reach run() {
    visit_all();
    // Functions that a virtual table names are reached only where something may read the table.
    while (m_reads_tables && !m_tables.empty()) {
      const auto [table, user] = m_tables.pop_back_val();
      visit_constant(*table->getInitializer(), *user);
      visit_all();
    }
    find_recursion();
    return std::move(m_result);
  }

private:
  void visit_all() {
    while (!m_work.empty()) {
      llvm::Function* function = m_work.pop_back_val();
      for (llvm::Instruction& instruction : llvm::instructions(*function)) visit(instruction);
    }
  }

  void visit(llvm::Instruction& instruction) {
    m_reads_tables |= passes::may_read_slots(instruction);
    if (instruction.getType()->isX86_FP80Ty() || instruction.getType()->isPPC_FP128Ty()) {
      offend("uses long double", {}, instruction);
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call) visit_call(*call);
    for (const llvm::Use& operand : instruction.operands()) {
      if (call && &operand == &call->getCalledOperandUse()) continue;
      if (auto* constant = llvm::dyn_cast<llvm::Constant>(operand.get())) visit_constant(*constant, instruction);
    }
  }

  void visit_call(const llvm::CallBase& call) {
    const std::string node = node_of(call);
    if (node == assembly_node) return offend("contains inline assembly", node, call);
    if (node == indirect_node) return offend("makes a virtual call or a call through a function pointer", node, call);
    if (is_ptx(call)) return;  // no offence: the kernel requires an aspect that only devices with PTX have
    if (node == throw_node) return offend("throws an exception", node, call, /*not_portable=*/false);
    auto* callee = llvm::cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
    visit_function(*callee);
    const llvm::StringRef name = callee->getName();
    if (!callee->isDeclaration()) m_calls[call.getFunction()].push_back(&call);
    if (name == "__sinter_barrier") {
      const auto* execution = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
      m_result.groups_meet |= execution && execution->equalsInt(static_cast<std::uint64_t>(abi::scope::device));
    }
    if (!callee->isDeclaration() || name.starts_with(abi::device_symbol_prefix)) return;
    if (callee->hasFnAttribute(external_attribute)) return;  // the JIT links the function
    if (name == "printf") return;                            // all devices print
    if (callee->isIntrinsic()) {
      if (name.starts_with("llvm.x86.")) offend("uses the host's instruction " + name.str(), name.str(), call);
    } else if (is_allocation(name)) {
      offend("allocates memory with '" + readable(name) + "'", node, call);
    } else if (is_deallocation(name)) {
      offend("frees memory with '" + readable(name) + "'", node, call);
    } else {
      offend("calls '" + readable(name) + "', which is not defined in this translation unit", node, call);
    }
  }

  void visit_constant(llvm::Constant& constant, const llvm::Instruction& user) {
    if (auto* function = llvm::dyn_cast<llvm::Function>(&constant)) return visit_function(*function);
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant)) {
      if (!m_constants.insert(variable).second) return;
      if (variable->isThreadLocal()) {
        offend("uses the thread_local variable '" + readable(variable->getName()) + "'", {}, user, true, true);
      } else if (!variable->hasInitializer() && variable->hasAttribute(abi::device_global_attribute)) {
        m_result.has_device_globals = true;
      } else if (!variable->hasInitializer()) {
        offend("uses the variable '" + readable(variable->getName()) + "', which is not constant", {}, user);
      } else if (passes::is_virtual_table(*variable)) {
        m_tables.push_back({variable, &user});
      } else {
        visit_constant(*variable->getInitializer(), user);
      }
      return;
    }
    if (constant.getNumOperands() == 0 || !m_constants.insert(&constant).second) return;
    for (llvm::Use& operand : constant.operands()) {
      if (auto* inner = llvm::dyn_cast<llvm::Constant>(operand.get())) visit_constant(*inner, user);
    }
  }

  void visit_function(llvm::Function& function) {
    if (!function.isDeclaration() && m_functions.insert(&function).second) m_work.push_back(&function);
  }

  /// Finds calls that lead back to the calling function.
  void find_recursion() {
    enum class state { fresh, open, done };
    llvm::DenseMap<const llvm::Function*, state> states;
    struct step {
      const llvm::Function* function;
      std::size_t next = 0;
    };
    for (const auto& [root, calls] : m_calls) {
      if (states[root] != state::fresh) continue;
      llvm::SmallVector<step, 16> path{{root}};
      states[root] = state::open;
      while (!path.empty()) {
        step& at = path.back();
        const auto found = m_calls.find(at.function);
        if (found == m_calls.end() || at.next == found->second.size()) {
          states[at.function] = state::done;
          path.pop_back();
          continue;
        }
        const llvm::CallBase* call = found->second[at.next++];
        const llvm::Function* callee = call->getCalledFunction();
        if (!callee) continue;
        state& known = states[callee];
        if (known == state::open && callee == at.function && is_of_the_library(callee->getName())) continue;
        if (known == state::open) {
          offend("calls '" + readable(callee->getName()) + "' recursively", callee->getName().str(), *call);
        } else if (known == state::fresh) {
          known = state::open;
          path.push_back({callee});
        }
      }
    }
  }

  void offend(std::string text, std::string node, const llvm::Instruction& at, bool not_portable = true,
              bool not_capturable = false) {
    for (const offence& known : m_result.offences) {
      if (known.text == text) return;
    }
    m_result.offences.push_back({std::move(text), std::move(node), place_of(at), not_portable, not_capturable});
  }

  kernel_reach m_result;
  llvm::SmallVector<llvm::Function*, 16> m_work;
  llvm::SmallPtrSet<llvm::Function*, 16> m_functions;
  llvm::MapVector<const llvm::Function*, llvm::SmallVector<const llvm::CallBase*, 4>>
      m_calls;  ///< calls of functions that the module defines
  llvm::SmallPtrSet<llvm::Constant*, 16> m_constants;
  /// Tables whose entries were not visited yet.
  llvm::SmallVector<std::pair<llvm::GlobalVariable*, const llvm::Instruction*>, 4> m_tables;
  bool m_reads_tables = false;
};

} // namespace

call_graph::call_graph(const llvm::Module& device) {
  for (const llvm::Function& function : device) {
    if (function.isDeclaration()) continue;
    std::vector<std::string>& callees = m_edges[function.getName()];
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      std::string node = call ? node_of(*call) : std::string();
      if (!node.empty() && std::find(callees.begin(), callees.end(), node) == callees.end()) {
        callees.push_back(std::move(node));
      }
      if (const std::optional<std::uint64_t> key = constant_key(call)) m_constants[function.getName()].push_back(*key);
    }
  }
}

std::string call_graph::chain(llvm::StringRef kernel, llvm::StringRef what) const {
  // The search is breadth-first, because the shortest chain is the easiest to read.
  llvm::StringMap<std::string> caller;
  std::deque<std::string> work{kernel.str()};
  caller[kernel] = "";
  while (!work.empty()) {
    const std::string at = std::move(work.front());
    work.pop_front();
    auto edges = m_edges.find(at);
    if (edges == m_edges.end()) continue;
    for (const std::string& next : edges->second) {
      if (!caller.try_emplace(next, at).second) continue;
      if (next != what) {
        work.push_back(next);
        continue;
      }
      std::string text = llvm::StringRef(next).starts_with("<") ? std::string() : readable(next);
      for (std::string step = at; step != kernel; step = caller[step]) {
        // The headers' own functions between kernel_body and the user's function object would tell the user nothing.
        if (llvm::StringRef(step).contains("6detail13invoke_kernel")) continue;
        text = readable(step) + (text.empty() ? "" : " -> " + text);
      }
      return text;
    }
  }
  return {};
}

std::vector<std::uint64_t> call_graph::constants(llvm::StringRef kernel) const {
  std::vector<std::uint64_t> keys;
  llvm::StringSet<> seen;
  std::vector<std::string> work{kernel.str()};
  while (!work.empty()) {
    const std::string at = std::move(work.back());
    work.pop_back();
    if (!seen.insert(at).second) continue;
    if (auto found = m_constants.find(at); found != m_constants.end()) {
      keys.insert(keys.end(), found->second.begin(), found->second.end());
    }
    if (auto edges = m_edges.find(at); edges != m_edges.end()) {
      work.insert(work.end(), edges->second.begin(), edges->second.end());
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

namespace {

std::string path_of(const llvm::DIScope& scope, const llvm::DISubprogram* function) {
  const llvm::StringRef name = scope.getFilename(), folder = scope.getDirectory();
  const llvm::DICompileUnit* unit = function ? function->getUnit() : nullptr;
  if (folder.empty() || llvm::sys::path::is_absolute(name) || (unit && unit->getDirectory() == folder))
    return name.str();
  return (folder + "/" + name).str();
}

} // namespace

statement_place place_in_text(const llvm::DILocation& location) {
  return {path_of(*location.getScope(), location.getScope()->getSubprogram()), location.getLine(),
          location.getColumn()};
}

statement_place place_in_text(const llvm::DISubprogram& function) {
  return {path_of(function, &function), function.getLine(), 0};
}

kernel_reach examine(llvm::Function& kernel) { return examiner(kernel).run(); }

std::vector<llvm::GlobalValue*> find_imports(llvm::Module& device) {
  std::vector<llvm::GlobalValue*> imports;
  for (llvm::Function& function : device) {
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        !function.getName().starts_with(abi::device_symbol_prefix)) {
      imports.push_back(&function);
    }
  }
  for (llvm::GlobalVariable& variable : device.globals()) {
    if (!variable.hasInitializer() && !variable.use_empty()) imports.push_back(&variable);
  }
  return imports;
}

} // namespace sinter::capture
