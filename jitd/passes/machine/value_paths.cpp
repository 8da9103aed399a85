#include "value_paths.hpp"

#include <algorithm>

#include "llvm/ADT/Any.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/MathExtras.h"

namespace sinter::passes {
namespace {

// Propagation along this many paths takes a hundredth of a second. Programs of ten thousand lines have fewer paths.
constexpr std::uint64_t most_paths = 1u << 17;

/// Whether each change of an operand's range may change the result's range.
bool passes_ranges_on(const llvm::Instruction& instruction) {
  if (!instruction.getType()->isIntegerTy()) return false;
  // The range of an XOR's result depends only on the number of bits, so this range changes a few times at most.
  if (instruction.getOpcode() == llvm::Instruction::Xor) return false;
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::SelectInst, llvm::IntrinsicInst, llvm::FreezeInst>(
      instruction);
}

} // namespace

std::uint64_t most_value_paths(const llvm::Function& function) {
  llvm::DenseMap<const llvm::Value*, std::uint64_t> paths;  // values that are not in the map have one path
  std::uint64_t most = 1;
  for (const llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<const llvm::Function*>(&function)) {
    for (const llvm::Instruction& instruction : *block) {
      if (!passes_ranges_on(instruction)) continue;
      std::uint64_t sum = 0;
      for (const llvm::Value* operand : instruction.operands()) {
        if (!llvm::isa<llvm::Instruction>(operand) || !operand->getType()->isIntegerTy()) continue;
        const auto found = paths.find(operand);
        sum = llvm::SaturatingAdd<std::uint64_t>(sum, found == paths.end() ? 1 : found->second);
      }
      if (sum <= 1) continue;
      paths[&instruction] = sum;
      most = std::max(most, sum);
    }
  }
  return most;
}

void bound_propagation(llvm::PassInstrumentationCallbacks& callbacks) {
  callbacks.registerShouldRunOptionalPassCallback([](llvm::StringRef pass, const llvm::Any& what) {
    if (pass == "SCCPPass") {
      const auto* function = llvm::any_cast<const llvm::Function*>(&what);
      return !function || most_value_paths(**function) <= most_paths;
    }
    if (pass == "IPSCCPPass") {
      const auto* module = llvm::any_cast<const llvm::Module*>(&what);
      return !module || llvm::all_of(**module, [](const llvm::Function& function) {
        return function.isDeclaration() || most_value_paths(function) <= most_paths;
      });
    }
    return true;
  });
}

} // namespace sinter::passes
