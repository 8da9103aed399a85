#pragma once
/// Finds the actual addresses of functions of libraries, if the program is an executable at a fixed address (no PIE).
///
/// Such a program calls a library's function through a jump in its own code. The address of this jump counts as the
/// function's address in the whole process, except inside a library that was linked with -Bsymbolic: there, the
/// function has its actual address. A comparison of the two addresses would fail.

#include <abi/image_format.hpp>
#include <vector>

namespace sinter {

/// Returns the addresses of a record's imports. If an address is that of a jump, it is replaced by the jump's target.
/// The function takes the loader's lock. Constructors may call this function, because their thread already holds this
/// lock, but launches must not call it.
std::vector<const void*> resolved_imports(const abi::image_record& record);

}  // namespace sinter
