#pragma once
/// Runs LLVM's pass InferAddressSpaces, which finds out where generic pointers lead. A guard protects code against the
/// pass's defects (docs/llvm_defects.md, "Constants that no address space is found for").
///
/// Input: code in which accesses use pointers of the generic space. Pointers to other spaces are cast to the generic
/// space.
/// Output: accesses name a space if all places that a pointer may lead to are in that space. If LLVM's pass makes a
/// function invalid despite the guard, this is a fatal error (fatal_errors.hpp).

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

/// Runs before LLVM's pass and returns whether it changed anything. Hides constants of the generic space from LLVM's
/// pass in two cases. Without this, LLVM's pass would find no space for values that are computed from such a constant,
/// or it would mistake a generic address for an address of another space.
bool hide_constant_addresses(llvm::Function& function, unsigned generic, const llvm::TargetTransformInfo& target);

/// Runs after LLVM's pass and restores the hidden constants. If the function is invalid afterwards, this is a fatal
/// error.
bool show_constant_addresses(llvm::Function& function);

class infer_address_spaces : public llvm::PassInfoMixin<infer_address_spaces> {
public:
  /// If `generic` is not set, the target is asked for the number of the generic space.
  explicit infer_address_spaces(std::optional<unsigned> generic) : m_generic(generic) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& functions);

private:
  std::optional<unsigned> m_generic;
};

/// Some targets (AMD's GPUs) add LLVM's pass to LLVM's own lists of passes. An object of this class guards the pass
/// there. The object must exist as long as the pass runner, which is made with the object's callbacks.
class inference_guard {
public:
  llvm::PassInstrumentationCallbacks callbacks;

  /// Must be called once, before passes run. `functions` is the manager of the runner.
  void stand_around(llvm::FunctionAnalysisManager& functions);

private:
  bool m_hides = false;
};

/// Passes for lists of code generation. The first pass runs before LLVM's pass, and the second pass runs after it. Both
/// passes ask the target for the generic space.
llvm::FunctionPass* create_constant_hiding();
llvm::FunctionPass* create_constant_showing();

}  // namespace sinter::jit
