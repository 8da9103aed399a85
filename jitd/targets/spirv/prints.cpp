#include "prints.hpp"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ValueHandle.h"
#include "targets/printed_text.hpp"

namespace sinter::jit::spirv {
namespace {

constexpr const char* opencl_printf = "_Z18__spirv_ocl_printfPU3AS2Kcz";
constexpr unsigned constant_space = 2;  ///< number of the address space that becomes UniformConstant

void for_prints(llvm::Module& module, llvm::function_ref<void(llvm::CallInst&)> handle) {
  llvm::Function* printf = module.getFunction("printf");
  if (!printf || !printf->isDeclaration() || !printf->isVarArg()) return;
  for (llvm::User* user : llvm::make_early_inc_range(printf->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call && call->getCalledFunction() == printf) handle(*call);  // other uses are refused later
  }
}

llvm::Constant* constant_string(llvm::IRBuilder<>& builder, llvm::StringRef text, llvm::Module& module) {
  return builder.CreateGlobalString(text, "printed", constant_space, &module);
}

/// In a call of printf, C promotes floats to double. This function undoes the promotion, because OpenCL's printf takes
/// floats, and devices may have no doubles.
llvm::Value* without_promotion(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Type* single = llvm::Type::getFloatTy(value->getContext());
  if (auto* promoted = llvm::dyn_cast<llvm::FPExtInst>(value)) {
    return builder.CreateFPExt(promoted->getOperand(0), single);  // the promoted value is a float or half
  }
  auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value);
  if (!constant || !constant->getType()->isDoubleTy()) return value;
  llvm::APFloat narrow = constant->getValueAPF();
  bool is_other = false;
  narrow.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &is_other);
  return is_other ? value : llvm::ConstantFP::get(single, narrow);
}

llvm::Error lower(llvm::CallInst& call) {
  llvm::Module& module = *call.getModule();
  llvm::IRBuilder<> builder(&call);
  const std::optional<std::string> format = constant_text(*call.getArgOperand(0));
  if (!format) {
    return llvm::createStringError("it calls printf with a format that is no constant, which OpenCL does not have");
  }
  const auto directives = print_directives(*format);
  llvm::SmallVector<llvm::Value*, 8> operands{constant_string(builder, with_long_lengths(*format), module)};
  for (unsigned i = 1; i < call.arg_size(); ++i) {
    llvm::Value* value = call.getArgOperand(i);
    const char conversion = i <= directives.size() ? (*format)[directives[i - 1].conversion] : ' ';
    if (conversion == '*' || conversion == 'n') {
      return llvm::createStringError("its printf has '" + std::string(1, conversion) + "' in the format '" + *format +
                                     "', which OpenCL does not have");
    }
    if (conversion == 's') {
      const std::optional<std::string> text = constant_text(*value);
      if (!text) {
        return llvm::createStringError("its printf prints a string that is no constant, by %s in '" + *format +
                                       "', which OpenCL does not have");
      }
      value = constant_string(builder, *text, module);
    }
    operands.push_back(without_promotion(builder, value));
  }
  llvm::Type* format_type = operands.front()->getType();
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      opencl_printf, llvm::FunctionType::get(builder.getInt32Ty(), {format_type}, /*isVarArg=*/true));
  auto& function = *llvm::cast<llvm::Function>(callee.getCallee());
  function.setCallingConv(llvm::CallingConv::SPIR_FUNC);
  function.setDoesNotThrow();
  llvm::CallInst* print = builder.CreateCall(callee, operands);
  print->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  call.replaceAllUsesWith(print);
  const llvm::SmallVector<llvm::WeakTrackingVH, 8> promotions(call.args());
  call.eraseFromParent();
  for (const llvm::WeakTrackingVH& each : promotions) {
    if (auto* unused = llvm::dyn_cast_or_null<llvm::FPExtInst>(each); unused && unused->use_empty()) {
      unused->eraseFromParent();
    }
  }
  return llvm::Error::success();
}

}  // namespace

void keep_prints(llvm::Module& module) {
  for_prints(module, [](llvm::CallInst& call) { call.addFnAttr(llvm::Attribute::NoBuiltin); });
}

llvm::Error lower_prints(llvm::Module& module) {
  llvm::Error result = llvm::Error::success();
  for_prints(module, [&](llvm::CallInst& call) {
    if (!result) result = lower(call);
  });
  return result;
}

}  // namespace sinter::jit::spirv
