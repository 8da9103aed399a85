#include "access_analysis.hpp"

#include <abi/device_abi.hpp>

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "value_forms.hpp"
#include "passes/called_names.hpp"

namespace sinter::passes {
namespace {

// An address may depend on at most this many selects and minima, because each select or minimum doubles the number of
// accesses.
constexpr std::size_t most_choices = 4;

class analysis {
public:
  analysis(llvm::Function& kernel, const fusion_range& range, std::string_view block, unsigned sub_group_size)
      : m_kernel(kernel),
        m_layout(kernel.getParent()->getDataLayout()),
        m_forms(kernel, range, block, sub_group_size, m_summary) {}

  access_summary run() {
    // Accesses are numbered along the control flow, because blocks of a function may be listed in any order.
    unsigned order = 0;
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&m_kernel)) {
      for (llvm::Instruction& instruction : *block) visit(instruction, order++);
    }
    // A relaxed atomic operation together with a fence can also tell a work-item what other work-items have done.
    m_summary.is_collective |= m_has_fence && m_asks_others;
    if (m_block_changes) {
      // If the kernel may change its argument block, the numbers that it loads there need not be the launch's
      // arguments.
      for (memory_access& access : m_summary.accesses) {
        access.known = access.certain = false;
        access.guards.clear();
      }
    }
    return std::move(m_summary);
  }

private:
  // ------------------------------------------------------------------------------------------------- instructions

  void visit(llvm::Instruction& instruction, unsigned order) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (load->isVolatile()) note_effect("a volatile access");
      m_asks_others |= load->isAtomic();
      add(instruction, load->getPointerOperand(), size_of(load->getType()), access_kind::read, order);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (store->isVolatile()) note_effect("a volatile access");
      add(instruction, store->getPointerOperand(), size_of(store->getValueOperand()->getType()), access_kind::write,
          order);
    } else if (auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      if (rmw->isVolatile()) note_effect("a volatile access");
      m_asks_others |= !rmw->use_empty();
      m_summary.is_collective |= !rmw->use_empty() && llvm::isStrongerThanMonotonic(rmw->getOrdering());
      add(instruction, rmw->getPointerOperand(), size_of(rmw->getType()), access_kind::update, order,
          commutes_as(*rmw));
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      if (exchange->isVolatile()) note_effect("a volatile access");
      m_asks_others = true;
      m_summary.is_collective |= llvm::isStrongerThanMonotonic(exchange->getSuccessOrdering());
      add(instruction, exchange->getPointerOperand(), size_of(exchange->getNewValOperand()->getType()),
          access_kind::update, order);
    } else if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      const auto* length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
      const std::uint64_t bytes = length ? length->getZExtValue() : 0;
      add(instruction, memory->getDest(), bytes, access_kind::write, order);
      if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory)) {
        add(instruction, copy->getSource(), bytes, access_kind::read, order);
      }
    } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      visit_call(*call, order);
    } else if (llvm::isa<llvm::FenceInst>(instruction)) {
      m_has_fence = true;
    }
  }

  void visit_call(llvm::CallBase& call, unsigned order) {
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
    if (call.doesNotAccessMemory() || (intrinsic && intrinsic->isAssumeLikeIntrinsic())) return;
    const llvm::StringRef name = called_name(call);
    if (name == "__sinter_barrier") {
      m_summary.has_barrier = true;
    } else if (name == "__sinter_fence") {
      m_has_fence = true;  // a fence orders the work-item's own accesses, which are all examined
    } else if (name == abi::specialization_symbol) {
      // Specialization constants are in memory that no kernel writes.
    } else if (name.starts_with("__sinter_math_") || name == "__sinter_trap" || name == "__sinter_assert_fail") {
      // Memory does not matter after a trap, which ends the program. Some mathematical functions, such as lgamma_r,
      // write to memory.
      for (llvm::Value* argument : call.args()) {
        if (name.starts_with("__sinter_math_") && argument->getType()->isPointerTy()) {
          add(call, argument, 0, access_kind::write, order);
        }
      }
    } else if (name.starts_with("__sinter_texture_")) {
      // Calls for texture units count as accesses through unknown pointers, because devices without texture units
      // access the texels by such pointers.
      const bool reads = call.onlyReadsMemory();
      m_summary.accesses.push_back(
          {no_leaf, false, false, reads ? access_kind::read : access_kind::write, {}, 0, order, position(call)});
    } else {
      constexpr llvm::StringRef matrices = "__sinter_matrix_";
      const bool of_matrix = name.starts_with(matrices);
      const std::string called = of_matrix ? "joint_matrix_" + name.drop_front(matrices.size()).str() : name.str();
      note_effect(name.empty() ? "an indirect call" : "a call of '" + called + "'");
      m_summary.accesses.push_back({no_leaf, false, false, access_kind::write, {}, 0, order, position(call)});
    }
  }

  void note_effect(const std::string& what) {
    if (m_summary.unknown_effect.empty()) m_summary.unknown_effect = what;
  }

  std::uint64_t size_of(llvm::Type* type) const { return m_layout.getTypeStoreSize(type).getKnownMinValue(); }

  static std::string position(const llvm::Instruction& instruction) {
    const llvm::DebugLoc& at = instruction.getDebugLoc();
    return at ? at->getFilename().str() + ":" + std::to_string(at->getLine()) : std::string();
  }

  /// Returns a number for the kind of operation. Operations with equal numbers may be done in any order. The number is
  /// 0 if the kernel uses the old value.
  static std::uint8_t commutes_as(const llvm::AtomicRMWInst& update) {
    using operation = llvm::AtomicRMWInst;
    if (!update.use_empty()) return 0;
    switch (update.getOperation()) {
      case operation::Add:
      case operation::Sub: return 1;
      case operation::FAdd:
      case operation::FSub: return 2;
      case operation::And: return 3;
      case operation::Or: return 4;
      case operation::Xor: return 5;
      case operation::Min: return 6;
      case operation::Max: return 7;
      case operation::UMin: return 8;
      case operation::UMax: return 9;
      default: return 0;
    }
  }

  void add(llvm::Instruction& instruction, llvm::Value* address, std::uint64_t bytes, access_kind kind, unsigned order,
           std::uint8_t commutes = 0) {
    memory_access access{no_leaf, false, false, kind, {}, bytes, order, position(instruction), commutes};
    std::vector<value_forms::choice> choices;
    add(instruction, address, access, choices);
  }

  /// Adds an access for each combination of the operands of selects.
  void add(llvm::Instruction& instruction, llvm::Value* address, const memory_access& wanted,
           std::vector<value_forms::choice>& choices) {
    m_forms.stand_at(instruction, choices);
    if (m_forms.never()) return;
    llvm::Value* base = nullptr;
    const form offset = m_forms.address(address, base);
    if (llvm::Value* undecided = m_forms.undecided(); undecided && choices.size() < most_choices) {
      for (unsigned which = 0; which < 2; ++which) {
        choices.push_back({undecided, which});
        add(instruction, address, wanted, choices);
        choices.pop_back();
      }
      return;
    }
    memory_access access = wanted;
    access.certain = m_forms.exact();
    access.guards = m_forms.guards();
    access.turns = m_forms.turns();
    if (base && add_to(*base, access, offset)) return;
    // The address may lie in any of these objects, at an unknown offset.
    llvm::SmallVector<const llvm::Value*, 8> objects;
    llvm::getUnderlyingObjects(address, objects, nullptr, 0);
    access.certain &= objects.size() == 1;
    for (const llvm::Value* object : objects) {
      if (!add_to(*object, access, std::nullopt)) {
        access.leaf = no_leaf;
        m_summary.accesses.push_back(access);
        return;
      }
    }
  }

  /// Returns false if nothing is known about the memory that is accessed.
  bool add_to(const llvm::Value& base, memory_access access, const form& offset) {
    if (llvm::isa<llvm::AllocaInst>(base) || is_group_memory(&base) || is_specialization_value(&base)) return true;
    if (&base == m_kernel.getArg(0)) {
      if (access.kind == access_kind::read) return true;
      note_effect("a write to its own arguments");
      m_block_changes = true;
      return true;
    }
    if (const auto* constant = llvm::dyn_cast<llvm::GlobalVariable>(&base); constant && constant->isConstant())
      return true;
    const auto leaf = m_forms.block_offset(&base);
    if (!leaf) return false;
    access.leaf = *leaf;
    access.known = offset && access.bytes != 0;
    if (offset) access.offset = *offset;
    m_summary.accesses.push_back(std::move(access));
    return true;
  }

  /// Memory of groups needs no check: members use separate parts of it, or leave no data in parts that they share
  /// (group_scratch.hpp, group_variables.hpp).
  static bool is_group_memory(const llvm::Value* object) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(object);
    if (!call || !call->getCalledFunction()) return false;
    const llvm::StringRef name = call->getCalledFunction()->getName();
    return name == "__sinter_local_base" || name == "__sinter_group_scratch" || name == "__sinter_group_variable";
  }

  static bool is_specialization_value(const llvm::Value* object) {
    return called_name(*object) == abi::specialization_symbol;
  }

  llvm::Function& m_kernel;
  const llvm::DataLayout& m_layout;
  access_summary m_summary;
  value_forms m_forms;
  bool m_block_changes = false;
  bool m_has_fence = false, m_asks_others = false;
};

} // namespace

access_summary analyse_accesses(llvm::Function& kernel, const fusion_range& range, std::string_view block,
                                unsigned sub_group_size) {
  return analysis(kernel, range, block, sub_group_size).run();
}

} // namespace sinter::passes
