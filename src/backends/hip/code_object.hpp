#pragma once
/// Checks code objects, which HIP reads without knowing their length.

#include <string>
#include <string_view>

namespace sinter::hip {

/// Returns the reason why these bytes are no whole code object for the GPU ("gfx942"), in words behind "the code", or
/// an empty text if they may be one. The bytes come from a file and are untrusted. For GPUs with other names, nothing
/// is checked.
std::string code_object_fault(std::string_view bytes, std::string_view gpu);

}  // namespace sinter::hip
