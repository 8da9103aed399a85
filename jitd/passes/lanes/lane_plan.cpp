#include "lane_plan.hpp"

#include "lane_promises.hpp"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "passes/llvm_versions.hpp"
#include "passes/machine/machine_calls.hpp"
#include "passes/machine/vector_math.hpp"

namespace sinter::passes {
namespace {

// If a block has fewer instructions than this number, running the block with an empty mask is cheaper than a jump over
// the block.
constexpr unsigned worth_a_jump = 20;

bool is_dropped(const llvm::Instruction& instruction) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!intrinsic) return false;
  switch (intrinsic->getIntrinsicID()) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::sideeffect:
      return true;
    default:
      return false;
  }
}

/// Whether the intrinsic also exists for vectors. frexp is excluded because it crashes LLVM 22's VectorCombine. The
/// other excluded intrinsics would become calls of missing functions if they had vectors as operands.
bool is_wide_intrinsic(llvm::Intrinsic::ID id) {
  return llvm::isTriviallyVectorizable(id) && id != llvm::Intrinsic::frexp && id != llvm::Intrinsic::modf &&
         id != llvm::Intrinsic::sincos && id != llvm::Intrinsic::sincospi;
}

bool is_widened_type(llvm::Type* type) {
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    return structure->isLiteral() && llvm::all_of(structure->elements(), [](llvm::Type* each) {
             return llvm::VectorType::isValidElementType(each);
           });
  }
  return llvm::VectorType::isValidElementType(type);
}

/// Chooses an action for one instruction at a time. The action says how the lanes run the instruction.
class action_finder {
public:
  action_finder(const lane_shapes& shapes, unsigned vector_bits, const llvm::DataLayout& layout)
      : m_shapes(shapes), m_vector_bits(vector_bits), m_layout(layout) {}

  /// `runs` says how many lanes form each run when the instruction accesses memory: the lanes of a run access
  /// neighbouring elements, or read one address (lane_orders.hpp). `masked` says that some lanes may be
  /// inactive.
  lane_step of(const llvm::Instruction& instruction, lane_orders::runs runs, bool masked) const {
    const lane_action action = action_of(instruction, runs, masked);
    return {action, 0, action == lane_action::runs ? runs : lane_orders::runs{}};
  }

private:
  lane_action action_of(const llvm::Instruction& instruction, lane_orders::runs runs, bool masked) const {
    if (llvm::isa<llvm::PHINode>(instruction)) return lane_action::merge;
    if (instruction.isTerminator()) return lane_action::control;
    if (is_dropped(instruction)) return lane_action::nothing;
    // One declaration of the scope is enough for all lanes. The declaration can't be dropped, because each iteration
    // has to be a scope of its own.
    if (llvm::isa<llvm::NoAliasScopeDeclInst>(instruction)) return lane_action::once;
    if (is_lane_promise(instruction)) return lane_action::forwarded;
    if (sub_group_call_of(instruction) != sub_group_call::none) return lane_action::exchange;
    if (llvm::isa<llvm::AllocaInst>(instruction)) return lane_action::copies;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return of_store(*store, runs, masked);
    if (!instruction.getType()->isVoidTy() && !m_shapes.of(&instruction).is_varying())
      return m_shapes.of(&instruction).is_uniform() ? lane_action::once : lane_action::strided;
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return of_call(*call, masked);
    if (llvm::isa<llvm::FenceInst>(instruction)) return lane_action::once;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return of_load(*load, runs, masked);
    if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction); atomic && can_be_reduced(*atomic))
      return lane_action::reduce;
    return has_vector_form(instruction) ? lane_action::elementwise : lane_action::per_lane;
  }

  lane_action of_load(const llvm::LoadInst& load, lane_orders::runs runs, bool masked) const {
    if (!load.isSimple() || !has_wide_memory_form(load.getType(), m_layout)) return lane_action::per_lane;
    if (is_consecutive(m_shapes.of(load.getPointerOperand()), load.getType(), m_layout))
      return lane_action::consecutive;
    // If all lanes of a run read one address, one lane reads for the whole run. This lane must be active.
    if (runs.lanes > 1 && !(runs.same && masked)) return lane_action::runs;
    return lane_action::gather;
  }

  lane_action of_store(const llvm::StoreInst& store, lane_orders::runs runs, bool masked) const {
    const llvm::Value* value = store.getValueOperand();
    const lane_shape shape = m_shapes.of(store.getPointerOperand());
    if (!store.isSimple()) return lane_action::per_lane;
    if (shape.is_uniform()) {
      const bool can_be_chosen =
          m_shapes.of(value).is_uniform() || llvm::VectorType::isValidElementType(value->getType());
      return can_be_chosen ? lane_action::last_lane : lane_action::per_lane;
    }
    if (!has_wide_memory_form(value->getType(), m_layout)) return lane_action::per_lane;
    if (is_consecutive(shape, value->getType(), m_layout)) return lane_action::consecutive;
    return runs.lanes > 1 && !masked ? lane_action::runs : lane_action::scatter;
  }

  lane_action of_call(const llvm::CallInst& call, bool masked) const {
    // A prefetch is worthwhile only if the addresses of the lanes are close together, so that one prefetch is enough
    // for all lanes.
    if (is_prefetch(call))
      return m_shapes.of(call.getArgOperand(0)).is_varying() ? lane_action::nothing : lane_action::once;
    if (has_vector_math(call, m_shapes.facts().lanes, m_vector_bits)) return lane_action::vector_call;
    if (machine_function_of(call) || is_wide_intrinsic(call.getIntrinsicID())) return lane_action::elementwise;
    if (const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&call); copy && !masked && is_joined(*copy))
      return lane_action::consecutive;
    // The first lane that reaches the call ends the program.
    return call.doesNotReturn() ? lane_action::once : lane_action::per_lane;
  }

  /// Whether one memcpy can replace the memcpys of all lanes. The lanes' sources must lie side by side in memory, and
  /// so must their targets.
  bool is_joined(const llvm::MemCpyInst& copy) const {
    const auto* size = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
    return size && !copy.isVolatile() && is_side_by_side(m_shapes.of(copy.getRawSource()), size->getSExtValue()) &&
           is_side_by_side(m_shapes.of(copy.getRawDest()), size->getSExtValue());
  }

  /// Whether lanes can combine their values before one atomic operation, because the program does not use the value
  /// that the operation returns.
  bool can_be_reduced(const llvm::AtomicRMWInst& atomic) const {
    return atomic.use_empty() && !atomic.isVolatile() &&
           reduction_of(atomic.getOperation()) != llvm::Intrinsic::not_intrinsic &&
           m_shapes.of(atomic.getPointerOperand()).is_uniform();
  }

  bool has_vector_form(const llvm::Instruction& instruction) const {
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
      return m_shapes.of(select->getCondition()).is_uniform() || !select->getType()->isStructTy();
    }
    if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return is_widened_type(cast->getSrcTy());
    if (const auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction))
      return is_widened_type(extract->getAggregateOperand()->getType());
    return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::FreezeInst,
                     llvm::GetElementPtrInst, llvm::InsertValueInst>(instruction);
  }

  const lane_shapes& m_shapes;
  unsigned m_vector_bits;
  const llvm::DataLayout& m_layout;
};

/// Writes the plan's step (action) for each instruction.
class step_writer {
public:
  step_writer(llvm::Function& function, lane_plan& plan)
      : m_plan(plan),
        m_shapes(plan.known.shapes),
        m_orders(function, m_shapes),
        m_finder(m_shapes, plan.machine.vector_bits, function.getParent()->getDataLayout()) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const bool masked = m_shapes.mask(instruction.getParent()) != lane_mask::full;
      m_plan.steps.try_emplace(&instruction, m_finder.of(instruction, m_orders.runs_of(instruction), masked));
    }
  }

  /// Adds groups and pieces to the plan. Either all accesses of a group or piece are joined, or no access is joined.
  void add_groups_and_pieces(llvm::ArrayRef<access_pieces::piece> pieces) {
    llvm::DenseSet<const llvm::Instruction*> in_pieces;
    for (const access_pieces::piece& piece : pieces) {
      // The action `group` is cheaper than the action `piece`, because a group accesses whole vectors. So if all
      // accesses of a piece can be in groups, the piece is dropped.
      if (llvm::all_of(piece.accesses, [&](const auto* each) { return can_be_grouped(*each); })) continue;
      for (const llvm::Instruction* access : piece.accesses) {
        in_pieces.insert(access);
        m_plan.steps[access] = {lane_action::piece, static_cast<unsigned>(m_plan.pieces.size())};
      }
      m_plan.pieces.push_back(piece);
    }
    for (const lane_orders::group& group : m_orders.groups()) {
      const bool free = llvm::none_of(group.accesses, [&](const auto* each) { return in_pieces.contains(each); });
      if (!free || !can_be_grouped(*group.accesses.front())) continue;
      for (const llvm::Instruction* access : group.accesses) {
        m_plan.steps[access] = {lane_action::group, static_cast<unsigned>(m_plan.groups.size())};
      }
      m_plan.groups.push_back(group);
    }
  }

private:
  /// Whether the access may be in a group of accesses. A group accesses whole vectors without a mask, so no lane may be
  /// inactive.
  bool can_be_grouped(const llvm::Instruction& access) const {
    return m_shapes.mask(access.getParent()) == lane_mask::full && m_orders.of(access);
  }

  lane_plan& m_plan;
  const lane_shapes& m_shapes;
  const lane_orders m_orders;
  const action_finder m_finder;
};

/// For each block, writes into the plan which lanes run the block.
class block_writer {
public:
  explicit block_writer(lane_plan& plan)
      : m_plan(plan), m_graph(plan.graph), m_loops(plan.known.loops), m_shapes(plan.known.shapes) {}

  void run() {
    const unsigned count = m_graph.size();
    std::vector<unsigned> cost(count, 0);
    for (unsigned i = count; i-- > 0;) {
      cost[i] += static_cast<unsigned>(m_graph.block(i)->size());
      if (i > 0) cost[m_graph.dominator(i)] += cost[i];
    }
    for (unsigned i = 0; i < count; ++i) {
      const llvm::BasicBlock& block = *m_graph.block(i);
      block_plan found{m_shapes.mask(&block)};
      found.behind_guard = is_behind_guard(block);
      found.has_lane = found.mask != lane_mask::partial || all_come_from_active(i);
      if (!found.has_lane) {
        // On some machines without mask registers, a masked store is slow if its mask is empty.
        const bool stores_slowly = found.behind_guard && !m_plan.machine.has_mask_registers;
        const bool needed = enters_loop(block) || (stores_slowly && stores_always(i)) ||
                            llvm::any_of(block, [&](const llvm::Instruction& each) {
                              return needs_a_lane(each, m_plan.of(each).action);
                            });
        found.jumped_over = needed || (cost[i] > worth_a_jump && !is_rest_of_iteration(i));
        found.has_lane = found.jumped_over;
      }
      m_plan.blocks.try_emplace(&block, found);
    }
  }

private:
  /// Whether all lanes that run block i execute a store, either in the block or where the lanes meet again.
  bool stores_always(unsigned i) const {
    const llvm::BasicBlock& block = *m_graph.block(i);
    for (unsigned k = i; k < m_graph.size(); ++k) {
      const llvm::BasicBlock& other = *m_graph.block(k);
      if (k != i && (m_loops.getLoopFor(&other) != m_loops.getLoopFor(&block) ||
                     !m_plan.known.postdominators.dominates(&other, &block) || !is_dominated(k, i)))
        continue;
      if (llvm::any_of(other, [](const llvm::Instruction& each) { return llvm::isa<llvm::StoreInst>(each); }))
        return true;
    }
    return false;
  }

  bool is_dominated(unsigned block, unsigned by) const {
    while (block > by) block = m_graph.dominator(block);
    return block == by;
  }

  /// Whether every lane that runs the immediate dominator of block i also reaches block i.
  bool all_come_from_active(unsigned i) const {
    if (i == 0) return true;
    const llvm::BasicBlock *block = m_graph.block(i), *dominator = m_graph.block(m_graph.dominator(i));
    if (!m_plan.of(dominator).has_lane) return false;
    const llvm::Loop* loop = m_loops.getLoopFor(block);
    // The latch and the code before the loop test whether any lane is active, so a lane that enters the header is
    // active.
    if (loop && loop->getHeader() == block) return true;
    return m_plan.known.postdominators.dominates(block, dominator);
  }

  bool enters_loop(const llvm::BasicBlock& block) const {
    return llvm::any_of(llvm::successors(&block), [&](const llvm::BasicBlock* to) {
      const llvm::Loop* loop = m_loops.getLoopFor(to);
      return loop && loop->getHeader() == to && !loop->contains(&block);
    });
  }

  /// Whether block i belongs to a loop that lanes may leave in its header, and is in the part of the iteration behind
  /// the header. A jump over such a block is of little use: lanes that have left the loop wait at the latch, so the
  /// jump would be taken at most once, in the last iteration.
  bool is_rest_of_iteration(unsigned i) const {
    const llvm::BasicBlock *block = m_graph.block(i), *dominator = m_graph.block(m_graph.dominator(i));
    const llvm::Loop* loop = m_loops.getLoopFor(block);
    return loop && loop == m_loops.getLoopFor(dominator) && m_shapes.is_divergent(loop) && loop->getLoopLatch() &&
           dominator == loop->getHeader() && m_plan.known.postdominators.dominates(loop->getLoopLatch(), block);
  }

  bool is_behind_guard(const llvm::BasicBlock& block) const {
    if (m_shapes.facts().prefix || m_shapes.mask(&block) != lane_mask::partial) return false;
    const llvm::BasicBlock* before = block.getSinglePredecessor();
    const auto* branch = before ? llvm::dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional()) return false;
    // A guard that tests two bounds may be two branches, so `before` may itself be behind the first half of the guard.
    const auto known = m_plan.blocks.find(before);
    const bool goes_on = known != m_plan.blocks.end() && known->second.behind_guard;
    if (m_shapes.mask(before) == lane_mask::partial && !goes_on) return false;
    return is_guard(branch->getCondition());
  }

  /// Whether the condition compares the work-item's position with one or several bounds.
  bool is_guard(const llvm::Value* condition, unsigned depth = 6) const {
    using namespace llvm::PatternMatch;
    const llvm::Value *one = nullptr, *other = nullptr;
    if (match(condition, m_CombineOr(m_LogicalAnd(m_Value(one), m_Value(other)),
                                     m_LogicalOr(m_Value(one), m_Value(other))))) {
      return depth != 0 && is_guard(one, depth - 1) && is_guard(other, depth - 1);
    }
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
    return compare && !compare->isEquality() &&
           llvm::none_of(compare->operands(), [&](const llvm::Value* each) { return m_shapes.of(each).is_varying(); });
  }

  lane_plan& m_plan;
  const flow_graph& m_graph;
  const llvm::LoopInfo& m_loops;
  const lane_shapes& m_shapes;
};

}  // namespace

const char* name_of(lane_action action) {
  switch (action) {
    case lane_action::nothing:
      return "nothing";
    case lane_action::control:
      return "control";
    case lane_action::merge:
      return "merge";
    case lane_action::once:
      return "once";
    case lane_action::strided:
      return "strided";
    case lane_action::forwarded:
      return "forwarded";
    case lane_action::elementwise:
      return "elementwise";
    case lane_action::vector_call:
      return "vector call";
    case lane_action::exchange:
      return "exchange";
    case lane_action::copies:
      return "copies";
    case lane_action::reduce:
      return "reduce";
    case lane_action::per_lane:
      return "per lane";
    case lane_action::last_lane:
      return "last lane";
    case lane_action::consecutive:
      return "consecutive";
    case lane_action::group:
      return "group";
    case lane_action::piece:
      return "piece";
    case lane_action::runs:
      return "runs";
    case lane_action::gather:
      return "gather";
    case lane_action::scatter:
      return "scatter";
  }
  return "";
}

lane_plan::lane_plan(llvm::Function& function, const lane_analyses& analyses, llvm::TargetMachine& target)
    : known(analyses),
      machine(machine_facts::of(target)),
      graph(function, analyses.loops, analyses.shapes.divergent_loops()) {
  step_writer(function, *this).add_groups_and_pieces(access_pieces(function, analyses.shapes, target).all());
  block_writer(*this).run();
  const bool scatters = llvm::any_of(steps, [&](const auto& each) {
    return each.second.action == lane_action::scatter && analyses.loops.getLoopFor(each.first->getParent());
  });
  if (scatters) rows = row_loops(function, analyses.shapes, target);
}

lane_counts lane_plan::counts() const {
  lane_counts result;
  for (const auto& [instruction, step] : steps) {
    switch (step.action) {
      case lane_action::once:
        result.uniform += llvm::isa<llvm::LoadInst>(instruction);
        break;
      case lane_action::last_lane:
        ++result.uniform;
        break;
      case lane_action::consecutive:
        ++result.consecutive;
        break;
      case lane_action::piece:
        ++result.transposed;
        break;
      case lane_action::group:
        ++result.rearranged;
        break;
      case lane_action::runs:
        ++result.in_runs;
        break;
      case lane_action::gather:
        ++result.gathers;
        break;
      case lane_action::scatter:
        ++result.scatters;
        break;
      case lane_action::vector_call:
        ++result.vector_calls;
        break;
      case lane_action::per_lane:
        ++result.lane_by_lane;
        break;
      default:
        break;
    }
  }
  return result;
}

bool is_prefetch(const llvm::Instruction& instruction) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::prefetch;
}

bool needs_a_lane(const llvm::Instruction& instruction, lane_action action) {
  if (is_prefetch(instruction)) return false;
  if (action == lane_action::exchange || action == lane_action::forwarded) return false;
  if (llvm::isa<llvm::NoAliasScopeDeclInst>(instruction)) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    return !llvm::isa<llvm::IntrinsicInst>(call) || call->mayHaveSideEffects();
  }
  if (instruction.isAtomic() || instruction.isIntDivRem()) return true;
  // Vector accesses have masks. An access that is made once for all lanes has no mask.
  return llvm::getLoadStorePointerOperand(&instruction) &&
         (action == lane_action::once || action == lane_action::last_lane);
}

llvm::Intrinsic::ID reduction_of(llvm::AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case llvm::AtomicRMWInst::Add:
    case llvm::AtomicRMWInst::Sub:
      return llvm::Intrinsic::vector_reduce_add;
    case llvm::AtomicRMWInst::And:
      return llvm::Intrinsic::vector_reduce_and;
    case llvm::AtomicRMWInst::Or:
      return llvm::Intrinsic::vector_reduce_or;
    case llvm::AtomicRMWInst::Xor:
      return llvm::Intrinsic::vector_reduce_xor;
    case llvm::AtomicRMWInst::Max:
      return llvm::Intrinsic::vector_reduce_smax;
    case llvm::AtomicRMWInst::Min:
      return llvm::Intrinsic::vector_reduce_smin;
    case llvm::AtomicRMWInst::UMax:
      return llvm::Intrinsic::vector_reduce_umax;
    case llvm::AtomicRMWInst::UMin:
      return llvm::Intrinsic::vector_reduce_umin;
    default:
      return llvm::Intrinsic::not_intrinsic;
  }
}

bool has_wide_call(const llvm::CallInst& call, unsigned lanes, unsigned vector_bits) {
  return has_vector_math(call, lanes, vector_bits) || is_wide_intrinsic(call.getIntrinsicID()) ||
         machine_function_of(call);
}

std::string unsupported(const llvm::Function& function, const lane_shapes& shapes, bool sub_group,
                        const llvm::Instruction*& where) {
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      where = &instruction;
      if (is_dropped(instruction) || llvm::isa<llvm::NoAliasScopeDeclInst>(instruction)) continue;
      if (sub_group && sub_group_call_of(instruction) != sub_group_call::none) continue;
      if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        if (!variable->isStaticAlloca()) return "a private array whose size is not constant";
        continue;
      }
      const bool ends = instruction.isTerminator();
      if (ends && !llvm::isa<llvm::BranchInst, llvm::ReturnInst>(instruction)) return "a jump that is no branch";
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (!llvm::isa<llvm::CallInst>(call)) return "a call that may continue elsewhere";
        if (call->isConvergent() || call->isInlineAsm()) return "a call that lanes make together";
      }
      if (ends || instruction.getType()->isVoidTy() || !shapes.of(&instruction).is_varying()) continue;
      if (!is_widened_type(instruction.getType())) return "a value that has no vector form";
    }
  }
  where = nullptr;
  return {};
}

}  // namespace sinter::passes
