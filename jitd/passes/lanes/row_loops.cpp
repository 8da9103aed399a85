#include "row_loops.hpp"

#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "passes/device/work_item_function.hpp"
#include "passes/machine/vector_math.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

// LLVM's vectors have 8 or 16 floats, but some of the gain is lost in single iterations at both ends and in a test
// whether rows overlap.
constexpr double gain_of_vectors = 4;
// Stores of two iterations share no cache line if their distance in bytes is at least this. This also holds for loops
// that were unrolled to store a whole line in each iteration.
constexpr std::uint64_t bytes_of_line = 64;
// Shorter rows are mostly a few elements of a structure.
constexpr unsigned shortest_row = 8;

/// Whether the address is in memory that many work-items of the launch share.
bool is_global(const llvm::Value* address) {
  const llvm::Value* object = llvm::getUnderlyingObject(address, 0);
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(object))
    return argument->getArgNo() == parameter_block;
  return !llvm::isa<llvm::AllocaInst>(object);
}

class loop_reader {
public:
  loop_reader(llvm::Loop& loop, llvm::ScalarEvolution& evolution) : m_loop(loop), m_evolution(evolution) {}

  /// The number of bytes by which an address moves up or down in each iteration, or nothing if the address moves in
  /// another way.
  std::optional<std::uint64_t> step(llvm::Value* address) const {
    const llvm::SCEV* place = m_evolution.getSCEV(address);
    if (m_evolution.isLoopInvariant(place, &m_loop)) return 0;
    const auto* moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(place);
    if (!moving || moving->getLoop() != &m_loop || !moving->isAffine()) return {};
    const auto* by = llvm::dyn_cast<llvm::SCEVConstant>(moving->getStepRecurrence(m_evolution));
    if (!by) return {};
    return by->getAPInt().abs().getZExtValue();
  }

  bool is_short() const {
    const unsigned iterations = m_evolution.getSmallConstantTripCount(&m_loop);
    return iterations != 0 && iterations < shortest_row;
  }

  /// Whether LLVM can make vectors of iterations.
  bool has_vectors() const {
    if (m_loop.getNumBlocks() != 1 || !m_loop.isInnermost() || !m_evolution.hasLoopInvariantBackedgeTakenCount(&m_loop))
      return false;
    for (llvm::Instruction& each : *m_loop.getHeader()) {
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&each)) {
        if (!may_be_wide(*phi)) return false;
      } else if (each.mayReadOrWriteMemory()) {
        const llvm::Value* address = llvm::getLoadStorePointerOperand(&each);
        const auto bytes = address ? step(const_cast<llvm::Value*>(address)) : std::nullopt;
        if (!bytes || *bytes > bytes_of_line || (*bytes == 0 && llvm::isa<llvm::StoreInst>(each))) return false;
      } else if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&each)) {
        if (!llvm::isa<llvm::IntrinsicInst>(call) && math_name(*call).empty()) return false;
      }
    }
    return true;
  }

private:
  /// Whether the phi is a counter, or a result that may be combined in any order.
  bool may_be_wide(llvm::PHINode& phi) const {
    if (m_evolution.isSCEVable(phi.getType()) && llvm::isa<llvm::SCEVAddRecExpr>(m_evolution.getSCEV(&phi)))
      return true;
    llvm::RecurrenceDescriptor result;
    return llvm::RecurrenceDescriptor::isReductionPHI(&phi, &m_loop, result) && !result.hasExactFPMath();
  }

  llvm::Loop& m_loop;
  llvm::ScalarEvolution& m_evolution;
};

}  // namespace

row_loops::row_loops(llvm::Function& function, const lane_shapes& shapes, llvm::TargetMachine& machine) {
  pass_runner runner(&machine);
  runner.run(function, llvm::FunctionPassManager());  // runs no pass, only registers the analyses
  auto& loops = runner.functions.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = runner.functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const loop_reader reader(*loop, evolution);
    if (reader.is_short()) continue;
    for (llvm::BasicBlock* block : loop->blocks()) {
      if (loops.getLoopFor(block) != loop) continue;
      for (llvm::Instruction& each : *block) {
        auto* store = llvm::dyn_cast<llvm::StoreInst>(&each);
        if (!store || !store->isSimple() || !is_global(store->getPointerOperand())) continue;
        const lane_shape shape = shapes.of(store->getPointerOperand());
        const bool is_near = !shape.is_varying() && std::abs(shape.stride) <= std::int64_t{bytes_of_line};
        if (shape.is_uniform() || is_near) continue;
        const auto bytes = reader.step(store->getPointerOperand());
        if (bytes && *bytes != 0 && *bytes <= bytes_of_line) m_stores.insert(store);
      }
    }
    if (reader.has_vectors()) m_vectors.insert(loop->getHeader());
  }
  if (m_stores.empty()) m_vectors.clear();
}

double row_loops::gain_alone(const llvm::BasicBlock& block) const {
  return m_vectors.contains(&block) ? gain_of_vectors : 1;
}

}  // namespace sinter::passes
