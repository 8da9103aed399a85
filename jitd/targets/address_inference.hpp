#pragma once
/// LLVM's InferAddressSpaces, which says of generic pointers where they lead, behind a guard against what it gets wrong
/// (docs/llvm_defects.md, "Constants that no address space is found for").
///
/// Input: pointers of the generic space; memory in other spaces is named by casts to it.
/// Output: the same, with accesses of one space where all that a pointer may be is of that space. A function that is
/// not valid behind LLVM's pass all the same is a fatal error (fatal_errors.hpp), never passed on.

#include <optional>

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class FunctionPass;
}

namespace sinter::jit {

/// Global memory is this address space for all targets.
inline constexpr unsigned global_address_space = 1;

/// Before LLVM's pass. Constants of the generic space become values that it knows nothing of, wherever it would find no
/// space for what is computed of them, or would take the number of a generic address for one of another space. Whether
/// it changed anything, as below.
bool hide_constant_addresses(llvm::Function& function, unsigned generic, const llvm::TargetTransformInfo& target);

/// Behind it: what was hidden is a constant again. Fatal error where the function is not valid.
bool show_constant_addresses(llvm::Function& function);

class infer_address_spaces : public llvm::PassInfoMixin<infer_address_spaces> {
public:
  /// nullopt: the target knows the generic space.
  explicit infer_address_spaces(std::optional<unsigned> generic) : m_generic(generic) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& functions);

private:
  std::optional<unsigned> m_generic;
};

/// What stands before and behind LLVM's pass in lists for code generation. The target knows the generic space.
llvm::FunctionPass* create_constant_hiding();
llvm::FunctionPass* create_constant_showing();

}  // namespace sinter::jit
