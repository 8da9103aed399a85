#include "canonical_math.hpp"

#include <abi/device_abi.hpp>

#include "../passes/llvm_versions.hpp"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"

namespace sinter::capture {
namespace {

struct intrinsic_entry {
  const char* name;  ///< libm's name of the function for double; the name for float has an f behind it
  llvm::Intrinsic::ID id;
};

// All of these intrinsics take and return one floating-point type, so one overload type suffices.
constexpr intrinsic_entry intrinsics[] = {
    {"sin", llvm::Intrinsic::sin},         {"cos", llvm::Intrinsic::cos},
    {"tan", llvm::Intrinsic::tan},         {"asin", llvm::Intrinsic::asin},
    {"acos", llvm::Intrinsic::acos},       {"atan", llvm::Intrinsic::atan},
    {"atan2", llvm::Intrinsic::atan2},     {"sinh", llvm::Intrinsic::sinh},
    {"cosh", llvm::Intrinsic::cosh},       {"tanh", llvm::Intrinsic::tanh},
    {"exp", llvm::Intrinsic::exp},         {"exp2", llvm::Intrinsic::exp2},
    {"exp10", llvm::Intrinsic::exp10},     {"log", llvm::Intrinsic::log},
    {"log2", llvm::Intrinsic::log2},       {"log10", llvm::Intrinsic::log10},
    {"pow", llvm::Intrinsic::pow},         {"sqrt", llvm::Intrinsic::sqrt},
    {"fabs", llvm::Intrinsic::fabs},       {"floor", llvm::Intrinsic::floor},
    {"ceil", llvm::Intrinsic::ceil},       {"trunc", llvm::Intrinsic::trunc},
    {"rint", llvm::Intrinsic::rint},       {"nearbyint", llvm::Intrinsic::nearbyint},
    {"round", llvm::Intrinsic::round},     {"roundeven", llvm::Intrinsic::roundeven},
    {"fma", llvm::Intrinsic::fma},         {"fmin", llvm::Intrinsic::minnum},
    {"fmax", llvm::Intrinsic::maxnum},     {"copysign", llvm::Intrinsic::copysign},
};

// LLVM has no intrinsic for these functions (for atan2, only LLVM 19 lacks one), so they stay calls, with the names
// that canonical_math.hpp describes. Result and operands may have different types (ldexp, frexp, ilogb ...).
constexpr const char* device_math[] = {
    "cbrt",  "hypot", "erf",       "erfc",  "lgamma", "tgamma", "expm1", "log1p",   "asinh",  "acosh",  "atanh",
    "fmod",  "fdim",  "remainder", "logb",  "ilogb",  "modf",   "frexp", "ldexp",   "scalbn", "remquo", "nextafter",
    "lrint", "llrint", "lround",   "llround", "sincos", "lgamma_r", "pow10", "atan2",
};

/// glibc's entry points for -ffast-math (`__sin_finite`) compute the same functions as the plain names.
llvm::StringRef plain_name(llvm::StringRef name) {
  name.consume_front("__builtin_");
  if (name.starts_with("__") && name.ends_with("_finite")) name = name.drop_front(2).drop_back(7);
  return name;
}

bool is_math_type(const llvm::Type* type) { return type->isFloatTy() || type->isDoubleTy(); }

llvm::Type* operand_type(const llvm::Function& function) {
  for (llvm::Type* type : function.getFunctionType()->params()) {
    if (is_math_type(type)) return type;
  }
  return nullptr;
}

void use_intrinsic(llvm::Function& function, llvm::Intrinsic::ID id, llvm::Type* type) {
  llvm::Function* intrinsic = llvm::Intrinsic::getOrInsertDeclaration(function.getParent(), id, {type});
  if (intrinsic->getFunctionType() != function.getFunctionType()) return;
  for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (!call || call->getCalledOperand() != &function) continue;
    llvm::IRBuilder<> builder(call);
    llvm::SmallVector<llvm::Value*, 3> arguments(call->args());
    llvm::CallInst* replacement = builder.CreateCall(intrinsic, arguments);
    replacement->copyFastMathFlags(call);
    replacement->takeName(call);
    replacement->setDebugLoc(call->getDebugLoc());
    call->replaceAllUsesWith(replacement);
    call->eraseFromParent();
  }
}

void use_device_name(llvm::Function& function, llvm::StringRef name, llvm::Type* type) {
  function.setName(abi::device_math_prefix + name.str() + (type->isFloatTy() ? "_f32" : "_f64"));
  function.setDoesNotThrow();
  function.setWillReturn();
  // Without errno, functions that take no pointer are pure.
  bool has_pointer = false;
  for (llvm::Type* parameter : function.getFunctionType()->params()) has_pointer |= parameter->isPointerTy();
  if (has_pointer) {
    function.setOnlyAccessesArgMemory();
  } else {
    function.setDoesNotAccessMemory();  // even lgamma, because device code has no signgam
  }
}

/// Sets the accuracy that is enough for the reciprocal square root, for which the headers call a function of their own.
void relax_reciprocal_root(llvm::Module& device) {
  llvm::Function* function = device.getFunction("__sinter_rsqrt");
  if (!function) return;
  for (llvm::Instruction& instruction : llvm::instructions(*function)) {
    if (instruction.getOpcode() != llvm::Instruction::FDiv) continue;
    instruction.setMetadata(llvm::LLVMContext::MD_fpmath, llvm::MDBuilder(device.getContext()).createFPMath(2));
  }
}

/// SYCL leaves the accuracy of the functions of sycl::native to the implementation: here any accuracy is enough.
void relax_native(llvm::Module& device) {
  for (llvm::Function& function : device) {
    if (!function.getName().starts_with("__sinter_native_")) continue;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!instruction.getType()->isFloatTy() || !llvm::isa<llvm::FPMathOperator>(instruction)) continue;
      if (!llvm::isa<llvm::IntrinsicInst, llvm::BinaryOperator>(instruction)) continue;
      instruction.setMetadata(llvm::LLVMContext::MD_fpmath, llvm::MDBuilder(device.getContext()).createFPMath(8192));
    }
  }
}

} // namespace

void canonicalize_math(llvm::Module& device) {
  llvm::StringMap<llvm::Intrinsic::ID> by_intrinsic;
  for (const intrinsic_entry& entry : intrinsics) {
    if (entry.id < llvm::Intrinsic::num_intrinsics) by_intrinsic[entry.name] = entry.id;
  }
  llvm::StringSet<> by_name;
  for (const char* name : device_math) by_name.insert(name);

  relax_reciprocal_root(device);
  for (llvm::Function& function : llvm::make_early_inc_range(device)) {
    if (!function.isDeclaration() || function.isIntrinsic()) continue;
    llvm::Type* type = operand_type(function);
    if (!type) continue;
    llvm::StringRef name = plain_name(function.getName());
    if (type->isFloatTy()) {
      // In this name, the f for float is in the middle.
      if (name == "lgammaf_r") {
        name = "lgamma_r";
      } else if (!name.consume_back("f")) {
        continue;
      }
    }
    if (auto found = by_intrinsic.find(name); found != by_intrinsic.end()) {
      use_intrinsic(function, found->second, type);
      if (function.use_empty()) function.eraseFromParent();
    } else if (by_name.contains(name)) {
      use_device_name(function, std::string(name), type);
    }
  }
  relax_native(device);
}

} // namespace sinter::capture
