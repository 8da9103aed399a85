#include "lane_promises.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"

namespace sinter::passes {
namespace {

constexpr llvm::StringLiteral counts_up_name = "sinter.counts_up.", same_name = "sinter.same.";
// Module metadata that lists the functions whose calls are promises. Without this list, finding promises would mean
// searching all code, which takes longer than all compiling if a kernel has many regions.
constexpr llvm::StringLiteral said_name = "sinter.said";

lane_promise promise_of(const llvm::User& user) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&user);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->getName().starts_with("sinter.")) return lane_promise::none;
  if (callee->getName().starts_with(counts_up_name)) return lane_promise::counts_up;
  return callee->getName().starts_with(same_name) ? lane_promise::same : lane_promise::none;
}

}  // namespace

llvm::Value* say(llvm::IRBuilderBase& builder, lane_promise promise, llvm::Value* value) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Type* type = value->getType();
  const llvm::StringRef name = promise == lane_promise::counts_up ? counts_up_name : same_name;
  const std::string full_name = (name + "i" + llvm::Twine(type->getIntegerBitWidth())).str();
  const bool is_new = !module.getFunction(full_name);
  llvm::FunctionCallee callee = module.getOrInsertFunction(full_name, type, type);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  if (is_new) {
    module.getOrInsertNamedMetadata(said_name)->addOperand(
        llvm::MDNode::get(module.getContext(), {llvm::ValueAsMetadata::get(function)}));
  }
  // LLVM may move, copy and remove the call like an addition.
  function->setMemoryEffects(llvm::MemoryEffects::none());
  for (const auto attribute : {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::NoSync,
                               llvm::Attribute::NoFree, llvm::Attribute::Speculatable}) {
    function->addFnAttr(attribute);
  }
  llvm::CallInst* call = builder.CreateCall(callee, {value});
  const llvm::KnownBits known = llvm::computeKnownBits(value, module.getDataLayout());
  const llvm::ConstantRange range = llvm::ConstantRange::fromKnownBits(known, /*IsSigned=*/false);
  if (!range.isFullSet() && !range.isEmptySet()) call->addRangeRetAttr(range);
  return call;
}

bool is_lane_promise(const llvm::Instruction& instruction) { return promise_of(instruction) != lane_promise::none; }

lane_promise promised_of(const llvm::Value& value) {
  for (const llvm::User* user : value.users()) {
    if (const lane_promise promise = promise_of(*user); promise != lane_promise::none) return promise;
  }
  return lane_promise::none;
}

void forget_lane_promises(llvm::Module& module) {
  llvm::NamedMDNode* said = module.getNamedMetadata(said_name);
  if (!said) return;
  llvm::SmallVector<llvm::MDNode*, 4> used;
  for (llvm::MDNode* each : said->operands()) {
    auto* function = llvm::mdconst::dyn_extract_or_null<llvm::Function>(each->getOperand(0));
    if (!function) continue;
    if (function->use_empty()) {
      function->eraseFromParent();
    } else {
      used.push_back(each);
    }
  }
  said->clearOperands();
  for (llvm::MDNode* each : used) said->addOperand(each);
  if (used.empty()) said->eraseFromParent();
}

}  // namespace sinter::passes
