#include "register_blocking.hpp"

#include <algorithm>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "passes/device/work_item_function.hpp"
#include "passes/kernel_memory.hpp"
#include "passes/machine/instruction_costs.hpp"
#include "passes/machine/machine_facts.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

// Neighbours have to share at least this part of the work of the innermost loops.
constexpr double worthwhile_share = 0.15;
// With more instructions, LLVM would take longer than most launches.
constexpr std::size_t most_blocked_instructions = 3000;

/// Finds the values that differ between neighbours.
class differences {
public:
  differences(llvm::Function& function, neighbours along) {
    const unsigned dimension = along == neighbours::vectors ? 2 : 1;
    for (unsigned number :
         {parameter_global_id + dimension, parameter_local_id + dimension, unsigned{parameter_item}}) {
      m_values.insert(function.getArg(number));
    }
    bool changed = true;
    while (changed) {
      changed = false;
      for (llvm::Instruction& instruction : llvm::instructions(function)) {
        if (!m_values.contains(&instruction) && differs(instruction)) changed |= m_values.insert(&instruction).second;
      }
    }
    find_obstacle(function);
  }

  bool contains(const llvm::Value* value) const { return m_values.contains(value); }
  /// The reason why neighbours can't run together. The text is empty if they can.
  const std::string& obstacle() const { return m_obstacle; }

private:
  bool differs(const llvm::Instruction& instruction) const {
    // One declaration of a scope is enough for all neighbours.
    if (llvm::isa<llvm::NoAliasScopeDeclInst>(instruction)) return false;
    for (const llvm::Value* operand : instruction.operands()) {
      if (m_values.contains(operand)) return true;
    }
    // Each neighbour needs private arrays of its own, and effects that other threads see must happen once for each
    // neighbour. A plain store is an exception: if neighbours would store equal values to one address, one store is
    // enough.
    if (llvm::isa<llvm::AllocaInst>(instruction) || instruction.isAtomic() || instruction.isVolatile()) return true;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call && !(call->onlyReadsMemory() && call->willReturn());
  }

  void find_obstacle(const llvm::Function& function) {
    for (const llvm::BasicBlock& block : function) {
      if (m_values.contains(block.getTerminator())) m_obstacle = "neighbours part";
      for (const llvm::Instruction& instruction : block) {
        const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (variable && !variable->isStaticAlloca()) m_obstacle = "a private array whose size is not constant";
        if (call && call->isConvergent()) m_obstacle = "a call that work-items make together";
      }
    }
  }

  llvm::DenseSet<const llvm::Value*> m_values;
  std::string m_obstacle;
};

/// Copies every instruction whose value differs between neighbours, so that each neighbour has a copy.
class multiplication {
public:
  multiplication(llvm::Function& function, neighbours along, unsigned lanes, unsigned factor)
      : m_function(function), m_differing(function, along), m_along(along), m_lanes(lanes), m_factor(factor) {}

  void run() {
    number_neighbours();
    llvm::SmallVector<llvm::PHINode*, 16> phis;
    // In this order, operands are visited before their users, except in phis.
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&m_function)) {
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
        if (!m_differing.contains(&instruction) || m_ours.contains(&instruction)) continue;
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) phis.push_back(phi);
        multiply(instruction);
      }
    }
    for (llvm::PHINode* phi : phis) {
      for (unsigned k = 1; k < m_factor; ++k) remap(*llvm::cast<llvm::Instruction>(of_neighbour(phi, k)), k);
    }
  }

private:
  void number_neighbours() {
    llvm::BasicBlock& entry = m_function.getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    const bool vectors = m_along == neighbours::vectors;
    const unsigned dimension = vectors ? 2 : 1;
    auto add = [&](unsigned number, llvm::Value* step) {
      llvm::Value* argument = m_function.getArg(number);
      for (unsigned k = 1; k < m_factor; ++k) {
        llvm::Value* distance = builder.CreateMul(step, builder.getInt64(k), "", true, true);
        llvm::Value* sum = builder.CreateAdd(argument, distance, "", true, true);
        m_copies[argument].push_back(sum);
        for (llvm::Value* made : {distance, sum}) m_ours.insert(made);
      }
    };
    llvm::Value* step = builder.getInt64(vectors ? m_lanes : 1);
    add(parameter_global_id + dimension, step);
    add(parameter_local_id + dimension, step);
    add(parameter_item, vectors ? step : m_function.getArg(parameter_local_range + 2));
  }

  llvm::Value* of_neighbour(llvm::Value* value, unsigned number) const {
    const auto found = m_copies.find(value);
    return found == m_copies.end() ? value : found->second[number - 1];
  }

  void remap(llvm::Instruction& copy, unsigned number) const {
    for (llvm::Use& operand : copy.operands()) operand.set(of_neighbour(operand.get(), number));
  }

  void multiply(llvm::Instruction& instruction) {
    llvm::Instruction* last = &instruction;
    for (unsigned k = 1; k < m_factor; ++k) {
      llvm::Instruction* copy = instruction.clone();
      copy->insertAfter(last);
      if (!llvm::isa<llvm::PHINode>(copy)) remap(*copy, k);
      m_ours.insert(copy);
      m_copies[&instruction].push_back(copy);
      last = copy;
    }
  }

  llvm::Function& m_function;
  const differences m_differing;
  neighbours m_along;
  unsigned m_lanes, m_factor;
  llvm::DenseMap<llvm::Value*, llvm::SmallVector<llvm::Value*, 8>> m_copies;
  llvm::DenseSet<const llvm::Value*> m_ours;
};

// ------------------------------------------------------------------------------------------------- choice

/// Amounts of work or of registers for four kinds of values: equal for all neighbours, different in each row, different
/// in each vector of a row, and different in each vector of each row.
struct amounts {
  double of[4] = {};
  /// Returns the sum for `factor` neighbours with `vectors` vectors each.
  double sum(unsigned factor, unsigned vectors) const {
    return of[0] + factor * of[1] + vectors * of[2] + factor * vectors * of[3];
  }
};

class estimate {
public:
  estimate(llvm::Function& function, const differences& differing, const differences& vectors, machine_facts machine)
      : m_tree(function), m_loops(m_tree), m_differing(differing), m_vectors(vectors), m_machine(machine) {
    for (const llvm::BasicBlock& block : function) m_depth = std::max(m_depth, m_loops.getLoopDepth(&block));
    for (llvm::BasicBlock& block : function) {
      weigh(block);
      if (m_loops.getLoopDepth(&block) == m_depth) find_pressure(block);
    }
  }

  /// Whether the code has no loops, so that the processor can overlap the memory accesses of several rows.
  bool is_straight() const { return m_depth == 0; }
  double share() const { return (m_work.of[0] + m_work.of[2]) / std::max(1.0, m_work.sum(1, 1)); }
  /// The cost for one of `factor` neighbours.
  double cost(unsigned factor, unsigned vectors) const { return m_work.sum(factor, vectors) / (factor * vectors); }

  /// Whether the values of this many neighbours fit the registers at each instruction of the innermost loops.
  bool fits(unsigned factor, unsigned vectors = 1) const {
    // One register is kept free for values that are read once. Two neighbours may need a few registers too many,
    // because they gain more than a few spills cost.
    const unsigned all = m_machine.vector_registers;
    const unsigned registers = factor * vectors == 2 ? all + all / 4 : all - 1;
    return llvm::all_of(m_pressure, [&](const amounts& each) { return each.sum(factor, vectors) <= registers; });
  }

private:
  unsigned kind(const llvm::Value* value) const {
    return (m_differing.contains(value) ? 1u : 0u) + (m_vectors.contains(value) ? 2u : 0u);
  }

  unsigned pieces(llvm::Type* type) const {
    return static_cast<unsigned>(registers_of(*type, 1, m_machine.vector_bits));
  }

  static bool is_in_vector_register(const llvm::Type* type) {
    return type->isFloatingPointTy() || (type->isVectorTy() && !type->isIntOrIntVectorTy(1));
  }

  /// Whether the instruction is a splat, which costs nothing: the user of the splat broadcasts the loaded number.
  static bool is_broadcast(const llvm::Instruction& instruction) {
    const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction);
    return insert || llvm::isa<llvm::ShuffleVectorInst>(instruction);
  }

  /// Whether the instruction computes an address or costs nothing. Machines compute addresses in parallel to the work
  /// on data.
  static bool is_free(const llvm::Instruction& instruction) {
    return llvm::isa<llvm::GetElementPtrInst, llvm::InsertElementInst>(instruction) || cost_of(instruction).work == 0;
  }

  void weigh(const llvm::BasicBlock& block) {
    const double weight = runs_of(block, m_loops);
    for (const llvm::Instruction& instruction : block) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      llvm::Type* type = store ? store->getValueOperand()->getType() : instruction.getType();
      if (is_free(instruction) || !is_in_vector_register(type)) continue;
      // All instructions on vectors count, also loads and stores, because neighbours may share their cost.
      m_work.of[kind(&instruction)] += weight * pieces(type);
    }
  }

  /// Counts the values in registers at each instruction. Values from outside of the loop do not count, because
  /// instructions can read them from memory.
  void find_pressure(llvm::BasicBlock& block) {
    const llvm::Loop* loop = m_loops.getLoopFor(&block);
    auto waits = [&](const llvm::Value* value) {
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
      return instruction && is_in_vector_register(value->getType()) && !is_broadcast(*instruction) &&
             (!loop || loop->contains(instruction)) && !is_read_in_passing(*instruction);
    };
    llvm::DenseSet<const llvm::Value*> live;
    amounts now;
    auto enter = [&](const llvm::Value* value) {
      if (waits(value) && live.insert(value).second) now.of[kind(value)] += pieces(value->getType());
    };
    for (const llvm::Instruction& instruction : block) {
      const bool outlives = llvm::any_of(instruction.users(), [&](const llvm::User* user) {
        const auto* behind = llvm::cast<llvm::Instruction>(user);
        return behind->getParent() != &block || llvm::isa<llvm::PHINode>(behind);
      });
      if (outlives) enter(&instruction);
    }
    for (const llvm::Instruction& instruction : llvm::reverse(block)) {
      if (live.erase(&instruction)) now.of[kind(&instruction)] -= pieces(instruction.getType());
      if (llvm::isa<llvm::PHINode>(instruction)) continue;
      for (const llvm::Value* operand : instruction.operands()) {
        const auto* splat = llvm::dyn_cast<llvm::Instruction>(operand);
        if (splat && is_broadcast(*splat)) continue;
        enter(operand);
      }
      m_pressure.push_back(now);
    }
  }

  /// Whether the load can become a memory operand of its only user.
  static bool is_read_in_passing(const llvm::Instruction& instruction) {
    return llvm::isa<llvm::LoadInst>(instruction) && instruction.hasOneUse() &&
           llvm::cast<llvm::Instruction>(*instruction.user_begin())->getParent() == instruction.getParent();
  }

  llvm::DominatorTree m_tree;
  llvm::LoopInfo m_loops;
  const differences &m_differing, &m_vectors;
  machine_facts m_machine;
  unsigned m_depth = 0;
  amounts m_work;
  std::vector<amounts> m_pressure;
};

struct block_size {
  unsigned factor = 1, vectors = 1;
};

/// Returns a block that has the same number of vectors and is nearer to a square, if neighbours share at least as much
/// in this block.
block_size more_square(const estimate& costs, unsigned factor, const blocking_request& request) {
  block_size best{factor, 1};
  for (unsigned vectors : {2u, 4u}) {
    const bool whole = request.vectors_of_row != 0 && request.vectors_of_row % vectors == 0;
    if (!whole || factor <= vectors || !costs.fits(factor / vectors, vectors)) continue;
    // Vectors of a row share the computation of addresses, so a block of equal cost is better.
    if (costs.cost(factor / vectors, vectors) <= costs.cost(best.factor, best.vectors))
      best = {factor / vectors, vectors};
  }
  return best;
}

block_size choose_size(llvm::Function& function, const differences& differing, const differences& vectors,
                       const blocking_request& request, machine_facts machine, std::string& reason) {
  if (request.factor != 0) return {request.factor, 1};
  // A block has at most 16 neighbours. A block has fewer neighbours if the private arrays of 16 neighbours would not
  // fit the caches.
  const std::uint64_t bytes = private_bytes(function);
  const unsigned fitting = copies_that_fit(bytes, 16);
  const estimate costs(function, differing, vectors, machine);
  const bool overlaps = request.along == neighbours::rows && costs.is_straight();
  if (!overlaps && costs.share() < worthwhile_share) {
    reason = "little is shared";
    return {};
  }
  reason = request.most < 2 ? "there are none" : "too few registers";
  for (unsigned factor : {16u, 8u, 4u, 2u}) {
    // 16 neighbours are only worthwhile if they are all rows of the group, because values that are kept across barriers
    // then stay in registers.
    if (factor == 16 && (request.along == neighbours::vectors || request.most != factor)) continue;
    if (factor > request.most || (request.along == neighbours::vectors && factor > 4)) continue;
    if (factor > fitting) {
      reason = "private arrays of " + describe_bytes(bytes);
      continue;
    }
    if (factor * function.getInstructionCount() > most_blocked_instructions || !costs.fits(factor)) continue;
    return vectors.obstacle().empty() ? more_square(costs, factor, request) : block_size{factor, 1};
  }
  return {};
}

}  // namespace

blocked_form block_registers(llvm::Function& wide, llvm::TargetMachine& machine, const blocking_request& request) {
  if (request.factor == 1) return {};
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&wide, map);
  copy->setName(wide.getName() + ".blocked");
  llvm::removeUnreachableBlocks(*copy);
  pass_runner runner(&machine);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::ADCEPass());
  runner.run(*copy, std::move(passes));

  const char* name = request.along == neighbours::vectors ? "vectors" : "rows";
  const differences differing(*copy, request.along), vectors(*copy, neighbours::vectors);
  std::string reason = differing.obstacle();
  const block_size size = reason.empty()
                              ? choose_size(*copy, differing, vectors, request, machine_facts::of(machine), reason)
                              : block_size{};
  if (size.factor <= 1) {
    copy->eraseFromParent();
    return {nullptr, 1, 1, std::string("no ") + name + " together: " + reason};
  }
  multiplication(*copy, request.along, request.lanes, size.factor).run();
  std::string report = std::to_string(size.factor) + " " + name;
  if (size.vectors > 1) {
    multiplication(*copy, neighbours::vectors, request.lanes, size.vectors).run();
    report += " of " + std::to_string(size.vectors) + " vectors";
  }
  return {copy, size.factor, size.vectors, report + " together"};
}

}  // namespace sinter::passes
