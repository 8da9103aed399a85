#include "wide_function.hpp"

#include <set>

#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "passes/device/work_item_function.hpp"
#include "passes/machine/known_masks.hpp"
#include "wide_instructions.hpp"

namespace sinter::passes {
namespace {

class wide_builder {
public:
  wide_builder(llvm::Function& scalar, const lane_plan& plan)
      : m_scalar(scalar),
        m_plan(plan),
        m_loops(plan.known.loops),
        m_shapes(plan.known.shapes),
        m_graph(plan.graph),
        m_builder(scalar.getContext()),
        m_function(declare()),
        m_slots(llvm::BasicBlock::Create(scalar.getContext(), "slots", m_function)),
        m_instructions((m_builder.SetInsertPoint(m_slots), m_builder), plan) {}

  llvm::Function* run() {
    for (unsigned i = 0; i < m_scalar.arg_size(); ++i) m_instructions.define(m_scalar.getArg(i), m_function->getArg(i));
    make_slots();
    enter();
    for (unsigned i = 0; i < m_graph.size(); ++i) emit_block(i);
    finish();
    return m_function;
  }

private:
  llvm::Function* declare() {
    llvm::SmallVector<llvm::Type*, 32> types(m_scalar.getFunctionType()->params());
    if (m_shapes.facts().prefix) types.push_back(m_builder.getInt64Ty());
    auto* type = llvm::FunctionType::get(m_scalar.getReturnType(), types, false);
    auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                            m_scalar.getName() + (m_shapes.facts().prefix ? ".tail" : ".wide"),
                                            m_scalar.getParent());
    llvm::AttributeList attributes = m_scalar.getAttributes();
    function->setAttributes(attributes);
    // The scalar function will be removed, so the wide function takes over the scalar function's debug information.
    function->setSubprogram(m_scalar.getSubprogram());
    m_scalar.setSubprogram(nullptr);
    return function;
  }

  // ------------------------------------------------------------------------------------------------- slots

  /// Makes all blocks, and slots for values that blocks pass to each other.
  void make_slots() {
    llvm::LLVMContext& context = m_scalar.getContext();
    const unsigned count = m_graph.size();
    m_waiting.resize(count);
    m_masks.resize(count, nullptr);
    m_arrivals.resize(count);
    for (unsigned i = 0; i < count; ++i) {
      llvm::BasicBlock* block = m_graph.block(i);
      m_starts.push_back(llvm::BasicBlock::Create(context, block->getName(), m_function));
      for (llvm::PHINode& phi : block->phis()) m_phis[&phi] = new_slot(slot_type(phi));
      if (m_plan.of(block).mask == lane_mask::partial) m_masks[i] = new_slot(mask_type());
    }
    for (unsigned i = 0; i < count; ++i) make_detours(i);
  }

  /// Makes slots for values whose computation a jump may skip: when all lanes wait at a loop's latch, a jump to the
  /// latch skips code that no lane needs.
  void make_detours(unsigned i) {
    for (llvm::Instruction& instruction : *m_graph.block(i)) {
      for (const llvm::Use& use : instruction.uses()) {
        const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
        const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
        const unsigned place = m_graph.number(phi ? phi->getIncomingBlock(use) : user->getParent());
        if (dominates(i, place)) continue;
        llvm::AllocaInst*& slot = m_detours[&instruction];
        if (!slot) slot = new_slot(slot_type(instruction));
        if (!llvm::is_contained(m_arrivals[place], &instruction)) m_arrivals[place].push_back(&instruction);
      }
    }
  }

  bool dominates(unsigned i, unsigned other) const {
    while (other > i) other = m_graph.dominator(other);
    return other == i;
  }

  llvm::Type* mask_type() { return llvm::FixedVectorType::get(m_builder.getInt1Ty(), m_shapes.facts().lanes); }

  llvm::Type* slot_type(const llvm::Instruction& value) const {
    return m_shapes.of(&value).is_varying() ? m_instructions.wide_type(value.getType()) : value.getType();
  }

  llvm::AllocaInst* new_slot(llvm::Type* type) {
    llvm::IRBuilder<> builder(m_slots);
    llvm::AllocaInst* slot = builder.CreateAlloca(type);
    m_all_slots.push_back(slot);
    return slot;
  }

  void enter() {
    m_builder.SetInsertPoint(m_slots);
    if (m_shapes.facts().prefix) {
      llvm::SmallVector<llvm::Constant*, 16> numbers;
      for (unsigned i = 0; i < m_shapes.facts().lanes; ++i) numbers.push_back(m_builder.getInt32(i));
      llvm::Value* active = m_builder.CreateTrunc(m_function->getArg(parameter_count), m_builder.getInt32Ty());
      m_prefix = m_builder.CreateICmpULT(llvm::ConstantVector::get(numbers),
                                         m_builder.CreateVectorSplat(m_shapes.facts().lanes, active), "active");
    }
    for (llvm::AllocaInst* mask : m_masks) {
      if (mask) m_builder.CreateStore(llvm::Constant::getNullValue(mask_type()), mask);
    }
    m_builder.CreateBr(m_starts[0]);
  }

  // ------------------------------------------------------------------------------------------------- blocks

  void emit_block(unsigned i) {
    llvm::BasicBlock* block = m_graph.block(i);
    m_builder.SetInsertPoint(m_starts[i]);
    m_builder.SetCurrentDebugLocation(block->getTerminator()->getDebugLoc());
    llvm::Value* mask = m_masks[i] ? m_builder.CreateLoad(mask_type(), m_masks[i]) : m_prefix;
    std::set<unsigned> others = m_waiting[i];
    // If no lane is at the latch, no lane stays in the loop.
    if (is_last_of_divergent(block)) others.insert(m_graph.next(i).begin(), m_graph.next(i).end());
    if (m_plan.of(block).jumped_over && !others.empty()) {
      llvm::BasicBlock* body = llvm::BasicBlock::Create(m_function->getContext(), "active", m_function);
      llvm::Value* any = m_instructions.any(mask);
      m_builder.CreateCondBr(any, body, go_to(std::move(others)));
      m_builder.SetInsertPoint(body);
    }
    for (llvm::PHINode& phi : block->phis()) {
      m_instructions.define(&phi, m_builder.CreateLoad(slot_type(phi), m_phis[&phi], phi.getName()));
    }
    const llvm::Loop* loop = m_loops.getLoopFor(block);
    if (loop && loop->getHeader() == block) begin_iteration(*loop);
    llvm::SmallVector<std::pair<llvm::Instruction*, llvm::Value*>, 4> directly;
    for (llvm::Instruction* value : m_arrivals[i]) {
      directly.emplace_back(value, m_instructions.scalar(value));
      m_instructions.define(value, m_builder.CreateLoad(slot_type(*value), m_detours[value]));
    }
    llvm::Instruction* end = block->getTerminator();
    for (llvm::Instruction& instruction : *block) {
      if (&instruction != end && !llvm::isa<llvm::PHINode>(instruction)) m_instructions.emit(instruction, mask);
      if (auto* slot = m_detours.lookup(&instruction)) m_builder.CreateStore(m_instructions.scalar(&instruction), slot);
    }
    m_builder.SetCurrentDebugLocation(end->getDebugLoc());
    if (auto* result = llvm::dyn_cast<llvm::ReturnInst>(end)) {
      emit_return(*result);
    } else {
      emit_branch(i, llvm::cast<llvm::BranchInst>(*end), mask);
    }
    for (auto [value, known] : directly) m_instructions.define(value, known);
  }

  /// Clears the masks and values of a loop's blocks at the beginning of each iteration.
  void begin_iteration(const llvm::Loop& loop) {
    for (const llvm::BasicBlock* block : loop.blocks()) {
      const unsigned number = m_graph.number(block);
      if (m_masks[number]) m_builder.CreateStore(llvm::Constant::getNullValue(mask_type()), m_masks[number]);
      if (block == loop.getHeader()) continue;
      for (const llvm::PHINode& phi : block->phis()) {
        m_builder.CreateStore(llvm::PoisonValue::get(slot_type(phi)), m_phis[&phi]);
      }
      for (const llvm::Instruction& value : *block) {
        if (auto* slot = m_detours.lookup(&value))
          m_builder.CreateStore(llvm::PoisonValue::get(slot_type(value)), slot);
      }
    }
  }

  void emit_return(llvm::ReturnInst& end) {
    // The returned value is the number of the next barrier, which is the same for all work-items.
    llvm::Value* value = end.getReturnValue();
    llvm::Value* known = m_instructions.scalar(value);
    m_builder.CreateRet(m_shapes.of(value).is_varying() ? m_builder.CreateExtractElement(known, std::uint64_t(0))
                                                        : known);
  }

  void emit_branch(unsigned i, llvm::BranchInst& branch, llvm::Value* mask) {
    llvm::BasicBlock* block = branch.getParent();
    const llvm::Loop* loop = m_loops.getLoopFor(block);
    const bool last_of_divergent = is_last_of_divergent(block);
    if (m_shapes.is_divergent(block) || last_of_divergent) {
      emit_edges(branch, mask);
      std::set<unsigned> next = m_waiting[i];
      next.insert(m_graph.next(i).begin(), m_graph.next(i).end());
      if (!last_of_divergent) {
        m_builder.CreateBr(go_to(next));
        return;
      }
      llvm::Value* left = m_builder.CreateLoad(mask_type(), m_masks[m_graph.number(loop->getHeader())]);
      m_builder.CreateCondBr(m_instructions.any(left), m_starts[m_graph.number(loop->getHeader())], go_to(next));
      return;
    }
    if (branch.isUnconditional()) {
      edge(block, branch.getSuccessor(0), mask);
      m_builder.CreateBr(follow(i, branch.getSuccessor(0)));
      return;
    }
    llvm::Value* condition = m_instructions.scalar(branch.getCondition());
    if (!m_plan.of(block).has_lane) condition = m_builder.CreateFreeze(condition);
    llvm::BasicBlock* ways[2];
    for (llvm::BasicBlock*& way : ways) way = llvm::BasicBlock::Create(m_function->getContext(), "way", m_function);
    m_builder.CreateCondBr(condition, ways[0], ways[1]);
    for (unsigned k : {0u, 1u}) {
      m_builder.SetInsertPoint(ways[k]);
      edge(block, branch.getSuccessor(k), mask);
      m_builder.CreateBr(follow(i, branch.getSuccessor(k)));
    }
  }

  bool is_last_of_divergent(const llvm::BasicBlock* block) const {
    const llvm::Loop* loop = m_loops.getLoopFor(block);
    return loop && loop->getLoopLatch() == block && m_shapes.is_divergent(loop);
  }

  void emit_edges(llvm::BranchInst& branch, llvm::Value* mask) {
    llvm::BasicBlock* block = branch.getParent();
    if (branch.isUnconditional() || branch.getSuccessor(0) == branch.getSuccessor(1)) {
      return edge(block, branch.getSuccessor(0), mask);
    }
    llvm::Value* condition = m_instructions.wide(branch.getCondition());
    // Conditions of lanes that are off may be poison, and a plain "and" would pass the poison on.
    for (unsigned k : {0u, 1u}) {
      llvm::Value* taken = k == 0 ? condition : m_builder.CreateNot(condition);
      edge(block, branch.getSuccessor(k), mask ? m_builder.CreateLogicalAnd(mask, taken) : taken);
    }
  }

  /// Sends the lanes of `mask` (null means all) from one block to another, with their values for the phis of `to`.
  void edge(llvm::BasicBlock* from, llvm::BasicBlock* to, llvm::Value* mask) {
    const unsigned number = m_graph.number(to);
    const llvm::Loop* loop = m_loops.getLoopFor(to);
    const bool header = loop && loop->getHeader() == to;
    if (m_masks[number]) {
      llvm::Value* all = mask ? mask : llvm::Constant::getAllOnesValue(mask_type());
      llvm::Value* before = m_builder.CreateLoad(mask_type(), m_masks[number]);
      m_builder.CreateStore(header ? all : m_builder.CreateOr(before, all), m_masks[number]);
    }
    const bool parted = m_shapes.is_divergent(from) || m_plan.of(from).mask == lane_mask::partial;
    const bool others = !header && parted && (!to->getSinglePredecessor() || leaves_divergent_loop(from, to));
    for (llvm::PHINode& phi : to->phis()) {
      llvm::AllocaInst* slot = m_phis[&phi];
      llvm::Value* value = phi.getIncomingValueForBlock(from);
      if (m_shapes.of(&phi).is_varying()) {
        value = m_instructions.wide(value);
        if (others && mask) value = choose(mask, value, m_builder.CreateLoad(value->getType(), slot));
      } else {
        value = m_instructions.scalar(value);
        if (others && mask && !m_plan.of(from).has_lane) {
          value = m_builder.CreateSelect(m_instructions.any(mask), value, m_builder.CreateLoad(value->getType(), slot));
        }
      }
      m_builder.CreateStore(value, slot);
    }
  }

  llvm::Value* choose(llvm::Value* mask, llvm::Value* on, llvm::Value* off) {
    auto* structure = llvm::dyn_cast<llvm::StructType>(on->getType());
    if (!structure) return m_builder.CreateSelect(mask, on, off);
    llvm::Value* whole = llvm::PoisonValue::get(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i) {
      llvm::Value* field =
          m_builder.CreateSelect(mask, m_builder.CreateExtractValue(on, i), m_builder.CreateExtractValue(off, i));
      whole = m_builder.CreateInsertValue(whole, field, i);
    }
    return whole;
  }

  bool leaves_divergent_loop(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const {
    for (const llvm::Loop* loop = m_loops.getLoopFor(from); loop && !loop->contains(to); loop = loop->getParentLoop()) {
      if (m_shapes.is_divergent(loop)) return true;
    }
    return false;
  }

  // ------------------------------------------------------------------------------------------------- order

  /// Returns the first of `blocks`. Each of these blocks may have lanes that have to run it. The blocks after the first
  /// one wait until the first block is done.
  llvm::BasicBlock* go_to(std::set<unsigned> blocks) {
    const unsigned first = *blocks.begin();
    blocks.erase(blocks.begin());
    m_waiting[first].insert(blocks.begin(), blocks.end());
    return m_starts[first];
  }

  llvm::BasicBlock* follow(unsigned i, llvm::BasicBlock* to) {
    const llvm::Loop* loop = m_loops.getLoopFor(to);
    if (loop && loop->getHeader() == to && loop->contains(m_graph.block(i))) return m_starts[m_graph.number(to)];
    std::set<unsigned> next = m_waiting[i];
    next.insert(m_graph.target(m_graph.block(i), to));
    return go_to(std::move(next));
  }

  void finish() {
    llvm::DominatorTree tree(*m_function);
    llvm::SmallVector<llvm::AllocaInst*, 16> slots;
    for (llvm::AllocaInst* slot : m_all_slots) {
      if (llvm::isAllocaPromotable(slot)) slots.push_back(slot);
    }
    llvm::PromoteMemToReg(slots, tree);
    split_known_scatters(*m_function);
  }

  llvm::Function& m_scalar;
  const lane_plan& m_plan;
  const llvm::LoopInfo& m_loops;
  const lane_shapes& m_shapes;
  const flow_graph& m_graph;
  llvm::IRBuilder<> m_builder;
  llvm::Function* m_function;
  llvm::BasicBlock* m_slots;
  wide_instructions m_instructions;
  std::vector<llvm::BasicBlock*> m_starts;
  std::vector<std::set<unsigned>> m_waiting;  ///< for each block, later blocks that may have lanes to run
  std::vector<llvm::AllocaInst*> m_masks;     ///< masks of blocks; null: all lanes, or those in m_prefix
  llvm::DenseMap<const llvm::PHINode*, llvm::AllocaInst*> m_phis;
  llvm::DenseMap<const llvm::Instruction*, llvm::AllocaInst*> m_detours;  ///< slots of values that jumps may skip
  /// For each block: the values in slots that the block needs.
  std::vector<llvm::SmallVector<llvm::Instruction*, 4>> m_arrivals;
  llvm::SmallVector<llvm::AllocaInst*, 32> m_all_slots;
  llvm::Value* m_prefix = nullptr;
};

} // namespace

llvm::Function* make_wide_function(llvm::Function& scalar, const lane_plan& plan) {
  return wide_builder(scalar, plan).run();
}

}  // namespace sinter::passes
