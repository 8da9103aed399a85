#include "access_analysis.hpp"

#include <optional>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace sinter::passes {
namespace {

using form = std::optional<affine_form>;

/// Which values an id takes: [first, last].
struct bounds {
  __int128 first = 0, last = 0;
};

class analysis {
public:
  analysis(llvm::Function& kernel, const fusion_range& range, std::string_view block)
      : m_kernel(kernel), m_layout(kernel.getParent()->getDataLayout()), m_range(range), m_block(block), m_tree(kernel),
        m_loops(m_tree), m_post_tree(kernel) {}

  access_summary run() {
    // Blocks stand in any order in the text: what comes first is a matter of control flow.
    const llvm::ReversePostOrderTraversal<llvm::Function*> blocks(&m_kernel);
    m_irreducible = llvm::containsIrreducibleCFG<llvm::BasicBlock*>(blocks, m_loops);
    unsigned order = 0;
    for (llvm::BasicBlock* block : blocks) {
      for (llvm::Instruction& instruction : *block) visit(instruction, order++);
    }
    if (m_block_changes) {
      // The numbers it was called with need not be the ones it computes with.
      for (memory_access& access : m_summary.accesses) access.known = access.certain = false;
    }
    return std::move(m_summary);
  }

private:
  // ------------------------------------------------------------------------------------------------- instructions

  void visit(llvm::Instruction& instruction, unsigned order) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (load->isVolatile()) note_effect("a volatile access");
      add(instruction, load->getPointerOperand(), size_of(load->getType()), access_kind::read, order);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (store->isVolatile()) note_effect("a volatile access");
      add(instruction, store->getPointerOperand(), size_of(store->getValueOperand()->getType()), access_kind::write, order);
    } else if (auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      if (rmw->isVolatile()) note_effect("a volatile access");
      add(instruction, rmw->getPointerOperand(), size_of(rmw->getType()), access_kind::update, order,
          commutes_as(*rmw));
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      if (exchange->isVolatile()) note_effect("a volatile access");
      add(instruction, exchange->getPointerOperand(), size_of(exchange->getNewValOperand()->getType()), access_kind::update,
          order);
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
      note_effect("a memory fence");
    }
  }

  void visit_call(llvm::CallBase& call, unsigned order) {
    if (call.doesNotAccessMemory() || llvm::isa<llvm::DbgInfoIntrinsic, llvm::LifetimeIntrinsic, llvm::AssumeInst>(call)) return;
    const llvm::StringRef name = call.getCalledFunction() ? call.getCalledFunction()->getName() : "";
    if (name == "__sinter_barrier") {
      m_summary.has_barrier = true;
    } else if (name.starts_with("__sinter_math_") || name == "__sinter_trap" || name == "__sinter_assert_fail") {
      // A program that ends here has no memory left to disagree about. Some mathematics writes to memory: lgamma_r.
      for (llvm::Value* argument : call.args()) {
        if (name.starts_with("__sinter_math_") && argument->getType()->isPointerTy()) {
          add(call, argument, 0, access_kind::write, order);
        }
      }
    } else {
      note_effect(name.empty() ? "an indirect call" : "a call of '" + name.str() + "'");
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

  /// A number for operations that may change places with each other; 0 when somebody looks at the old value.
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
    const bool certain = is_certain(instruction);
    memory_access access{no_leaf, false, certain, kind, {}, bytes, order, position(instruction), commutes};
    llvm::Value* base = nullptr;
    form offset = address_form(address, base, 0);
    if (!base) base = llvm::getUnderlyingObject(address, 0);
    if (llvm::isa<llvm::AllocaInst>(base)) return;
    if (base == m_kernel.getArg(0)) {
      if (kind == access_kind::read) return;
      note_effect("a write to its own arguments");
      m_block_changes = true;
      return;
    }
    if (const auto* constant = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
      if (constant->isConstant()) return;
    }
    if (is_group_memory(base)) return;
    if (const auto leaf = block_offset(base)) {
      access.leaf = *leaf;
      access.known = offset && bytes != 0;
      if (offset) access.offset = *offset;
    } else if (only_local_or_private(address)) {
      return;
    }
    m_summary.accesses.push_back(std::move(access));
  }

  /// Every member has its own, or leaves nothing in it (group_scratch.hpp).
  static bool is_group_memory(const llvm::Value* object) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(object);
    if (!call || !call->getCalledFunction()) return false;
    const llvm::StringRef name = call->getCalledFunction()->getName();
    return name == "__sinter_local_base" || name == "__sinter_group_scratch";
  }

  /// Pointers merged from several, all of which are private, local or constant.
  bool only_local_or_private(llvm::Value* address) const {
    llvm::SmallVector<const llvm::Value*, 8> objects;
    llvm::getUnderlyingObjects(address, objects, nullptr, 0);
    return llvm::all_of(objects, [](const llvm::Value* object) {
      return llvm::isa<llvm::AllocaInst>(object) || is_group_memory(object);
    });
  }

  bool is_certain(const llvm::Instruction& instruction) const {
    const llvm::BasicBlock* block = instruction.getParent();
    return !m_irreducible && !m_loops.getLoopFor(block) && m_post_tree.dominates(block, &m_kernel.getEntryBlock());
  }

  // ------------------------------------------------------------------------------------------------- addresses

  /// Offset of a leaf in the argument block, when `base` is loaded from there.
  std::optional<unsigned> block_offset(const llvm::Value* base) const {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(base);
    if (!load) return std::nullopt;
    llvm::APInt offset(64, 0);
    const llvm::Value* block = load->getPointerOperand()->stripAndAccumulateConstantOffsets(m_layout, offset, true);
    if (block != m_kernel.getArg(0) || offset.isNegative()) return std::nullopt;
    return static_cast<unsigned>(offset.getZExtValue());
  }

  /// Bytes between the base pointer and the address; sets `base` when there is exactly one.
  form address_form(llvm::Value* address, llvm::Value*& base, unsigned depth) {
    if (depth > 32) return std::nullopt;
    if (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(address)) {
      form sum = address_form(gep->getPointerOperand(), base, depth + 1);
      llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> variable;
      llvm::APInt constant(64, 0);
      if (!sum || !gep->collectOffset(m_layout, 64, variable, constant)) return std::nullopt;
      sum = plus(*sum, number(constant.getSExtValue()));
      for (const auto& [value, scale] : variable) {
        // GEPs take indices as signed.
        form part = in_range(value_form(value, 0), value->getType()->getIntegerBitWidth(), true);
        if (part) part = times(*part, scale.getSExtValue());
        if (!sum || !part) return std::nullopt;
        sum = plus(*sum, *part);
      }
      return sum;
    }
    if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(address)) return address_form(cast->getPointerOperand(), base, depth + 1);
    if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(address)) return address_form(freeze->getOperand(0), base, depth + 1);
    base = address;
    return number(0);
  }

  // ------------------------------------------------------------------------------------------------- integers

  static form number(std::int64_t value) {
    affine_form result;
    result.constant = value;
    return result;
  }
  static form plus(const affine_form& a, const form& other) {
    if (!other) return std::nullopt;
    affine_form result = a;
    bool overflow = __builtin_add_overflow(a.constant, other->constant, &result.constant);
    for (unsigned i = 0; i < variable_count; ++i) {
      overflow |= __builtin_add_overflow(a.coefficients[i], other->coefficients[i], &result.coefficients[i]);
    }
    return overflow ? form() : result;
  }
  static form times(const affine_form& a, std::int64_t factor) {
    affine_form result;
    bool overflow = __builtin_mul_overflow(a.constant, factor, &result.constant);
    for (unsigned i = 0; i < variable_count; ++i) {
      overflow |= __builtin_mul_overflow(a.coefficients[i], factor, &result.coefficients[i]);
    }
    return overflow ? form() : result;
  }
  /// If nothing remains, whatever the ids are.
  static form divided(const form& a, std::int64_t divisor) {
    if (!a || a->constant % divisor != 0) return std::nullopt;
    affine_form result;
    result.constant = a->constant / divisor;
    for (unsigned i = 0; i < variable_count; ++i) {
      if (a->coefficients[i] % divisor != 0) return std::nullopt;
      result.coefficients[i] = a->coefficients[i] / divisor;
    }
    return result;
  }
  static bool is_number(const affine_form& a) {
    return a.coefficients == std::array<std::int64_t, variable_count>{};
  }

  bounds bounds_of_variable(unsigned variable) const {
    const unsigned d = variable % 3;
    const std::uint64_t local = m_range.local[d] == 0 ? 1 : m_range.local[d];
    std::uint64_t first = 0, count = local;
    if (variable < variable_local) {
      first = m_range.offset[d];
      count = m_range.global[d];
    } else if (variable >= variable_group) {
      count = m_range.global[d] / local;
    }
    return {first, static_cast<__int128>(first) + (count == 0 ? 0 : count - 1)};
  }

  bounds bounds_of(const affine_form& a) const {
    bounds result{a.constant, a.constant};
    for (unsigned i = 0; i < variable_count; ++i) {
      const bounds variable = bounds_of_variable(i);
      const __int128 one = a.coefficients[i] * variable.first, other = a.coefficients[i] * variable.last;
      result.first += std::min(one, other);
      result.last += std::max(one, other);
    }
    return result;
  }

  /// The form, if all its values fit an integer of that many bits.
  form in_range(const form& a, unsigned bits, bool is_signed) const {
    if (!a || bits > 64) return std::nullopt;
    const bounds range = bounds_of(*a);
    const __int128 one = 1;
    const __int128 least = is_signed ? -(one << (bits - 1)) : 0;
    const __int128 most = (one << (is_signed ? bits - 1 : bits)) - 1;
    return range.first >= least && range.last <= most ? a : form();
  }

  form value_form(llvm::Value* value, unsigned depth) {
    auto known = m_forms.find(value);
    if (known != m_forms.end()) return known->second;
    form result = depth > 64 ? form() : compute_form(value, depth);
    m_forms[value] = result;
    return result;
  }

  /// The mathematical value, before the machine cuts it to the type's width: whoever widens it has to check in_range.
  form compute_form(llvm::Value* value, unsigned depth) {
    if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64) return std::nullopt;
    const unsigned bits = value->getType()->getIntegerBitWidth();
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) return number(constant->getSExtValue());
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(value)) return query_form(*call);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) return block_number(*load);
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction) return std::nullopt;
    auto operand = [&](unsigned i) { return value_form(instruction->getOperand(i), depth + 1); };
    switch (instruction->getOpcode()) {
      case llvm::Instruction::Freeze: return operand(0);
      case llvm::Instruction::SExt: return in_range(operand(0), instruction->getOperand(0)->getType()->getIntegerBitWidth(), true);
      case llvm::Instruction::ZExt: return in_range(operand(0), instruction->getOperand(0)->getType()->getIntegerBitWidth(), false);
      case llvm::Instruction::Trunc: {
        // Cut values are found by the next widening, if the form still tells them apart from others.
        form whole = operand(0);
        if (form fits = in_range(whole, bits, false)) return fits;
        return in_range(whole, bits, true);
      }
      case llvm::Instruction::Or:
        if (!llvm::cast<llvm::PossiblyDisjointInst>(instruction)->isDisjoint()) return std::nullopt;
        [[fallthrough]];
      case llvm::Instruction::Add: {
        const form a = operand(0), b = operand(1);
        return a ? fits_somehow(plus(*a, b), bits) : form();
      }
      case llvm::Instruction::Sub: {
        const form a = operand(0), b = operand(1);
        return a && b ? fits_somehow(plus(*a, times(*b, -1)), bits) : form();
      }
      case llvm::Instruction::Mul: {
        const form a = operand(0), b = operand(1);
        if (!a || !b) return std::nullopt;
        if (is_number(*b)) return fits_somehow(times(*a, b->constant), bits);
        if (is_number(*a)) return fits_somehow(times(*b, a->constant), bits);
        return std::nullopt;
      }
      case llvm::Instruction::Shl: {
        const form a = operand(0), b = operand(1);
        if (!a || !b || !is_number(*b) || b->constant < 0 || b->constant > 62) return std::nullopt;
        return fits_somehow(times(*a, std::int64_t{1} << b->constant), bits);
      }
      case llvm::Instruction::And: {
        // Low bits may go that the value doesn't have.
        const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1));
        if (!mask || !mask->getValue().isShiftedMask()) return std::nullopt;
        const unsigned low = mask->getValue().countTrailingZeros();
        const form whole = in_range(operand(0), mask->getValue().getActiveBits(), false);
        return low <= 62 && divided(whole, std::int64_t{1} << low) ? whole : form();
      }
      case llvm::Instruction::Xor: {
        const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1));
        const form a = operand(0);
        if (!a || !mask || !mask->isMinusOne()) return std::nullopt;
        const form negative = times(*a, -1);
        return negative ? fits_somehow(plus(*negative, number(-1)), bits) : form();
      }
      case llvm::Instruction::AShr:  // of a shl: how the optimiser writes the sext of a trunc
      case llvm::Instruction::LShr: {
        const auto* shift = llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1));
        if (!shift || shift->getValue().uge(std::min(bits, 63u))) return std::nullopt;
        const form whole = in_range(operand(0), bits, instruction->getOpcode() == llvm::Instruction::AShr);
        return divided(whole, std::int64_t{1} << shift->getZExtValue());
      }
      default: return std::nullopt;
    }
  }

  /// Either reading of the bits, signed or unsigned, holds the value: nothing was lost yet.
  form fits_somehow(const form& a, unsigned bits) const {
    if (form fits = in_range(a, bits, true)) return fits;
    return in_range(a, bits, false);
  }

  form query_form(llvm::CallInst& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee || call.arg_size() != 1) return std::nullopt;
    const auto* dimension = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    if (!dimension) return std::nullopt;
    const unsigned d = static_cast<unsigned>(dimension->getZExtValue() % 3);
    const llvm::StringRef name = callee->getName();
    const std::uint64_t local = m_range.local[d] == 0 ? 1 : m_range.local[d];
    if (name == "__sinter_global_range") return number(static_cast<std::int64_t>(m_range.global[d]));
    if (name == "__sinter_global_offset") return number(static_cast<std::int64_t>(m_range.offset[d]));
    if (name == "__sinter_local_range") return number(static_cast<std::int64_t>(local));
    if (name == "__sinter_group_range") return number(static_cast<std::int64_t>(m_range.global[d] / local));
    unsigned variable = variable_count;
    if (name == "__sinter_global_id") variable = variable_global + d;
    if (name == "__sinter_local_id") variable = variable_local + d;
    if (name == "__sinter_group_id") variable = variable_group + d;
    if (variable == variable_count) return std::nullopt;
    affine_form result;
    const bounds range = bounds_of_variable(variable);
    if (range.first == range.last) {
      result.constant = static_cast<std::int64_t>(range.first);  // only one value: no variable
    } else {
      result.coefficients[variable] = 1;
    }
    return result;
  }

  /// An integer of the argument block.
  form block_number(llvm::LoadInst& load) {
    const unsigned size = static_cast<unsigned>(size_of(load.getType()));
    const auto offset = block_offset(&load);
    if (!offset || size == 0 || size > 8 || *offset + size > m_block.size()) return std::nullopt;
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, m_block.data() + *offset, size);
    const block_dependence used{*offset, size};
    if (llvm::find(m_summary.depends_on, used) == m_summary.depends_on.end()) m_summary.depends_on.push_back(used);
    const unsigned width = load.getType()->getIntegerBitWidth();
    if (width < 64) bits &= (std::uint64_t{1} << width) - 1;
    // Sizes are unsigned, indices may be negative: values in the lower half are the same either way.
    if (bits >> (width - 1) == 0) return number(static_cast<std::int64_t>(bits));
    return number(llvm::SignExtend64(bits, width));
  }

  llvm::Function& m_kernel;
  const llvm::DataLayout& m_layout;
  const fusion_range& m_range;
  std::string_view m_block;
  llvm::DominatorTree m_tree;
  llvm::LoopInfo m_loops;
  llvm::PostDominatorTree m_post_tree;
  llvm::DenseMap<llvm::Value*, form> m_forms;
  access_summary m_summary;
  bool m_irreducible = false;    ///< loops that LoopInfo doesn't know
  bool m_block_changes = false;
};

} // namespace

access_summary analyse_accesses(llvm::Function& kernel, const fusion_range& range, std::string_view block) {
  return analysis(kernel, range, block).run();
}

} // namespace sinter::passes
