#pragma once
/// Runs LLVM's InferAddressSpaces, which finds out where generic pointers lead, with a guard against its defects
/// (docs/llvm_defects.md, "Constants that no address space is found for").
///
/// Input: pointers of the generic space; memory in other spaces is named by casts to it.
/// Output: accesses name a space if all places that a pointer may lead to are in that space. A function that LLVM's
/// pass makes invalid all the same is a fatal error (fatal_errors.hpp).

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

/// Runs before LLVM's pass and returns whether it changed anything. It hides constants of the generic space from the
/// pass, wherever the pass would find no space for values that are computed from them, or would take a generic address
/// for one of another space.
bool hide_constant_addresses(llvm::Function& function, unsigned generic, const llvm::TargetTransformInfo& target);

/// Runs behind LLVM's pass: hidden constants are constants again. A function that is not valid is a fatal error.
bool show_constant_addresses(llvm::Function& function);

class infer_address_spaces : public llvm::PassInfoMixin<infer_address_spaces> {
public:
  /// Without a number, the target is asked for the generic space.
  explicit infer_address_spaces(std::optional<unsigned> generic) : m_generic(generic) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& functions);

private:
  std::optional<unsigned> m_generic;
};

/// Guards the pass in LLVM's own lists, if targets add it by themselves (AMD's GPUs). The object lives as long as the
/// runner, which is made with the object's callbacks.
class inference_guard {
public:
  llvm::PassInstrumentationCallbacks callbacks;

  /// To be called once, before passes run. `functions`: the runner's.
  void stand_around(llvm::FunctionAnalysisManager& functions);

private:
  bool m_hides = false;
};

/// These passes stand before and behind LLVM's pass in lists of code generation. They ask the target for the generic
/// space.
llvm::FunctionPass* create_constant_hiding();
llvm::FunctionPass* create_constant_showing();

}  // namespace sinter::jit
