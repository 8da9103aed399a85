#include "prints.hpp"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "targets/printed_text.hpp"

namespace sinter::jit::spirv {
namespace {

constexpr const char* opencl_printf = "_Z18__spirv_ocl_printfPU3AS2Kcz";
constexpr unsigned constant_space = 2;  ///< UniformConstant

void for_prints(llvm::Module& module, llvm::function_ref<void(llvm::CallInst&)> handle) {
  llvm::Function* printf = module.getFunction("printf");
  if (!printf || !printf->isDeclaration() || !printf->isVarArg()) return;
  for (llvm::User* user : llvm::make_early_inc_range(printf->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call && call->getCalledFunction() == printf) handle(*call);  // others are refused, as functions of the host
  }
}

llvm::Constant* constant_string(llvm::IRBuilder<>& builder, llvm::StringRef text, llvm::Module& module) {
  return builder.CreateGlobalString(text, "printed", constant_space, &module);
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
    operands.push_back(value);
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
  call.eraseFromParent();
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
