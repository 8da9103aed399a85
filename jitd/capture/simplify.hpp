#pragma once
/// The fixed, target-independent simplification of a device module.

#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Removes constructs that only a host has: invokes become calls, landing pads go, throw becomes a trap with a message,
/// sanitizer and profile calls of the front end go, asserts become device asserts, and libm becomes intrinsics or
/// device math without errno. Marks barriers and everything that calls one convergent. Has to run before any
/// optimisation.
void lower_host_constructs(llvm::Module& device);

/// Lets loops be unrolled again: at -O1 the front end forbids it for all of them.
void allow_unrolling(llvm::Module& device);

/// Inlining and scalar clean-up, the same for every -O level, without target information: no library idioms are
/// recognised and no host vector types appear. Unreachable functions are removed.
void simplify(llvm::Module& device);

/// Removes functions and variables that nothing refers to. Unoptimised kernels get no other simplification.
void remove_unreachable(llvm::Module& device);

/// Drops debug information that nothing in the module refers to; unless `keep_variables`, everything except line
/// tables.
void prune_debug_info(llvm::Module& device, bool keep_variables);

/// Types that belong to functions which are not in the module, such as main() with its kernel's lambda, belong to their
/// file from here on: gdb reads no members of a class in a function without code, so captures could not be shown.
void free_local_types(llvm::Module& device);

} // namespace sinter::capture
