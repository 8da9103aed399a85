#pragma once
/// Mathematics by functions of a library: intrinsics that a target has no instruction for, and the functions of the
/// device ABI's mathematics.

#include <functional>
#include <string>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace sinter::jit {

/// The way to call a library's functions.
struct math_dialect {
  /// The name of the function whose double version has this name in libm. Operands are float, double, int, or pointers
  /// to results.
  std::function<std::string(llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands)> name_of;
  bool returns_sine;  ///< sincos: and stores the cosine; else it stores both
  /// Replaces a division or an intrinsic that may be less accurate (!fpmath); null: no replacement.
  std::function<llvm::Value*(llvm::IRBuilder<>& builder, llvm::Instruction& exact, float accuracy)> relaxed;
  /// Returns the value that replaces the call, which may be the call itself; may be empty.
  std::function<llvm::Value*(llvm::IRBuilder<>& builder, llvm::StringRef base, llvm::CallInst& call)> finish;
  /// Computes the right result, in place of a call, where the library's is wrong; null: use the call. May be unset.
  std::function<llvm::Value*(llvm::IRBuilder<>& builder, llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands)>
      instead{};
};

/// OpenCL's mangling of a math function: _Z3sinf, _Z3powdd, _Z5ldexpfi, _Z4modffPf.
std::string opencl_name(llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands);

/// Output: calls of the library's functions, with scalars of float and double. Returns true if there are any.
bool call_math_library(llvm::Module& module, const math_dialect& dialect);

}  // namespace sinter::jit
