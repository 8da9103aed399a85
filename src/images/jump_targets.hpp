#pragma once
/// Handles functions that an executable at a fixed address (no PIE) calls through a jump of its own.
///
/// Such a program uses a jump in its own code as the address of a library's function, and the loader gives all other
/// objects the same address. Calls inside libraries linked with -Bsymbolic are not redirected, because such libraries
/// have another address for the function.

#include <abi/image_format.hpp>
#include <vector>

namespace sinter {

/// Returns the import addresses of a record, with each jump replaced by its target. The function needs the loader:
/// constructors call it, whose thread holds the loader's lock, but launches must not.
std::vector<const void*> resolved_imports(const abi::image_record& record);

}  // namespace sinter
