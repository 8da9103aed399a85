#pragma once
/// Replaces two kinds of mathematics with calls of a library: intrinsics for which a target has no instruction, and the
/// math functions of the device ABI.

#include <functional>
#include <string>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace sinter::jit {

/// Describes how a library's functions are called.
struct math_dialect {
  /// Returns the library's name for a math function. `base` is libm's name for this function's version with doubles.
  /// Operands are float, double, int, or pointers to results.
  std::function<std::string(llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands)> name_of;
  bool returns_sine;  ///< whether sincos returns the sine and stores the cosine; otherwise it stores both results
  /// `exact` is a division or an intrinsic whose result may be less accurate (!fpmath). Returns its replacement, or
  /// null if there is none.
  std::function<llvm::Value*(llvm::IRBuilder<>& builder, llvm::Instruction& exact, float accuracy)> relaxed;
  /// Returns the value that replaces the call; this may be the call itself. `operands` are the operands before
  /// `prepare` replaced some of them. May be unset.
  std::function<llvm::Value*(llvm::IRBuilder<>& builder, llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands,
                             llvm::CallInst& call)>
      finish{};
  /// Computes the right result if the library's function is wrong. Returns null if the function is to be called. May be
  /// unset.
  std::function<llvm::Value*(llvm::IRBuilder<>& builder, llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands)>
      instead{};
  /// Replaces operands for which the library's function is wrong. May be unset.
  std::function<void(llvm::IRBuilder<>& builder, llvm::StringRef base, llvm::MutableArrayRef<llvm::Value*> operands)>
      prepare{};
  /// Whether the library's function for floats is wrong. In this case, the library's function for doubles is called
  /// instead. May be unset.
  std::function<bool(llvm::StringRef base)> needs_double{};
};

/// Returns OpenCL's mangled name of a math function, such as _Z3sinf, _Z3powdd, _Z5ldexpfi or _Z4modffPf.
std::string opencl_name(llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands);

/// Output: calls of the library's functions, with scalars of float and double. Returns whether the module has such
/// calls.
bool call_math_library(llvm::Module& module, const math_dialect& dialect);

}  // namespace sinter::jit
