#pragma once
/// Finds the actual addresses of functions that an executable at a fixed address (no PIE) calls through jumps in its
/// own code.
///
/// In such a program, the address of a library's function is the address of such a jump, and the loader gives all other
/// objects this address, too. But libraries that were linked with -Bsymbolic use the function's actual address inside,
/// so a comparison of the two addresses would fail.

#include <abi/image_format.hpp>
#include <vector>

namespace sinter {

/// Returns the addresses of a record's imports. If an address is that of a jump, it is replaced by the jump's target.
/// The function takes the loader's lock. Constructors may call it, because their thread already holds this lock, but
/// launches must not call it.
std::vector<const void*> resolved_imports(const abi::image_record& record);

}  // namespace sinter
