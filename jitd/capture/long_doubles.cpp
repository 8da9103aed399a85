#include "long_doubles.hpp"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <optional>

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"

namespace sinter::capture {

bool is_long_double(const llvm::Type* type) { return type->isX86_FP80Ty() || type->isFP128Ty(); }

namespace {

/// Numbers of 128 bits, which are `long double` on machines other than x86-64. On those machines, glibc has
/// functions for these numbers.
#if LDBL_MANT_DIG == 113
using quad = long double;
#define QUAD_FUNCTION(name) [](quad x) { return std::name(x); }
#else
using quad = __float128;
extern "C" {
quad logf128(quad);
quad log2f128(quad);
quad log10f128(quad);
quad expf128(quad);
quad exp2f128(quad);
quad sqrtf128(quad);
quad ceilf128(quad);
quad floorf128(quad);
}
#define QUAD_FUNCTION(name) name##f128
#endif

struct known_function {
  llvm::StringLiteral name, intrinsic;
  long double (*value)(long double);
  quad (*quad_value)(quad);
};
#define KNOWN_FUNCTION(name) \
  { #name "l", "llvm." #name ".", [](long double x) { return std::name(x); }, QUAD_FUNCTION(name) }
constexpr known_function known_functions[] = {
    KNOWN_FUNCTION(log),  KNOWN_FUNCTION(log2), KNOWN_FUNCTION(log10), KNOWN_FUNCTION(exp),
    KNOWN_FUNCTION(exp2), KNOWN_FUNCTION(sqrt), KNOWN_FUNCTION(ceil),  KNOWN_FUNCTION(floor),
};

/// Calls the function with the number `argument`. The argument and the result are converted byte by byte, the lowest
/// byte first.
template <class Number>
llvm::APFloat value_at(Number (*function)(Number), const llvm::APFloat& argument) {
  const llvm::APInt bits = argument.bitcastToAPInt();
  Number number = 0;
  std::memcpy(&number, bits.getRawData(), bits.getBitWidth() / 8);
  number = function(number);
  std::uint64_t words[2] = {};
  std::memcpy(words, &number, bits.getBitWidth() / 8);
  return llvm::APFloat(argument.getSemantics(), llvm::APInt(bits.getBitWidth(), words));
}

std::optional<llvm::APFloat> folded(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || call.arg_size() != 1 || !is_long_double(call.getType())) return {};
  const auto* argument = llvm::dyn_cast<llvm::ConstantFP>(call.getArgOperand(0));
  if (!argument) return {};
  const llvm::APFloat& number = argument->getValueAPF();
  const bool is_quad = &number.getSemantics() == &llvm::APFloat::IEEEquad();
  const bool is_own = LDBL_MANT_DIG == 64 && &number.getSemantics() == &llvm::APFloat::x87DoubleExtended();
  if (!is_quad && !is_own) return {};
  for (const known_function& each : known_functions) {
    const llvm::StringRef name = callee->getName();
    if (name != each.name && !name.starts_with(each.intrinsic)) continue;
    return is_quad ? value_at(each.quad_value, number) : value_at(each.value, number);
  }
  return {};
}

} // namespace

llvm::PreservedAnalyses fold_long_doubles::run(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const std::optional<llvm::APFloat> value = call ? folded(*call) : std::nullopt;
    if (!value) continue;
    call->replaceAllUsesWith(llvm::ConstantFP::get(call->getContext(), *value));
    call->eraseFromParent();
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  manager.invalidate(function, kept);
  // The result may have made other values constant, such as the trip count of a loop.
  kept.intersect(llvm::InstCombinePass().run(function, manager));
  return kept;
}

bool computes_long_doubles(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (is_long_double(instruction.getType())) return true;
    }
  }
  return false;
}

} // namespace sinter::capture
