#include "math_library.hpp"

#include <abi/math_file.hpp>

#include "code_object.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "targets/device_code.hpp"
#include "targets/gpu/native_functions.hpp"
#include "targets/linked_bitcode.hpp"
#include "targets/math_calls.hpp"
#include "targets/math_corrections.hpp"

namespace sinter::jit::amdgcn {
namespace {

constexpr unsigned private_space = 5;

/// AMD's instructions for sine and cosine take angles in revolutions instead of radians.
constexpr gpu::native_functions native = {
    [](llvm::IRBuilder<>& builder, gpu::native_function what, llvm::Value* x) -> llvm::Value* {
      const auto one = [&](llvm::Intrinsic::ID id, llvm::Value* of) {
        return builder.CreateIntrinsic(id, {of->getType()}, {of});
      };
      const auto turns = [&] {
        return one(llvm::Intrinsic::amdgcn_fract,
                   builder.CreateFMul(x, llvm::ConstantFP::get(x->getType(), 0.5 * llvm::numbers::inv_pi)));
      };
      switch (what) {
        case gpu::native_function::rsqrt:
          return one(llvm::Intrinsic::amdgcn_rsq, x);
        case gpu::native_function::sqrt:
          return one(llvm::Intrinsic::amdgcn_sqrt, x);
        case gpu::native_function::sin:
          return one(llvm::Intrinsic::amdgcn_sin, turns());
        case gpu::native_function::cos:
          return one(llvm::Intrinsic::amdgcn_cos, turns());
        case gpu::native_function::exp2:
          return one(llvm::Intrinsic::amdgcn_exp2, x);
        default:
          return one(llvm::Intrinsic::amdgcn_log, x);
      }
    },
    [](llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* y) -> llvm::Value* {
      return builder.CreateFMul(x, builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_rcp, {y->getType()}, {y}));
    }};

llvm::Value* relaxed(llvm::IRBuilder<>& builder, llvm::Instruction& exact, float accuracy) {
  return gpu::relaxed(native, builder, exact, accuracy);
}

/// ocml's functions write results only to private memory, but kernels may pass any memory. `function` becomes a
/// wrapper, which calls ocml's function with private memory and copies the results.
void write_anywhere(llvm::Function& function) {
  llvm::LLVMContext& context = function.getContext();
  const std::string name = function.getName().str();
  function.setName("sinter." + name);
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", &function));
  llvm::Type* place = llvm::PointerType::get(context, private_space);
  llvm::Type* result = name.find("_f64") == std::string::npos ? builder.getFloatTy() : builder.getDoubleTy();
  const bool is_integer = !llvm::StringRef(name).contains("sincos") && !llvm::StringRef(name).contains("modf");
  llvm::SmallVector<llvm::Type*, 4> types;
  llvm::SmallVector<llvm::Value*, 4> operands;
  llvm::AllocaInst* own = nullptr;
  for (llvm::Argument& each : function.args()) {
    operands.push_back(&each);
    if (each.getType()->isPointerTy()) {
      own = builder.CreateAlloca(is_integer ? builder.getInt32Ty() : result, private_space);
      operands.back() = own;
    }
    types.push_back(each.getType()->isPointerTy() ? place : each.getType());
  }
  llvm::FunctionCallee callee = function.getParent()->getOrInsertFunction(
      name, llvm::FunctionType::get(function.getReturnType(), types, false));
  llvm::Value* value = builder.CreateCall(callee, operands);
  for (llvm::Argument& each : function.args()) {
    if (each.getType()->isPointerTy()) builder.CreateStore(builder.CreateLoad(own->getAllocatedType(), own), &each);
  }
  builder.CreateRet(value);
}

/// Defines the constants by which ocml knows the GPU and options. No library defines them.
void answer(llvm::Module& module, llvm::StringRef gpu, unsigned wave) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    llvm::StringRef name = variable.getName();
    if (!variable.isDeclaration() || !name.consume_front("__oclc_")) continue;
    const std::uint64_t value = name == "ISA_version"                ? version_of(gpu)
                                : name == "ABI_version"              ? 500
                                : name == "wavefrontsize64"          ? (wave == 64 ? 1 : 0)
                                : name == "correctly_rounded_sqrt32" ? 1
                                                                     : 0;
    variable.setInitializer(llvm::ConstantInt::get(variable.getValueType(), value));
    variable.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

}  // namespace

llvm::Error link_math(llvm::Module& module, llvm::StringRef gpu, unsigned wave) {
  const std::string ocml = abi::ocml_file([](const char* path) { return llvm::sys::fs::exists(path); }).path;
  math_dialect dialect{opencl_name, /*returns_sine=*/true, relaxed};
  if (ocml.empty()) {
    define_gamma(module);
    correct_libclc(dialect);
  } else {
    correct_ocml(dialect);
    dialect.name_of = [](llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands) {
      return ("__ocml_" + base + (operands[0]->getType()->isFloatTy() ? "_f32" : "_f64")).str();
    };
  }
  if (!call_math_library(module, dialect)) return llvm::Error::success();
  if (ocml.empty()) {
    if (llvm::Error error = link_math_file(module, abi::amd_libclc_file,
                                           " (package libclc-22, or ROCm's device libraries)")) {
      return error;
    }
  } else {
    llvm::SmallVector<llvm::Function*, 4> writers;
    for (llvm::Function& function : module) {
      const bool writes = llvm::any_of(function.args(), [](const llvm::Argument& each) {
        return each.getType()->isPointerTy();
      });
      if (writes && function.getName().starts_with("__ocml_")) writers.push_back(&function);
    }
    for (llvm::Function* each : writers) write_anywhere(*each);
    if (llvm::Error error = link_math_file(module, ocml, "")) return error;
    answer(module, gpu, wave);
  }
  // The library's functions name the processor for which they were compiled.
  forget_processor(module);
  return llvm::Error::success();
}

}  // namespace sinter::jit::amdgcn
