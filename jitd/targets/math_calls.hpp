#pragma once
/// Mathematics by functions of a library: intrinsics that a target has no instruction for, and the functions of the
/// device ABI's mathematics.

#include <functional>
#include <string>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace sinter::jit {

/// How a library's functions are called.
struct math_dialect {
  /// By the name of the double version of libm's. Operands are float, double, int, or pointers to results.
  std::function<std::string(llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands)> name_of;
  bool returns_sine;  ///< sincos: and stores the cosine; else it stores both
  /// Replaces a division or an intrinsic that may be less accurate (!fpmath); null: no replacement.
  std::function<llvm::Value*(llvm::IRBuilder<>& builder, llvm::Instruction& exact, float accuracy)> relaxed;
  /// Returns the value that replaces the call, which may be the call itself; may be empty.
  std::function<llvm::Value*(llvm::IRBuilder<>& builder, llvm::StringRef base, llvm::CallInst& call)> finish;
  /// Computes what the library's function gets wrong, in place of a call; null: use the call. May be unset.
  std::function<llvm::Value*(llvm::IRBuilder<>& builder, llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands)>
      instead{};
};

/// OpenCL's mangling of a math function: _Z3sinf, _Z3powdd, _Z5ldexpfi, _Z4modffPf.
std::string opencl_name(llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands);

/// Output: calls of the library's functions, with scalars of float and double. True: there are some.
bool call_math_library(llvm::Module& module, const math_dialect& dialect);

}  // namespace sinter::jit
