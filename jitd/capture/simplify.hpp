#pragma once
/// The fixed, target-independent simplification of a device module.

#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Removes constructs that only a host has: invokes become calls, a throw becomes a trap with a message, and asserts
/// become device asserts. Landing pads are removed, and so are the front end's calls for sanitizers and profiles. Calls
/// of libm become intrinsics or device functions without errno. Barriers and everything that calls them become
/// convergent. Has to run before any optimisation.
void lower_host_constructs(llvm::Module& device);

/// At -O1, the front end forbids the unrolling of all loops. This function allows unrolling again.
void allow_unrolling(llvm::Module& device);

/// Inlines functions and simplifies scalar code in the same way for every -O level. No target is known to the passes,
/// so they make no calls of library functions and no vectors of the host's length. Unreachable functions are removed.
void simplify(llvm::Module& device);

/// Removes functions and variables that nothing refers to. Unoptimised kernels get no other simplification.
void remove_unreachable(llvm::Module& device);

/// Drops debug information that nothing in the module refers to. If `keep_variables` is false, only line tables are
/// kept.
void prune_debug_info(llvm::Module& device, bool keep_variables);

/// If a type belongs to a function that is not in the module, moves the type's debug information out of the function
/// into the scope of the file. An example is a kernel's lambda in main(). gdb reads no members of a class in a function
/// without code, so it could not show captures.
void free_local_types(llvm::Module& device);

} // namespace sinter::capture
