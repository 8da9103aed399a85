#pragma once
/// Code objects, which HIP reads without knowing how long they are.

#include <string>
#include <string_view>

namespace sinter::hip {

/// Why these bytes are no whole code object for the GPU ("gfx942"), in words behind "the code"; empty: they may
/// be one. Bytes may be anything, for they come out of a file. GPUs with other names get what their drivers read.
std::string code_object_fault(std::string_view bytes, std::string_view gpu);

}  // namespace sinter::hip
