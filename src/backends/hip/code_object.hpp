#pragma once
/// Checks code objects, which HIP reads without knowing their length.

#include <string>
#include <string_view>

namespace sinter::hip {

/// Checks that these bytes are a complete code object for the GPU ("gfx942"). Returns an empty text if no fault was
/// found. Otherwise the text continues a sentence that begins with "the code". The bytes come from a file and are
/// untrusted. Files that are not ELF files are checked only if the GPU's name begins with "gfx".
std::string code_object_fault(std::string_view bytes, std::string_view gpu);

}  // namespace sinter::hip
