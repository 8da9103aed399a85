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

using real_function = long double (*)(long double);

struct known_function {
  llvm::StringLiteral name, intrinsic;
  real_function value;
};
constexpr known_function known_functions[] = {
    {"logl", "llvm.log.", [](long double x) { return std::log(x); }},
    {"log2l", "llvm.log2.", [](long double x) { return std::log2(x); }},
    {"log10l", "llvm.log10.", [](long double x) { return std::log10(x); }},
    {"expl", "llvm.exp.", [](long double x) { return std::exp(x); }},
    {"exp2l", "llvm.exp2.", [](long double x) { return std::exp2(x); }},
    {"sqrtl", "llvm.sqrt.", [](long double x) { return std::sqrt(x); }},
    {"ceill", "llvm.ceil.", [](long double x) { return std::ceil(x); }},
    {"floorl", "llvm.floor.", [](long double x) { return std::floor(x); }},
};

const llvm::fltSemantics* own_semantics() {
  if (LDBL_MANT_DIG == 64) return &llvm::APFloat::x87DoubleExtended();
  if (LDBL_MANT_DIG == 113) return &llvm::APFloat::IEEEquad();
  return nullptr;
}

/// Reads the bytes in the order of machines that have the lowest byte first.
long double number_of(const llvm::APFloat& value) {
  const llvm::APInt bits = value.bitcastToAPInt();
  long double number = 0;
  std::memcpy(&number, bits.getRawData(), bits.getBitWidth() / 8);
  return number;
}
llvm::APFloat value_of(long double number, const llvm::fltSemantics& semantics) {
  std::uint64_t words[2] = {};
  const unsigned width = llvm::APFloat::getSizeInBits(semantics);
  std::memcpy(words, &number, width / 8);
  return llvm::APFloat(semantics, llvm::APInt(width, words));
}

std::optional<llvm::APFloat> folded(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || call.arg_size() != 1 || !is_long_double(call.getType())) return {};
  const auto* argument = llvm::dyn_cast<llvm::ConstantFP>(call.getArgOperand(0));
  const llvm::fltSemantics* semantics = own_semantics();
  if (!argument || !semantics || &argument->getValueAPF().getSemantics() != semantics) return {};
  for (const known_function& each : known_functions) {
    const llvm::StringRef name = callee->getName();
    if (name != each.name && !name.starts_with(each.intrinsic)) continue;
    return value_of(each.value(number_of(argument->getValueAPF())), *semantics);
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
  // Values computed from the result may be constant now, such as how many turns a loop takes.
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
