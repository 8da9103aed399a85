#pragma once
/// Checks code objects, which HIP reads without knowing their length.

#include <string>
#include <string_view>

namespace sinter::hip {

/// Checks that these bytes are a complete code object for the GPU ("gfx942"). Returns an empty text if no fault was
/// found. Otherwise the text continues a sentence that begins with "the code". The bytes come from a file and are
/// untrusted. If the GPU's name does not begin with "gfx", files that are not ELF files are not checked.
std::string code_object_fault(std::string_view bytes, std::string_view gpu);

}  // namespace sinter::hip
