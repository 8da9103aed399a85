#pragma once
/// Lowers calls for texture units (abi/texture_abi.hpp).

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace sinter::passes {

inline constexpr llvm::StringRef texture_prefix = "__sinter_texture_";
inline constexpr llvm::StringRef texture_units_name = "__sinter_texture_units";

/// Input: a module whose code may call functions of texture units.
/// Output: no such call is left. The test for texture units is false, and code that needs texture units is removed.
/// This is legal because such code runs only if the test is true.
void forget_textures(llvm::Module& module);

/// For devices with texture units. The test for texture units is true. For each other call, `lower` emits code in front
/// of the call. If the result of `lower` is not null, it replaces the call's result.
void lower_textures(llvm::Module& module, llvm::function_ref<llvm::Value*(llvm::CallInst&)> lower);

}  // namespace sinter::passes
