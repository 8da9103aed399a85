#pragma once
/// Runs LLVM's InferAddressSpaces, which finds out where generic pointers lead, with a guard against its defects
/// (docs/llvm_defects.md, "Constants that no address space is found for").
///
/// Input: pointers of the generic space; pointers to other spaces are cast to it.
/// Output: accesses name a space if all places that a pointer may lead to are in that space. A function that LLVM's
/// pass makes invalid despite the guard is a fatal error (fatal_errors.hpp).

#include <optional>

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class FunctionPass;
}

namespace sinter::jit {

/// The number of global memory's address space, on all targets.
inline constexpr unsigned global_address_space = 1;

/// Runs before LLVM's pass and returns whether it changed anything. Constants of the generic space are hidden from the
/// pass if it would otherwise find no space for values that are computed from them, or would mistake a generic address
/// for an address of another space.
bool hide_constant_addresses(llvm::Function& function, unsigned generic, const llvm::TargetTransformInfo& target);

/// Runs after LLVM's pass and restores the hidden constants. An invalid function is a fatal error.
bool show_constant_addresses(llvm::Function& function);

class infer_address_spaces : public llvm::PassInfoMixin<infer_address_spaces> {
public:
  /// If `generic` is not set, the target is asked for the number of the generic space.
  explicit infer_address_spaces(std::optional<unsigned> generic) : m_generic(generic) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& functions);

private:
  std::optional<unsigned> m_generic;
};

/// Guards the pass in LLVM's own lists of passes, for targets that add it by themselves (AMD's GPUs). The object must
/// exist as long as the pass runner, which is made with the object's callbacks.
class inference_guard {
public:
  llvm::PassInstrumentationCallbacks callbacks;

  /// Must be called once, before passes run. `functions` is the manager of the runner.
  void stand_around(llvm::FunctionAnalysisManager& functions);

private:
  bool m_hides = false;
};

/// Passes for lists of code generation, which run before and after LLVM's pass. They ask the target for the generic
/// space.
llvm::FunctionPass* create_constant_hiding();
llvm::FunctionPass* create_constant_showing();

}  // namespace sinter::jit
