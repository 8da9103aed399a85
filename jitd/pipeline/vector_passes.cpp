#include "vector_passes.hpp"

#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/BDCE.h"
#include "llvm/Transforms/Scalar/ConstraintElimination.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/DivRemPairs.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Float2Int.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopDistribute.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopLoadElimination.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopSimplifyCFG.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/LowerConstantIntrinsics.h"
#include "llvm/Transforms/Scalar/MemCpyOptimizer.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/InjectTLIMappings.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"
#include "repeated_passes.hpp"
#include "passes/llvm_versions.hpp"

namespace sinter::jit {
namespace {

constexpr int level = 3;

llvm::SimplifyCFGOptions joining_blocks() {
  return passes::with_arithmetic_switches(llvm::SimplifyCFGOptions().hoistCommonInsts(true).sinkCommonInsts(true));
}

/// Passes that move loop-invariant computations in front of the loop.
llvm::FunctionPassManager invariants() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  return passes;
}

/// Adds passes that turn memory into values. Some conditions become known by this, and the passes remove their
/// branches.
void find_values(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::JumpThreadingPass());
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::ReassociatePass());
  passes.addPass(llvm::ConstraintEliminationPass());
}

void simplify_loops(llvm::FunctionPassManager& passes) {
  llvm::LoopPassManager invariants;
  invariants.addPass(llvm::LoopSimplifyCFGPass());
  invariants.addPass(llvm::LoopRotatePass());
  invariants.addPass(llvm::LICMPass(llvm::LICMOptions()));
  invariants.addPass(llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/true));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(invariants), /*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  llvm::LoopPassManager counters;
  // Loops over a group's vectors that are to be unrolled come first: a call of memcpy instead of such a loop would keep
  // values in memory.
  counters.addPass(llvm::LoopFullUnrollPass(level, /*OnlyWhenForced=*/true));
  counters.addPass(llvm::LoopIdiomRecognizePass());
  counters.addPass(llvm::IndVarSimplifyPass());
  counters.addPass(llvm::LoopDeletionPass());
  counters.addPass(llvm::LoopFullUnrollPass(level));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(counters)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
}

/// Adds passes that follow values through memory and branches.
void follow_values(llvm::FunctionPassManager& passes, bool in_rows) {
  // EarlyCSE finds the values of loads in rows, here and at the end (improve_blocked), so GVN need not look at memory.
  passes.addPass(llvm::GVNPass(llvm::GVNOptions().setMemDep(!in_rows)));
  passes.addPass(llvm::BDCEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::JumpThreadingPass());
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::MemCpyOptPass());
  // Bodies that run rows have as many stores as work-items, so comparing each store with all others takes long.
  // DSE would find little, because the private memory of work-items is in registers anyway.
  if (!in_rows) passes.addPass(llvm::DSEPass());
  passes.addPass(invariants());
  passes.addPass(llvm::SimplifyCFGPass(joining_blocks().convertSwitchRangeToICmp(true)));
}

/// Adds passes that vectorize loops over work-items for which Sinter made no vectors, and that unroll short bodies.
void widen_loops(llvm::FunctionPassManager& passes, bool in_rows) {
  passes.addPass(llvm::Float2IntPass());
  passes.addPass(llvm::LowerConstantIntrinsicsPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  passes.addPass(llvm::LoopDistributePass());
  passes.addPass(llvm::InjectTLIMappings());
  llvm::FunctionPassManager vectors;
  vectors.addPass(llvm::LoopVectorizePass());
  add_where_changed(passes, std::move(vectors), invariants());
  // In code for rows, InferAlignment looks at each access, but improves hardly any.
  if (!in_rows) passes.addPass(llvm::InferAlignmentPass());
  passes.addPass(llvm::LoopLoadEliminationPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(joining_blocks()
                                           .forwardSwitchCondToPhi(true)
                                           .convertSwitchRangeToICmp(true)
                                           .convertSwitchToLookupTable(true)
                                           .needCanonicalLoops(false)));
  passes.addPass(llvm::VectorCombinePass());
  // Sinter's own passes made the vectors of rows, and no pass has added instructions since.
  if (!in_rows) passes.addPass(llvm::InstCombinePass());
  llvm::FunctionPassManager copies;
  copies.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(level)));
  llvm::FunctionPassManager clean_up;
  clean_up.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  clean_up.addPass(llvm::InstCombinePass());
  clean_up.addPass(invariants());
  add_where_changed(passes, std::move(copies), std::move(clean_up));
  if (!in_rows) passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::DivRemPairsPass());
  passes.addPass(llvm::SimplifyCFGPass(passes::with_conditional_accesses(passes::with_arithmetic_switches(
      llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true).speculateUnpredictables(true)))));
}

}  // namespace

llvm::FunctionPassManager passes_for_vectors(bool in_rows) {
  llvm::FunctionPassManager passes;
  find_values(passes);
  simplify_loops(passes);
  follow_values(passes, in_rows);
  widen_loops(passes, in_rows);
  return passes;
}

}  // namespace sinter::jit
