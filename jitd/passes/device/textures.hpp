#pragma once
/// Texture units (abi/texture_abi.hpp).

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace sinter::passes {

inline constexpr llvm::StringRef texture_prefix = "__sinter_texture_";
inline constexpr llvm::StringRef texture_units_name = "__sinter_texture_units";

/// Input: a module whose code may ask for texture units.
/// Output: no call asks for them. Units are not there, and the code behind them is gone.
/// Legal because such code stands behind the question for them.
void forget_textures(llvm::Module& module);

/// For devices with texture units: they are there, and `lower` makes the code of each other call in front of it. Its
/// result, if it is not null, replaces the call's.
void lower_textures(llvm::Module& module, llvm::function_ref<llvm::Value*(llvm::CallInst&)> lower);

}  // namespace sinter::passes
